import { DEPENDENTS_MAX } from "./limits.js";

/** One field of a request that is wrong: `path` as the client wrote it (`memories[2].tags[0]`). */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** Every error that a caller can meet has one of these codes; `routes/problem.ts` gives each its HTTP status. */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "invalid_cursor"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "key_not_found"
  | "space_not_found"
  | "route_not_found"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "payload_too_large"
  | "forbidden_host"
  | "revision_conflict"
  | "external_id_conflict"
  | "idempotency_conflict"
  | "journal_history_conflict"
  | "memory_erased"
  | "too_many_matches"
  | "derivation_too_wide"
  | "preview_changed"
  | "import_conflict"
  | "space_conflict"
  | "embedding_unavailable"
  | "database_unavailable"
  | "shutting_down"
  | "not_ready"
  | "internal_error";

/** An error with a stable code that may be shown to the caller; anything else becomes a bare 500. */
export class MemgateError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly more: {
      readonly errors?: readonly FieldError[];
      readonly cause?: unknown;
      readonly revision?: number;
    } = {},
  ) {
    super(`${code}: ${detail}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "MemgateError";
  }
}

/** The request is understood but wrong; every wrong field is named. */
export function invalidRequest(errors: readonly FieldError[]): MemgateError {
  const detail = errors.map((each) => (each.path === "" ? each.message : `${each.path}: ${each.message}`)).join("; ");
  return new MemgateError("invalid_request", detail, { errors });
}

/** {@link invalidRequest} for a single field. */
export function invalidField(path: string, message: string): MemgateError {
  return invalidRequest([{ path, message }]);
}

/** The cursor cannot be read, or belongs to a listing with other filters. */
export function invalidCursor(path: "cursor" | "after", detail: string): MemgateError {
  return new MemgateError("invalid_cursor", detail, { errors: [{ path, message: detail }] });
}

/** One answer for a missing, malformed, unknown and revoked key. */
export function unauthenticated(): MemgateError {
  return new MemgateError(
    "unauthenticated",
    'a valid API key is required: "Authorization: Bearer mg_..." or "X-API-Key: mg_..."',
  );
}

/** The key is valid but may not do this; `errors` names the fields whose values it may not name. */
export function forbidden(detail: string, errors: readonly FieldError[] = []): MemgateError {
  return new MemgateError("forbidden", detail, errors.length === 0 ? {} : { errors });
}

/** One answer for an unknown key's id and for one of another tenant. */
export function keyNotFound(): MemgateError {
  return new MemgateError("key_not_found", "no such key in this tenant");
}

/** One answer for an unknown id, a malformed id, a deleted memory and a memory of another scope. */
export function memoryNotFound(): MemgateError {
  return new MemgateError("not_found", "no such memory in this scope");
}

/** The caller expected another revision than the current one, which `revision` carries. */
export function revisionConflict(revision: number): MemgateError {
  return new MemgateError("revision_conflict", `the memory is at revision ${String(revision)}`, { revision });
}

/** More memories are derived from what would change than one write may touch; nothing is written. */
export function derivationTooWide(): MemgateError {
  return new MemgateError(
    "derivation_too_wide",
    `more than ${String(DEPENDENTS_MAX)} memories are derived from what this would change: delete some of them first`,
  );
}

/** The embedding provider could not answer; `cause` has the provider's own error and stays in the log. */
export function embeddingUnavailable(detail: string, cause?: unknown): MemgateError {
  return new MemgateError("embedding_unavailable", detail, { cause });
}
