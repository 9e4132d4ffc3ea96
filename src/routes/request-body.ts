import { isUtf8 } from "node:buffer";
import express, { type Request, type RequestHandler } from "express";
import { invalidField, MemgateError } from "../core/errors.js";

export const MIB = 1_048_576;

/** Parses a JSON body of at most `limit` bytes; leaves `req.body` undefined where there is none. */
export function jsonBody(limit: number): RequestHandler {
  return express.json({
    limit,
    strict: false,
    type: ["application/json", "application/*+json"],
    verify: (_request, _response, bytes) => {
      if (!isUtf8(bytes)) throw new MemgateError("invalid_json", "the body is not valid UTF-8");
    },
  });
}

/** Refuses a body that the parser left alone: of another type, or where none belongs, since its fields would be ignored. */
export function checkBody(request: Request, expected: boolean): void {
  const length = request.headers["content-length"];
  const given = request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (!expected) {
    if (given) throw invalidField("body", "this route takes no body: use query parameters or headers");
    return;
  }
  if (given && request.body === undefined) {
    throw new MemgateError("unsupported_media_type", "send the body as application/json");
  }
  if (!given) throw invalidField("body", "a JSON body is required");
}
