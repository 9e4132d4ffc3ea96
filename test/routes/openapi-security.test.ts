import { describe, expect, it } from "@jest/globals";
import { allRoutes } from "../../src/routes/all-routes.js";
import { openApiDocument } from "../../src/routes/openapi-document.js";

interface Operation {
  readonly security: readonly object[];
  readonly responses: Record<string, { description: string }>;
}

const document = openApiDocument(allRoutes({ traceEnabled: false, drain: new AbortController().signal }), "0") as {
  components: { securitySchemes: unknown };
  paths: Record<string, Record<string, Operation>>;
};

const key = (...capabilities: string[]) => [{ bearerAuth: capabilities }, { apiKeyAuth: capabilities }];

describe("the OpenAPI document", () => {
  it("has both ways to send a key", () => {
    expect(document.components.securitySchemes).toMatchObject({
      bearerAuth: { type: "http", scheme: "bearer" },
      apiKeyAuth: { type: "apiKey", in: "header", name: "X-API-Key" },
    });
  });

  it.each([
    ["get", "/health/live", []],
    ["get", "/health/ready", []],
    ["get", "/v1/whoami", key()],
    ["post", "/v1/keys", key("admin")],
    ["delete", "/v1/keys/{id}", key("admin")],
    ["get", "/v1/memories", key("memory_read")],
    ["post", "/v1/memories/search", key("memory_read")],
    ["post", "/v1/memories", key("memory_write")],
    ["patch", "/v1/memories/{id}", key("memory_read", "memory_write")],
  ])("says what %s %s needs", (method, path, security) => {
    expect(document.paths[path]![method]!.security).toEqual(security);
  });

  it("lists 401 and 403 where a key is needed, and only there", () => {
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const open = operation.security.length === 0;
      expect("401" in operation.responses).toBe(!open);
      if (open) expect(operation.responses).not.toHaveProperty("403");
    }
    expect(document.paths["/v1/memories"]!.get!.responses["403"]!.description).toBe("forbidden");
    expect(document.paths["/v1/whoami"]!.get!.responses).not.toHaveProperty("403");
  });
});
