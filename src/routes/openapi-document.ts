import { OpenApiGeneratorV31, OpenAPIRegistry, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorCode } from "../core/errors.js";
import { capabilitiesOf, type Route } from "./define-route.js";
import { Problem, STATUS_BY_CODE } from "./problem.js";
import { FILTER_COMPONENTS } from "./schemas/filter-document.js";
import { MemoryInput } from "./schemas/memory.js";
import { z } from "./zod.js";

const BEARER = { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer mg_…`." } as const;
const API_KEY = { type: "apiKey", in: "header", name: "X-API-Key", description: "The same key." } as const;
/** Errors that no route declares, since every one may answer them. */
const ANYWHERE = ["forbidden_host", "internal_error"] as const;

const PROBLEM_CONTENT = { "application/problem+json": { schema: Problem } };

/** The OpenAPI 3.1 description of the routes: read from the schemas that check the requests. */
export function openApiDocument(routes: readonly Route[], version: string): object {
  const registry = new OpenAPIRegistry();
  registry.register("Problem", Problem);
  // Only referred to: the items of a batch are checked one by one.
  registry.register("MemoryInput", MemoryInput);
  for (const [name, schema] of Object.entries(FILTER_COMPONENTS)) registry.registerComponent("schemas", name, schema);
  registry.registerComponent("securitySchemes", "bearerAuth", BEARER);
  registry.registerComponent("securitySchemes", "apiKeyAuth", API_KEY);
  for (const route of routes) registry.registerPath(toPath(route));
  return new OpenApiGeneratorV31(registry.definitions, { sortComponents: "alphabetically" }).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Memgate",
      version,
      description:
        "A memory API for AI agents and assistants: what comes back has passed a gate, and every answer can say why.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
  });
}

function toPath(route: Route): RouteConfig {
  const { body, query, params, headers } = route;
  return {
    method: route.method,
    path: route.path,
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: security(route),
    request: {
      ...(body === undefined ? {} : { body: { required: true, content: contentOf(route.bodyType, body) } }),
      ...(query === undefined ? {} : { query: query as z.ZodObject }),
      ...(params === undefined ? {} : { params: params as z.ZodObject }),
      ...(headers === undefined ? {} : { headers: toHeaders(headers) }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.replies).map(([status, description]) => [status, success(route, description)]),
      ),
      ...problems(route),
    },
  };
}

function success(route: Route, description: string) {
  return { description, content: contentOf(route.replyType, route.reply) };
}

/** Of lines the schema is that of one. */
function contentOf(type: string | undefined, schema: z.ZodType) {
  return { [type ?? "application/json"]: { schema } };
}

/** A key in either header, with the capabilities that it needs where OpenAPI 3.1 puts roles; nothing on open routes. */
function security(route: Route): Record<string, string[]>[] {
  if (route.capability === null) return [];
  const needed = [...capabilitiesOf(route)];
  return [{ bearerAuth: needed }, { apiKeyAuth: needed }];
}

function accessErrors(route: Route): ErrorCode[] {
  if (route.capability === null) return [];
  const refusable = route.scope !== "none" || capabilitiesOf(route).length > 0;
  return refusable ? ["unauthenticated", "forbidden"] : ["unauthenticated"];
}

/** What any body may be refused for. */
function bodyErrors({ body }: Route): ErrorCode[] {
  return body === undefined ? [] : ["invalid_json", "payload_too_large", "unsupported_media_type"];
}

/** One response for each status, naming the codes that it may carry. */
function problems(route: Route) {
  const codes = [...new Set<ErrorCode>([...accessErrors(route), ...route.errors, ...bodyErrors(route), ...ANYWHERE])];
  return Object.fromEntries(
    codes.map((code) => {
      const status = STATUS_BY_CODE[code];
      const names = codes.filter((other) => STATUS_BY_CODE[other] === status);
      return [status, { description: names.join(", "), content: PROBLEM_CONTENT }];
    }),
  );
}

function toHeaders(headers: Readonly<Record<string, string>>): z.ZodObject {
  return z.object(
    Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [name, z.string().optional().openapi({ description })]),
    ),
  );
}

/** `post /v1/memories/{id}/history` → `postMemoriesHistoryById`: the name of the method in a generated client. */
function operationId(route: Route): string {
  const words = route.path.split("/").filter((part) => part !== "" && part !== "v1");
  const named = words
    .filter((word) => !word.startsWith("{"))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${route.method}${named.join("")}${words.includes("{id}") ? "ById" : ""}`;
}
