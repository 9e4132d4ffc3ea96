import { randomUUID } from "node:crypto";
import type { RequestHandler, Response } from "express";

const USABLE = /^[\x21-\x7e]{1,128}$/;

/** Gives every request an id: the caller's `X-Request-ID` where it can stand in a header and a log, else a new one. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get("x-request-id");
  response.set("X-Request-ID", given !== undefined && USABLE.test(given) ? given : randomUUID());
  next();
};

export function requestIdOf(response: Response): string {
  return response.get("X-Request-ID") ?? "";
}
