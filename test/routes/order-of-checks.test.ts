import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Capability, Grants } from "../../src/core/access.js";
import { allRoutes } from "../../src/routes/all-routes.js";
import { capabilitiesOf, type Route } from "../../src/routes/define-route.js";
import { bearer, refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

const routes = allRoutes({ traceEnabled: false, drain: new AbortController().signal });
const closed = routes
  .filter((route) => route.capability !== null)
  .map((route): [string, Route] => [titleOf(route), route]);
const scoped = closed.filter(([, route]) => route.scope !== "none");
const withBody = closed.filter(([, route]) => route.body !== undefined);
const withJson = withBody.filter(([, route]) => route.bodyType === undefined);
const limited = closed.filter(([, route]) => capabilitiesOf(route).length > 0);

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  tenant = await api.tenant();
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Attempt {
  capabilities?: readonly Capability[];
  grants?: Grants;
  scope?: object;
  rest?: object;
}

/** A request to the route by a new key. */
async function attempt(route: Route, { capabilities, grants, scope = {}, rest = {} }: Attempt) {
  const sent = send(route).set(bearer(await tenant.key(capabilities, grants)));
  if (route.bodyType !== undefined) sent.set("Content-Type", route.bodyType).send("{}");
  if (route.scope === "query" || route.body === undefined) return refusal(await sent.query({ ...scope, ...rest }));
  return refusal(await sent.send({ ...scope, ...rest }));
}

function send(route: Route) {
  return api.request[route.method](route.path.replace("{id}", "no-uuid").replace(/\{\w+\}/, "x"));
}

const GOOD = { user_id: "u" };
const BAD_REST = { nonsense: 1 };

describe("first: who is it?", () => {
  it.each(closed)("401: %s, whatever the rest is like", async (_title, route) => {
    const bare = await send(route).query({ nonsense: 1 });
    expect(refusal(bare)).toMatchObject({ status: 401, code: "unauthenticated" });
  });

  it.each(withBody)("401: %s, without reading the body", async (_title, route) => {
    const broken = await send(route).set("Content-Type", "application/json").send("{");
    const large = await send(route).send({ content: "x".repeat(2_000_000) });
    const foreign = await send(route).set("Content-Type", "text/plain").send("x");
    expect([broken.status, large.status, foreign.status]).toEqual([401, 401, 401]);
  });
});

describe("second: is the body JSON?", () => {
  it.each(withJson)("400: %s, before what the key may do", async (_title, route) => {
    const key = bearer(await tenant.key(["memory_review"], { projects: ["other"] }));
    const broken = await send(route).set(key).set("Content-Type", "application/json").send("{");
    expect(refusal(broken)).toMatchObject({ status: 400, code: "invalid_json" });
  });
});

describe("third: which scope?", () => {
  it.each(scoped)("400: %s names the scope fields that are wrong, and nothing else", async (_title, route) => {
    const none: Attempt = { capabilities: ["memory_review"], grants: { projects: ["other"] }, rest: BAD_REST };
    const bad = { status: 400, code: "invalid_request" };
    expect(await attempt(route, none)).toEqual({ ...bad, fields: ["user_id"] });
    const both = { user_id: "u", workspace_id: "w", agent_id: "a" };
    expect(await attempt(route, { ...none, scope: both })).toEqual({ ...bad, fields: ["user_id"] });
    expect(await attempt(route, { ...none, scope: { workspace_id: "w" } })).toEqual({ ...bad, fields: ["agent_id"] });
    expect(await attempt(route, { ...none, scope: { user_id: " " } })).toEqual({ ...bad, fields: ["user_id"] });
  });
});

describe("fourth: may it?", () => {
  it.each(scoped)("403: %s in a scope that the key may not name", async (_title, route) => {
    const forbidden = { status: 403, code: "forbidden" };
    const user = { grants: { userIds: ["other"] }, scope: GOOD, rest: BAD_REST };
    expect(await attempt(route, user)).toEqual({ ...forbidden, fields: ["user_id"] });
    const project = { grants: { projects: ["other"] }, scope: GOOD, rest: BAD_REST };
    expect(await attempt(route, project)).toEqual({ ...forbidden, fields: ["project"] });
    const agent = { grants: { agents: ["a"] }, scope: { workspace_id: "w", agent_id: "b" }, rest: BAD_REST };
    expect(await attempt(route, agent)).toEqual({ ...forbidden, fields: ["agent_id"] });
    const workspace = { grants: { userIds: ["w"] }, scope: { workspace_id: "w", agent_id: "b" }, rest: BAD_REST };
    expect(await attempt(route, workspace)).toEqual({ ...forbidden, fields: ["workspace_id"] });
  });

  it.each(limited)("403: %s with every capability but one that it needs", async (_title, route) => {
    for (const needed of capabilitiesOf(route)) {
      const all: Capability[] = ["memory_read", "memory_write", "memory_review", "memory_erase", "admin"];
      const capabilities = all.filter((each) => each !== needed);
      const scope = route.scope === "none" ? {} : GOOD;
      expect(await attempt(route, { capabilities, scope, rest: BAD_REST })).toEqual({
        status: 403,
        code: "forbidden",
        fields: [],
      });
    }
  });
});

describe("last: the rest", () => {
  it.each(closed)("400: %s with a field that it does not know", async (_title, route) => {
    const scope = route.scope === "none" ? {} : GOOD;
    const refused = await attempt(route, {
      capabilities: capabilitiesOf(route).concat("memory_review"),
      scope,
      rest: BAD_REST,
    });
    expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    expect(refused.fields).toContain("nonsense");
  });
});

describe("every route", () => {
  it.each(routes.map((route): [string, Route] => [titleOf(route), route]))(
    "%s says where its scope stands",
    (_title, route) => {
      const shapes = { body: keysOf(route.body), query: keysOf(route.query) };
      const place = (["body", "query"] as const).find((each) => shapes[each].includes("workspace_id")) ?? "none";
      expect(route.scope).toBe(place);
    },
  );
});

function titleOf(route: Route): string {
  return `${route.method.toUpperCase()} ${route.path}`;
}

function keysOf(schema: unknown): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}
