import { expect, it } from "@jest/globals";
import { allRoutes } from "../../src/routes/all-routes.js";
import { openApiDocument } from "../../src/routes/openapi-document.js";

interface Operation {
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly content: object }>>;
}

const routes = allRoutes({ traceEnabled: false, drain: new AbortController().signal });
const { paths, components } = openApiDocument(routes, "1") as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { anyOf?: object[] }> };
};

it("describes an export as lines, each of one of four kinds", () => {
  const reply = paths["/v1/export"]!.get!.responses["200"]!;
  expect(reply.content).toEqual({ "application/x-ndjson": { schema: { $ref: "#/components/schemas/ExportLine" } } });
  const kinds = ["ExportHeader", "ExportedMemory", "ExportedErasure", "ExportedRevision"];
  expect(components.schemas.ExportLine!.anyOf).toEqual(kinds.map((kind) => ({ $ref: `#/components/schemas/${kind}` })));
});

it("describes an import's body as lines and its reply as JSON", () => {
  const { requestBody, responses } = paths["/v1/import"]!.post!;
  expect(Object.keys(requestBody!.content)).toEqual(["application/x-ndjson"]);
  expect(Object.keys(responses["200"]!.content)).toEqual(["application/json"]);
});
