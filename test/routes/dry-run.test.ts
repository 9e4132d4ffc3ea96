import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { allRoutes } from "../../src/routes/all-routes.js";
import type { Route } from "../../src/routes/define-route.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { readScopeState } from "../support/scope-state.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { writeHistory, type History } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;
let history: History;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
  history = await writeHistory(api);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const PREVIEWED = ["POST /v1/erase", "POST /v1/memories/delete"];

const writing = allRoutes({ traceEnabled: false, drain: new AbortController().signal })
  .filter(({ method, capability }) => method !== "get" && capability !== null)
  .map((route): [string, Route] => [`${route.method.toUpperCase()} ${route.path}`, route]);

/** The reply to the route with `dry_run` where its scope stands, or in the query beside a body. */
async function attempt(
  route: Route,
  place: "body" | "query",
): Promise<{ status: number; problem: Record<string, unknown> }> {
  const path = route.path.replace("{id}", history.ids.named).replace("{agent_id}", "bob");
  const inQuery = {
    ...(route.scope === "query" ? history.scope : {}),
    ...(place === "query" ? { dry_run: "true" } : {}),
  };
  const url = new URL(`${path}?${new URLSearchParams(inQuery).toString()}`, api.url);
  const lines = route.bodyType !== undefined;
  const fields = { ...history.scope, content: "x", ...(place === "body" ? { dry_run: true } : {}) };
  const response = await fetch(url, {
    method: route.method.toUpperCase(),
    ...(route.body === undefined
      ? {}
      : {
          headers: { "content-type": route.bodyType ?? "application/json" },
          body: lines ? "{}\n" : JSON.stringify(fields),
        }),
  });
  return { status: response.status, problem: (await response.json()) as Record<string, unknown> };
}

describe("dry_run on a route without a preview", () => {
  const cases = writing.filter(([title]) => !PREVIEWED.includes(title));
  const inBody = cases.filter(([, { body, bodyType }]) => body !== undefined && bodyType === undefined);

  it.each(cases)("400: %s names it when it stands in the query, and writes nothing", async (title, route) => {
    await refused(title, route, "query");
  });

  it.each(inBody)("400: %s names it when it stands in the body, and writes nothing", async (title, route) => {
    await refused(title, route, "body");
  });

  async function refused(title: string, route: Route, place: "body" | "query"): Promise<void> {
    const before = await readScopeState(database.db, history.scopeId);
    const { status, problem } = await attempt(route, place);
    expect({ status, code: problem.code, errors: problem.errors }).toEqual({
      status: 400,
      code: "invalid_request",
      errors: [{ path: "dry_run", message: expect.stringContaining(`${title} cannot be previewed`) as unknown }],
    });
    expect(await readScopeState(database.db, history.scopeId)).toEqual(before);
  }
});

it.each(PREVIEWED)("400: %s takes it in the body only", async (title) => {
  const [, route] = writing.find(([each]) => each === title)!;
  const { status, problem } = await attempt(route, "query");
  expect(status).toBe(400);
  expect(problem.errors).toContainEqual({ path: "dry_run", message: "is not a known field" });
});
