/** One memory as the model knows it; `id` is filled in from the reply that first names it. */
export interface ModelMemory {
  id: string;
  content: string;
  tags: readonly string[];
  externalId: string | null;
  review: "none" | "approved" | "rejected";
  revision: number;
  contentRevision: number;
  /** Has a vector of its content. */
  embedded: boolean;
  deleted: boolean;
  readonly depth: number;
  readonly sources: readonly { readonly memory: ModelMemory; readonly contentRevision: number }[];
}

export interface ModelEvent {
  readonly kind: string;
  readonly memory: ModelMemory;
  readonly revision: number;
}

export interface ModelItem {
  readonly content: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly sources: readonly ModelMemory[];
}

export interface ModelPatch {
  readonly content?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly externalId?: string | null | undefined;
}

/** What a command must be answered: a status, and the memories that the reply names, with the outcome of each. */
export interface Expected {
  readonly status: number;
  readonly named: readonly { readonly memory: ModelMemory; readonly outcome: string; readonly revision: number }[];
}

const REFUSED: readonly never[] = [];
const DEPTH_MAX = 8;

/** One scope with one author, as a list of memories and a list of events. */
export class MemoryModel {
  readonly memories: ModelMemory[] = [];
  readonly events: ModelEvent[] = [];

  /** Undeleted, unrejected, and so are its sources, at the content that it was derived from. */
  isCurrent(memory: ModelMemory): boolean {
    return !memory.deleted && memory.review !== "rejected" && this.sourcesHold(memory);
  }

  current(): ModelMemory[] {
    return this.memories.filter((memory) => this.isCurrent(memory));
  }

  create(items: readonly ModelItem[], returnExisting: boolean, embeds: boolean): Expected {
    const names = items.flatMap(({ externalId }) => externalId ?? []);
    if (new Set(names).size < names.length) return { status: 400, named: REFUSED };
    const replaced = items.map((item) => this.named(item.externalId));
    const sources = items.flatMap((item) => item.sources);
    if (sources.some((source) => !this.isCurrent(source) || source.depth >= DEPTH_MAX || replaced.includes(source))) {
      return { status: 400, named: REFUSED };
    }
    const candidates = this.current().filter((memory) => !replaced.includes(memory));
    const named = items.map((item, index) => {
      const before = replaced[index];
      const key = normalised(item.content);
      const existing = candidates.find((memory) => normalised(memory.content) === key);
      if (returnExisting && before === undefined && existing !== undefined) {
        return { memory: existing, outcome: "existing", revision: existing.revision };
      }
      const memory = before === undefined ? this.add(item, embeds) : this.replace(before, item, embeds);
      if (memory.review !== "rejected") candidates.push(memory);
      return { memory, outcome: before === undefined ? "created" : "updated", revision: memory.revision };
    });
    return { status: items.length === 1 && named[0]?.outcome === "created" ? 201 : 200, named };
  }

  patch(memory: ModelMemory, patch: ModelPatch, embeds: boolean): Expected {
    if (!this.isCurrent(memory)) return { status: 404, named: REFUSED };
    const { content = memory.content, tags = memory.tags, externalId = memory.externalId } = patch;
    const same = content === memory.content && tags.join() === memory.tags.join() && externalId === memory.externalId;
    if (same) return ok(memory);
    const owner = this.named(patch.externalId ?? null);
    if (owner !== undefined && owner !== memory) return { status: 409, named: REFUSED };
    this.revise(memory, { content, tags, externalId }, content === memory.content ? undefined : embeds);
    return ok(memory);
  }

  delete(memories: readonly ModelMemory[]): Expected {
    if (memories.some((memory) => memory.deleted)) return { status: 404, named: REFUSED };
    const inOrder = [...memories].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const memory of inOrder) {
      memory.deleted = true;
      memory.revision += 1;
      this.note("deleted", memory);
    }
    return { status: 200, named: inOrder.map((memory) => ({ memory, outcome: "deleted", revision: memory.revision })) };
  }

  review(memory: ModelMemory, review: ModelMemory["review"]): Expected {
    if (memory.deleted) return { status: 404, named: REFUSED };
    if (memory.review !== review) {
      memory.review = review;
      memory.revision += 1;
      this.note("reviewed", memory);
    }
    return ok(memory);
  }

  /** Every live memory gets its vector, oldest first, found or not. */
  embed(): void {
    for (const memory of this.memories) {
      if (memory.deleted || memory.embedded) continue;
      memory.embedded = true;
      this.note("embedding_attached", memory);
    }
  }

  private sourcesHold(memory: ModelMemory): boolean {
    return memory.sources.every((source) => {
      return source.memory.contentRevision === source.contentRevision && this.isCurrent(source.memory);
    });
  }

  /** The live memory with an external id; names are taken even by what is not found. */
  private named(externalId: string | null): ModelMemory | undefined {
    return externalId === null
      ? undefined
      : this.memories.find((memory) => !memory.deleted && memory.externalId === externalId);
  }

  private add({ content, tags, externalId, sources }: ModelItem, embeds: boolean): ModelMemory {
    const memory: ModelMemory = {
      id: "",
      content,
      tags,
      externalId,
      review: "none",
      revision: 1,
      contentRevision: 1,
      embedded: embeds,
      deleted: false,
      depth: Math.max(0, ...sources.map((source) => source.depth + 1)),
      sources: sources.map((source) => ({ memory: source, contentRevision: source.contentRevision })),
    };
    this.memories.push(memory);
    this.note(sources.length === 0 ? "created" : "derived", memory);
    return memory;
  }

  private replace(memory: ModelMemory, item: ModelItem, embeds: boolean): ModelMemory {
    const { content, tags, externalId } = item;
    if (content === memory.content) memory.embedded ||= embeds;
    this.revise(memory, { content, tags, externalId }, content === memory.content ? undefined : embeds);
    return memory;
  }

  /** `embeds` is undefined where the content stays. */
  private revise(memory: ModelMemory, fields: Omit<ModelItem, "sources">, embeds: boolean | undefined): void {
    Object.assign(memory, fields);
    memory.revision += 1;
    if (embeds !== undefined) {
      memory.contentRevision += 1;
      memory.embedded = embeds;
      if (memory.review === "approved") memory.review = "none";
    }
    this.note("updated", memory);
  }

  private note(kind: string, memory: ModelMemory): void {
    this.events.push({ kind, memory, revision: memory.revision });
  }
}

function ok(memory: ModelMemory): Expected {
  return { status: 200, named: [{ memory, outcome: "ok", revision: memory.revision }] };
}

function normalised(content: string): string {
  return content.normalize("NFC").trim().replaceAll(/\s+/g, " ");
}
