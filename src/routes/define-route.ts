import type { IncomingHttpHeaders } from "node:http";
import type { Capability } from "../core/access.js";
import type { ErrorCode } from "../core/errors.js";
import type { Caller, Services, Spooled } from "../services/index.js";
import type { z } from "./zod.js";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** Whoever calls an open route: nobody in particular, who may do nothing. */
export const NOBODY: Caller = { tenantId: 0, actor: "nobody", capabilities: new Set(), grants: {} };

/** What a handler gets: every part parsed and checked. */
export interface RouteInput<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly headers: IncomingHttpHeaders;
  /** On an open route {@link NOBODY}. */
  readonly caller: Caller;
  readonly services: Services;
  /** Aborted when the client goes away before it has its reply. */
  readonly signal: AbortSignal;
}

export interface RouteReply<Reply> {
  /** One of the route's `replies`; 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Reply;
}

/** A reply that is not JSON and goes out as the client takes it. */
export interface StreamReply {
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream: Spooled;
}

/** One JSON document a line. */
export const NDJSON = "application/x-ndjson";

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
  readonly tag: "memories" | "data" | "search" | "keys" | "health";
  /**
   * What the caller's key must have: one capability, all of several (a write whose reply shows what stood there needs
   * `memory_read` too), or `[]`: it need only be valid. null: the route is open and asks for no key.
   */
  readonly capability: Capability | readonly Capability[] | null;
  /** Where the scope fields stand. They are checked, and the caller's right to name them, before all the rest. */
  readonly scope: "body" | "query" | "none";
  /** Whether a body may do without the scope fields, since it is about all that the key may name. */
  readonly isAboutAllScopes?: (body: unknown) => boolean;
  readonly body?: Body;
  /** What the body is made of where that is not JSON: `body` is then its text, and the schema of it in OpenAPI. */
  readonly bodyType?: typeof NDJSON;
  /** Largest body in bytes; 1 MiB where absent. */
  readonly bodyLimit?: number;
  readonly query?: Query;
  readonly params?: Params;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status → what it means; every success has the same schema. */
  readonly replies: Readonly<Record<number, string>>;
  readonly reply: Reply;
  /** What the reply is made of where that is not JSON: `reply` is then the schema of a line, and a stream comes back. */
  readonly replyType?: typeof NDJSON;
  readonly errors: readonly ErrorCode[];
  handle(
    input: RouteInput<z.output<Body>, z.output<Query>, z.output<Params>>,
  ): Promise<RouteReply<z.input<Reply>> | StreamReply>;
}

/** The capabilities that a route needs, all of them. */
export function capabilitiesOf({ capability }: Pick<Route, "capability">): readonly Capability[] {
  if (capability === null) return [];
  return typeof capability === "string" ? [capability] : capability;
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
