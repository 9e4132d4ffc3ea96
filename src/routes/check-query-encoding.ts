import type { Request } from "express";
import { invalidField } from "../core/errors.js";

/**
 * Throws `invalid_request` for a query string that is not percent-encoded UTF-8, naming the parameter: read leniently, two
 * different names would become one.
 */
export function checkQueryEncoding(request: Request): void {
  const start = request.originalUrl.indexOf("?");
  if (start < 0) return;
  for (const pair of request.originalUrl.slice(start + 1).split("&")) {
    if (decoded(pair) !== undefined) continue;
    throw invalidField(decoded(pair.split("=", 1)[0] ?? "") ?? "query", "must be percent-encoded UTF-8");
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
