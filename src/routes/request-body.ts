import { isUtf8 } from "node:buffer";
import express, { type Request, type RequestHandler } from "express";
import { invalidField, MemgateError } from "../core/errors.js";
import { NDJSON } from "./define-route.js";

export const MIB = 1_048_576;

/** Parses a JSON body of at most `limit` bytes; leaves `req.body` undefined where there is none. */
export function jsonBody(limit: number): RequestHandler {
  return express.json({
    limit,
    strict: false,
    type: ["application/json", "application/*+json"],
    verify: checkUtf8,
  });
}

/** Reads a body of lines as text, of at most `limit` bytes; leaves `req.body` undefined where there is none. */
export function linesBody(limit: number): RequestHandler {
  return express.text({ limit, type: NDJSON, verify: checkUtf8 });
}

const checkUtf8 = (_request: unknown, _response: unknown, bytes: Buffer): void => {
  if (!isUtf8(bytes)) throw new MemgateError("invalid_json", "the body is not valid UTF-8");
};

/** Refuses a body that the parser left alone: of another type, or where none belongs, since its fields would be ignored. */
export function checkBody(request: Request, expected: boolean, type = "application/json"): void {
  const length = request.headers["content-length"];
  const given = request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (!expected) {
    if (given) throw invalidField("body", "this route takes no body: use query parameters or headers");
    return;
  }
  if (given && request.body === undefined) {
    throw new MemgateError("unsupported_media_type", `send the body as ${type}`);
  }
  if (!given) throw invalidField("body", `a body is required, as ${type}`);
}
