import { Router, type Request, type RequestHandler, type Response } from "express";
import { invalidRequest, MemgateError } from "../core/errors.js";
import type { Caller, Services } from "../services/index.js";
import { authoriseRequest } from "./authorise-request.js";
import { checkDryRun } from "./check-dry-run.js";
import { checkQueryEncoding } from "./check-query-encoding.js";
import { NOBODY, type Method, type Route } from "./define-route.js";
import { toFieldErrors } from "./problem.js";
import { checkBody, jsonBody, linesBody, MIB } from "./request-body.js";
import { sendStream } from "./send-stream.js";
import { z } from "./zod.js";

export interface EdgeContext {
  readonly services: Services;
  /** Who a request comes from, by its headers; throws `unauthenticated`. Not asked for open routes. */
  readonly authenticate: (request: Request) => Promise<Caller>;
  /** Fail a request whose reply does not match the route's schema; for tests. */
  readonly checkReplies: boolean;
}

const NOTHING = z.strictObject({});

/**
 * A router of all routes: authenticate by headers, parse the JSON, check the scope fields, authorise, check the rest,
 * handle, present. Another method of a known path is 405.
 */
export function mountRoutes(routes: readonly Route[], context: EdgeContext): Router {
  const router = Router();
  // Path by path, so that another method of a fixed path is not taken for an id: GET /v1/memories/search.
  for (const [path, ofPath] of byPath(routes)) {
    for (const route of ofPath) {
      router[route.method](path, authenticated(route, context), bodyParser(route), served(route, context));
    }
    router.all(path, otherMethod(ofPath.map((route) => route.method)));
  }
  return router;
}

/** The routes of each path in the form of the router, in the order of the paths. */
function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    paths.set(path, [...(paths.get(path) ?? []), route]);
  }
  return paths;
}

function bodyParser({ bodyType, bodyLimit = MIB }: Route): RequestHandler {
  return bodyType === undefined ? jsonBody(bodyLimit) : linesBody(bodyLimit);
}

function authenticated(route: Route, context: EdgeContext): RequestHandler {
  return async (request, response, next) => {
    (response.locals as Locals).caller = route.capability === null ? NOBODY : await context.authenticate(request);
    next();
  };
}

interface Locals {
  caller?: Caller;
}

function served(route: Route, context: EdgeContext): RequestHandler {
  return async (request, response) => {
    const { caller } = response.locals as Locals;
    if (caller === undefined) throw new Error("a request was not authenticated");
    checkQueryEncoding(request);
    checkBody(request, route.body !== undefined, route.bodyType);
    authoriseRequest(route, request, caller);
    checkDryRun(route, request);
    const { body, query, params } = parseRequest(route, request);
    const reply = await route.handle({
      body,
      query,
      params,
      headers: request.headers,
      caller,
      services: context.services,
      signal: untilClosed(response),
    });
    if ("stream" in reply) {
      await sendStream(response, reply);
      return;
    }
    if (context.checkReplies) route.reply.parse(reply.body);
    response.status(reply.status ?? 200).set(reply.headers ?? {});
    send(response, reply.body);
  };
}

function untilClosed(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort();
  });
  return gone.signal;
}

/** Checks all three parts, so that one reply names every wrong field. */
function parseRequest(route: Route, request: Request) {
  const parts = {
    params: (route.params ?? NOTHING).safeParse(request.params),
    query: (route.query ?? NOTHING).safeParse(request.query),
    body: (route.body ?? z.undefined()).safeParse(route.body === undefined ? undefined : request.body),
  };
  const errors = Object.values(parts).flatMap((part) => (part.success ? [] : toFieldErrors(part.error)));
  if (errors.length > 0) throw invalidRequest(errors);
  return { params: parts.params.data, query: parts.query.data, body: parts.body.data };
}

function send(response: Response, body: unknown): void {
  response.type("application/json").send(JSON.stringify(body));
}

/** Answers OPTIONS, and refuses whatever is not among the methods of a path. */
export function otherMethod(allowed: readonly Method[]): RequestHandler {
  const allow = [
    ...allowed.map((method) => method.toUpperCase()),
    ...(allowed.includes("get") ? ["HEAD"] : []),
    "OPTIONS",
  ].join(", ");
  return (request, response) => {
    response.set("Allow", allow);
    if (request.method !== "OPTIONS") throw new MemgateError("method_not_allowed", `this route has ${allow}`);
    response.status(204).end();
  };
}
