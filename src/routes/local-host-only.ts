import type { RequestHandler } from "express";
import { MemgateError } from "../core/errors.js";

/** `localhost`, 127.0.0.0/8 and `[::1]`, with any port or none: a tunnel may have another one than we. */
const LOCAL_HOST = /^(localhost\.?|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Refuses a request that was meant for another host. A web page may have its own name resolve to 127.0.0.1 (DNS
 * rebinding) and its script then reach a server that listens on loopback without keys; the `Host` header keeps that
 * name. A request without the header (HTTP/1.0) is from no browser.
 */
export const localHostOnly: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  if (host !== undefined && !LOCAL_HOST.test(host)) {
    throw new MemgateError("forbidden_host", "this server is reached as localhost, 127.0.0.1 or [::1] only");
  }
  next();
};
