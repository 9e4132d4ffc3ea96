import { defineRoute } from "./define-route.js";
import { z } from "./zod.js";

export const liveRoute = defineRoute({
  method: "get",
  path: "/health/live",
  summary: "Whether the process answers",
  tag: "health",
  capability: null,
  scope: "none",
  replies: { 200: "It does." },
  reply: z.strictObject({ status: z.literal("live") }).openapi("Live"),
  errors: [],
  handle: async () => await Promise.resolve({ body: { status: "live" as const } }),
});

const ReadyReply = z
  .strictObject({
    status: z.enum(["ready", "not_ready"]),
    database: z.enum(["ok", "unreachable"]),
    migrations: z.enum(["ok", "pending", "unknown"]),
    space: z.enum(["ok", "unknown"]),
  })
  .openapi("Ready");

/** `drain` is aborted when the process begins to shut down. */
export function readyRoute(drain: AbortSignal) {
  return defineRoute({
    method: "get",
    path: "/health/ready",
    summary: "Whether requests can be served",
    tag: "health",
    capability: null,
    scope: "none",
    replies: { 200: "They can.", 503: "They cannot at present." },
    reply: ReadyReply,
    errors: [],
    async handle({ services }) {
      const checks = await services.checkReadiness();
      const ready = !drain.aborted && Object.values(checks).every((check) => check === "ok");
      const status = ready ? ("ready" as const) : ("not_ready" as const);
      return { status: ready ? 200 : 503, body: { status, ...checks } };
    },
  });
}
