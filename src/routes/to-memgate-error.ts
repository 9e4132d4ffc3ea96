import { MemgateError } from "../core/errors.js";

/** Errors of the HTTP parsers, by their `type`. */
const BY_TYPE: Readonly<Record<string, () => MemgateError>> = {
  "entity.parse.failed": () => new MemgateError("invalid_json", "the body is not valid JSON"),
  "entity.too.large": () => new MemgateError("payload_too_large", "the body is larger than this route takes"),
  "request.aborted": () => new MemgateError("invalid_json", "the body ended early"),
  "request.size.invalid": () => new MemgateError("invalid_json", "the body does not have its stated length"),
  "encoding.unsupported": () => new MemgateError("unsupported_media_type", "the content encoding is not supported"),
  "charset.unsupported": () => new MemgateError("unsupported_media_type", "the body has to be UTF-8"),
};

/** Whatever was thrown while a request was served, as an error with a code; what is unknown is `internal_error`. */
export function toMemgateError(error: unknown): MemgateError {
  if (error instanceof MemgateError) return error;
  if (isParserError(error)) {
    if (error.cause instanceof MemgateError) return error.cause;
    const known = BY_TYPE[error.type];
    if (known !== undefined) return known();
    // The parser's own verify step wraps what it throws and keeps only the message.
    if (error.type === "entity.verify.failed") return new MemgateError("invalid_json", "the body is not valid UTF-8");
  }
  if (isUnzipError(error)) return new MemgateError("invalid_json", "the body is not in its stated content encoding");
  // A path with a broken percent escape.
  if (error instanceof URIError) return new MemgateError("invalid_request", "the path is not valid percent-encoding");
  return new MemgateError("internal_error", "an unexpected error; the log has it under this request id", {
    cause: error,
  });
}

function isParserError(error: unknown): error is Error & { type: string } {
  return error instanceof Error && "type" in error && typeof error.type === "string";
}

/** zlib's own codes: `Z_DATA_ERROR`, `Z_BUF_ERROR`, `ERR__ERROR_FORMAT_PADDING_1` of Brotli. */
function isUnzipError(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error)) return false;
  return /^(Z_[A-Z]+_ERROR|ERR_\w*FORMAT\w*)$/.test(String(error.code));
}
