import type { Request } from "express";
import { unauthenticated } from "../core/errors.js";
import type { Caller, Services } from "../services/index.js";

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Who a request comes from, by the key in `Authorization: Bearer` or `X-API-Key`. Both may carry it if it is the same one.
 * Rejects with `unauthenticated`, the same for no key, another scheme, two keys, a malformed and an unknown one.
 */
export function authenticateByKey(services: Pick<Services, "authenticate">): (request: Request) => Promise<Caller> {
  return async (request) => await services.authenticate(presentedKey(request));
}

function presentedKey({ headersDistinct: headers }: Request): string {
  const bearer = (headers.authorization ?? []).map((value) => BEARER.exec(value)?.[1]);
  const [key, ...others] = new Set([...bearer, ...(headers["x-api-key"] ?? [])]);
  if (key === undefined || others.length > 0) throw unauthenticated();
  return key;
}
