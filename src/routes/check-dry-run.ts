import type { Request } from "express";
import { refuseDryRun } from "../core/refuse-dry-run.js";
import type { Route } from "./define-route.js";

/** Refuses `dry_run`, in the body or the query, on a route that writes and has no preview; before anything is written. */
export function checkDryRun(route: Route, request: Request): void {
  if (route.method === "get" || [route.body, route.query].some(hasDryRun)) return;
  const what = `${route.method.toUpperCase()} ${route.path}`;
  for (const part of [request.body, request.query]) refuseDryRun(dryRunOf(part), what);
}

function hasDryRun(schema: unknown): boolean {
  return "dry_run" in ((schema as { shape?: object } | undefined)?.shape ?? {});
}

function dryRunOf(part: unknown): unknown {
  return typeof part === "object" && part !== null && "dry_run" in part ? part.dry_run : undefined;
}
