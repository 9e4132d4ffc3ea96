import type { IncomingHttpHeaders } from "node:http";
import type { ErrorCode } from "../core/errors.js";
import type { Caller, Services } from "../services/index.js";
import type { z } from "./zod.js";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** What a handler gets: every part parsed and checked. */
export interface RouteInput<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly services: Services;
}

export interface RouteReply<Reply> {
  /** One of the route's `replies`; 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Reply;
}

/** One endpoint: what it takes, what it answers, and the one service call between. OpenAPI is read from the same object. */
export interface Route<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** As in OpenAPI: `/v1/memories/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: "memories" | "search" | "health";
  readonly body?: Body;
  /** Largest body in bytes; 1 MiB where absent. */
  readonly bodyLimit?: number;
  readonly query?: Query;
  readonly params?: Params;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status → what it means; every success has the same schema. */
  readonly replies: Readonly<Record<number, string>>;
  readonly reply: Reply;
  readonly errors: readonly ErrorCode[];
  handle(input: RouteInput<z.output<Body>, z.output<Query>, z.output<Params>>): Promise<RouteReply<z.input<Reply>>>;
}

/** Types a route from its schemas. */
export function defineRoute<
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUnknown,
  Params extends z.ZodType = z.ZodUnknown,
  Reply extends z.ZodType = z.ZodType,
>(route: Route<Body, Query, Params, Reply>): Route {
  return route;
}
