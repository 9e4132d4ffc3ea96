import type { ErrorCode, FieldError, MemgateError } from "../core/errors.js";
import { z } from "./zod.js";

/** The HTTP status of every error code; a code without one does not compile. */
export const STATUS_BY_CODE = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  key_not_found: 404,
  space_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  revision_conflict: 409,
  external_id_conflict: 409,
  idempotency_conflict: 409,
  journal_history_conflict: 409,
  memory_erased: 410,
  too_many_matches: 409,
  derivation_too_wide: 409,
  preview_changed: 409,
  import_conflict: 409,
  space_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  forbidden_host: 421,
  internal_error: 500,
  database_unavailable: 503,
  embedding_unavailable: 503,
  not_ready: 503,
  shutting_down: 503,
} as const satisfies Record<ErrorCode, number>;

const TITLE_BY_CODE = {
  invalid_request: "The request is not valid",
  invalid_json: "The body is not valid JSON",
  invalid_cursor: "The cursor is not valid",
  unauthenticated: "A valid API key is required",
  forbidden: "The API key may not do this",
  not_found: "There is no such memory",
  key_not_found: "There is no such key",
  space_not_found: "There is no such embedding space",
  route_not_found: "There is no such route",
  method_not_allowed: "The route does not have this method",
  revision_conflict: "The memory has another revision",
  external_id_conflict: "The external id is taken",
  idempotency_conflict: "The idempotency key was used for another command",
  journal_history_conflict: "The cursor belongs to another history",
  memory_erased: "The memory has been erased",
  too_many_matches: "The filter matches too many memories",
  derivation_too_wide: "Too many memories are derived from this one",
  preview_changed: "The preview does not hold any more",
  import_conflict: "The import contradicts what is stored",
  space_conflict: "The embedding space is not in a state for this",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The body has to be JSON in UTF-8",
  forbidden_host: "The server is not known by this name",
  internal_error: "Something went wrong here",
  database_unavailable: "The database does not answer",
  embedding_unavailable: "The embedding provider does not answer",
  not_ready: "The server is not ready",
  shutting_down: "The server is shutting down",
} as const satisfies Record<ErrorCode, string>;

/** Every error reply, as of RFC 9457. */
export const Problem = z
  .strictObject({
    type: z.string().openapi({ example: "urn:memgate:problem:invalid_request" }),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(STATUS_BY_CODE) as [ErrorCode, ...ErrorCode[]]),
    detail: z.string(),
    errors: z
      .array(z.strictObject({ path: z.string().openapi({ example: "memories[2].tags[0]" }), message: z.string() }))
      .optional()
      .openapi({ description: "Every field that is wrong, or that the key may not name." }),
    revision: z.int().optional().openapi({ description: "The current revision, with `revision_conflict`." }),
    request_id: z.string(),
  })
  .openapi("Problem");

export type Problem = z.output<typeof Problem>;

/** The problem that a caller gets for an error; `internal_error` says nothing about what happened. */
export function toProblem(error: MemgateError, requestId: string): Problem {
  const { code, detail, more } = error;
  return {
    type: `urn:memgate:problem:${code}`,
    title: TITLE_BY_CODE[code],
    status: STATUS_BY_CODE[code],
    code,
    detail,
    ...(more.errors === undefined ? {} : { errors: [...more.errors] }),
    ...(more.revision === undefined ? {} : { revision: more.revision }),
    request_id: requestId,
  };
}

/** The issues of a schema as field errors; an unknown key is named itself. */
export function toFieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: "is not a known field" }));
    }
    return [{ path: pathText(issue.path), message: issue.message }];
  });
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${String(part)}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
