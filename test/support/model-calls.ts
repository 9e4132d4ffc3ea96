import type { Call } from "./local-api.js";
import type { Expected, MemoryModel, ModelItem, ModelMemory } from "./memory-model.js";
import type { Command } from "./model-commands.js";

/** A command that is one call. */
export type Write = Exclude<Command, { type: "embed" | "resend" }>;

const REVIEWS = { approve: "approved", reject: "rejected", reset: "none" } as const;

/** A command as a call on what the model knows. */
export function toCall(command: Write, fields: Readonly<Record<string, string>>, model: MemoryModel): Call {
  switch (command.type) {
    case "create":
    case "batch": {
      const items = command.items.map((choice) => {
        const { content, tags, externalId, sources } = toItem(choice, model);
        return { content, tags, external_id: externalId, source_memory_ids: sources.map((source) => source.id) };
      });
      const on_duplicate = command.returnExisting ? "return_existing" : "keep";
      if (command.type === "batch") {
        return { method: "POST", path: "/v1/memories/batch", body: { ...fields, memories: items, on_duplicate } };
      }
      return { method: "POST", path: "/v1/memories", body: { ...fields, ...items[0], on_duplicate } };
    }
    case "patch": {
      const { content, tags, externalId } = command;
      const target = at(model, command.target);
      const external_id = target.sources.length > 0 ? undefined : externalId;
      return { method: "PATCH", path: `/v1/memories/${target.id}`, body: { ...fields, content, tags, external_id } };
    }
    case "delete":
      return { method: "DELETE", path: `/v1/memories/${at(model, command.target).id}`, query: fields };
    case "delete_by_tag":
      return { method: "POST", path: "/v1/memories/delete", body: { ...fields, filter: { tags_any: [command.tag] } } };
    case "review": {
      const path = `/v1/memories/${at(model, command.target).id}/review`;
      return { method: "POST", path, body: { ...fields, action: command.action } };
    }
  }
}

/** Does a command in the model; what the API must answer. */
export function tell(command: Write, model: MemoryModel): Expected {
  switch (command.type) {
    case "create":
    case "batch": {
      const items = command.items.map((choice) => toItem(choice, model));
      const expected = model.create(items, command.returnExisting, !command.embedderDown);
      return command.type === "batch" && expected.status < 300 ? { ...expected, status: 200 } : expected;
    }
    case "patch": {
      const target = at(model, command.target);
      const patch = target.sources.length > 0 ? { ...command, externalId: undefined } : command;
      return model.patch(target, patch, !command.embedderDown);
    }
    case "delete":
      return model.delete([at(model, command.target)]);
    case "delete_by_tag":
      return model.delete(model.current().filter((memory) => memory.tags.includes(command.tag)));
    case "review":
      return model.review(at(model, command.target), REVIEWS[command.action]);
  }
}

/** Refused before its key is looked at. */
export function repeatsExternalId(command: Write): boolean {
  const names = "items" in command ? command.items.flatMap(({ externalId }) => externalId ?? []) : [];
  return new Set(names).size < names.length;
}

function toItem(
  choice: { readonly sources: readonly number[] } & Omit<ModelItem, "sources">,
  model: MemoryModel,
): ModelItem {
  return { ...choice, sources: [...new Set(choice.sources.map((target) => at(model, target)))] };
}

function at(model: MemoryModel, target: number): ModelMemory {
  return model.memories[target % model.memories.length]!;
}
