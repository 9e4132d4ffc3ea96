import { TOKENIZER } from "../core/count-tokens.js";
import type { SearchResult } from "../services/index.js";
import type { contextFields } from "./schemas/context.js";
import type { z } from "./zod.js";

type ContextReply = z.output<z.ZodObject<typeof contextFields>>;

/** The wire form of the context of a search: structured, as a text for a prompt, and as a list of what it cites. */
export function presentContext({ entries, injectionText, ...usage }: SearchResult["context"]): ContextReply {
  return {
    context: entries.map(({ citation, memory, tokens }) => ({
      citation,
      id: memory.id,
      revision: memory.revision,
      event_at: memory.eventAt.toISOString(),
      source_site: memory.sourceSite,
      content: memory.content,
      tokens,
    })),
    injection_text: injectionText,
    citations: entries.map(({ citation, memory }) => ({
      citation,
      id: memory.id,
      revision: memory.revision,
      event_at: memory.eventAt.toISOString(),
      source_site: memory.sourceSite,
      source_url: memory.sourceUrl,
      namespace: memory.namespace,
    })),
    context_usage: {
      tokenizer: TOKENIZER,
      token_budget: usage.tokenBudget,
      tokens: usage.tokens,
      omitted: [...usage.omitted],
    },
  };
}
