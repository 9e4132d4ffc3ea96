import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { allRoutes } from "../../src/routes/all-routes.js";
import { openApiDocument } from "../../src/routes/openapi-document.js";
import { startApi, type Api } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Document {
  readonly components: { readonly schemas: Record<string, object> };
}

const options = { traceEnabled: false, drain: new AbortController().signal };
const document = JSON.parse(JSON.stringify(openApiDocument(allRoutes(options), "0"))) as Document;

/** What the emitted document says against a reply; empty when it fits. */
function faultsOf(schema: string, reply: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "api");
  ajv.validate(`api#/components/schemas/${schema}`, reply);
  return ajv.errors ?? [];
}

describe("the emitted OpenAPI document", () => {
  it("refers to nothing that it does not have", () => {
    const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]);
    expect(names.filter((name = "") => !Object.hasOwn(document.components.schemas, name))).toEqual([]);
  });

  it("fits the replies of the API, those without optional values too", async () => {
    const user_id = uniqueName("user");
    const memory = await api.store({ user_id, content: "zebra" });
    expect(faultsOf("Memory", memory)).toEqual([]);
    expect(faultsOf("SearchResult", await api.search({ user_id, query: "zebra", explain: true }))).toEqual([]);
    const page = await api.request.get("/v1/memories").query({ user_id });
    expect(faultsOf("MemoryPage", page.body)).toEqual([]);
    const full = { user_id, content: "x", expires_at: "2099-01-01T00:00:00Z", namespace: "a", metadata: { a: [1] } };
    expect(faultsOf("Memory", await api.store(full))).toEqual([]);
    expect(faultsOf("Problem", (await api.request.get("/v1/nothing")).body)).toEqual([]);
    expect(faultsOf("MemoryInput", { content: "x", expires_at: null, tags: null })).toEqual([]);
    expect(faultsOf("Memory", { ...memory, revision: "1" })).not.toEqual([]);
  });
});
