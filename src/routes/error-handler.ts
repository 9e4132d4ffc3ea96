import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { MemgateError } from "../core/errors.js";
import { STATUS_BY_CODE, toProblem } from "./problem.js";
import { requestIdOf } from "./request-id.js";
import { toMemgateError } from "./to-memgate-error.js";

/** Where the edge writes what a caller must not see. */
export interface EdgeLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  debug(details: object, message: string): void;
}

/** The last handler of all: every error becomes one problem; a fault of ours is logged under the request id. */
export function errorHandler(log: EdgeLog): ErrorRequestHandler {
  // Express tells an error handler from others by its four parameters.
  // eslint-disable-next-line max-params
  return (error: unknown, request, response, next) => {
    const known = toMemgateError(error);
    const status = STATUS_BY_CODE[known.code];
    if (status >= 500) {
      log.error(
        {
          err: known.more.cause ?? known,
          request_id: requestIdOf(response),
          method: request.method,
          // As the route has it: a path holds what the caller wrote, an agent's name for one.
          path: (request.route as { path?: string } | undefined)?.path,
        },
        known.code,
      );
    }
    // The reply has begun: all that is left is to cut it off, so that nobody takes it for whole.
    if (response.headersSent) {
      next(error);
      return;
    }
    sendProblem(response, known);
  };
}

export const unknownRoute: RequestHandler = (request) => {
  throw new MemgateError("route_not_found", `there is no route ${request.path}`);
};

function sendProblem(response: Response, error: MemgateError): void {
  const problem = toProblem(error, requestIdOf(response));
  if (problem.status === 401) response.set("WWW-Authenticate", "Bearer");
  if (problem.status === 503) response.set("Retry-After", "1");
  // What is left of a body that was refused unread would be taken for the next request.
  if (problem.status === 413) response.set("Connection", "close");
  response.status(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}
