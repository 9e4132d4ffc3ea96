import { invalidRequest, type FieldError } from "../core/errors.js";
import { BATCH_MAX } from "../core/limits.js";
import type { Created, MemoryDraft, ScopeRequest } from "../services/index.js";
import { MemgateError } from "../core/errors.js";
import { defineRoute } from "./define-route.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { toFieldErrors } from "./problem.js";
import { MIB } from "./request-body.js";
import { MemoryInput, OnDuplicate } from "./schemas/memory.js";
import { toDraft } from "./schemas/memory-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

const BatchBody = z
  .strictObject({
    ...scopeFields,
    // Each is checked on its own, since one that is wrong is an outcome where the batch is not atomic.
    memories: z
      .array(z.unknown())
      .min(1)
      .max(BATCH_MAX)
      .openapi({
        type: "array",
        items: { $ref: "#/components/schemas/MemoryInput" },
        minItems: 1,
        maxItems: BATCH_MAX,
      }),
    on_duplicate: OnDuplicate,
    atomic: z.boolean().default(true).openapi({ description: "true: one memory that is not valid refuses them all." }),
  })
  .superRefine(checkScope)
  .openapi("CreateMemories");

const ItemProblem = z.strictObject({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })),
});

const BatchReply = z
  .strictObject({
    results: z.array(
      z.strictObject({
        index: z.int(),
        outcome: z.enum(["created", "updated", "existing", "rejected"]),
        id: z.uuid().optional(),
        revision: z.int().optional(),
        problem: ItemProblem.optional(),
      }),
    ),
    counts: z.strictObject({ created: z.int(), updated: z.int(), existing: z.int(), rejected: z.int() }),
  })
  .openapi("CreatedMemories");

export const batchRoute = defineRoute({
  method: "post",
  path: "/v1/memories/batch",
  summary: "Store many memories",
  description:
    "One outcome for each memory, in order. What is stored is stored in one transaction. `source_memory_ids` name memories stored before, none of the same batch.",
  tag: "memories",
  capability: "memory_write",
  scope: "body",
  body: BatchBody,
  bodyLimit: 16 * MIB,
  headers: IDEMPOTENCY_KEY,
  replies: { 200: "The outcome of each memory." },
  reply: BatchReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "idempotency_conflict",
    "memory_erased",
    "derivation_too_wide",
    "payload_too_large",
    "unsupported_media_type",
    "database_unavailable",
  ],
  async handle({ body, headers, caller, services }) {
    const scope = toScopeRequest(body);
    const items = parseItems(body.memories, scope);
    const errors = items.flatMap((item) => item.errors);
    if (body.atomic && errors.length > 0) throw invalidRequest(errors);
    const valid = items.flatMap(({ draft, path }) => (draft === undefined ? [] : [{ draft, path }]));
    const { result, replayed } = await services.createMemories(caller, {
      ...scope,
      drafts: valid.map((item) => item.draft),
      paths: valid.map((item) => item.path),
      atomic: body.atomic,
      onDuplicate: body.on_duplicate,
      once: onceOf(headers, "POST /v1/memories/batch", { body }),
    });
    const results = presentResults(items, result);
    const count = (outcome: string): number => results.filter((result) => result.outcome === outcome).length;
    const counts = {
      created: count("created"),
      updated: count("updated"),
      existing: count("existing"),
      rejected: count("rejected"),
    };
    return { headers: replayHeader(replayed), body: { results, counts } };
  },
});

interface Item {
  /** Where it stands in the request: `memories[3]`. */
  readonly path: string;
  readonly draft: MemoryDraft | undefined;
  readonly errors: readonly FieldError[];
}

function parseItems(memories: readonly unknown[], scope: ScopeRequest): Item[] {
  const firstWithExternalId = new Map<string, number>();
  return memories.map((memory, index) => {
    const path = `memories[${String(index)}]`;
    const item = parseItem(memory, scope, path);
    const externalId = item.draft?.externalId;
    if (externalId == null) return item;
    const first = firstWithExternalId.get(externalId);
    if (first === undefined) {
      firstWithExternalId.set(externalId, index);
      return item;
    }
    const message = `is the same as that of memories[${String(first)}]`;
    return { path, draft: undefined, errors: [{ path: `${path}.external_id`, message }] };
  });
}

function parseItem(memory: unknown, scope: ScopeRequest, path: string): Item {
  const parsed = MemoryInput.safeParse(memory);
  if (!parsed.success) {
    const errors = toFieldErrors(parsed.error).map((error) => ({
      path: error.path === "" ? path : `${path}.${error.path}`,
      message: error.message,
    }));
    return { path, draft: undefined, errors };
  }
  try {
    return { path, draft: toDraft(parsed.data, scope, path), errors: [] };
  } catch (error) {
    if (error instanceof MemgateError) return { path, draft: undefined, errors: error.more.errors ?? [] };
    throw error;
  }
}

type Result = z.input<typeof BatchReply>["results"][number];

function presentResults(items: readonly Item[], created: readonly Created[]): Result[] {
  let next = 0;
  return items.map((item, index) => {
    const stored = item.draft === undefined ? undefined : created[next++];
    if (stored !== undefined && stored.outcome !== "rejected") {
      return { index, outcome: stored.outcome, id: stored.id, revision: stored.revision };
    }
    const errors = [...(stored?.errors ?? item.errors)];
    const { code, detail } = invalidRequest(errors);
    return { index, outcome: "rejected", problem: { code, detail, errors } };
  });
}
