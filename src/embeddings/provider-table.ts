export type ProviderName = "embedded" | "openai" | "ollama" | "voyage";
export type RemoteProvider = Exclude<ProviderName, "embedded">;

interface ProviderFacts {
  readonly model: string;
  readonly baseUrl: string | undefined;
  /** Texts in one request at most, whatever `EMBEDDING_BATCH_SIZE` says. */
  readonly maxItems: number;
  /** UTF-16 units of a text beyond which it is cut, unless `EMBEDDING_MAX_CHARS` says otherwise. */
  readonly maxChars: number | undefined;
}

/** `EMBEDDING_BATCH_SIZE` at most; the cap of those that document none. */
export const BATCH_SIZE_MAX = 2048;

/**
 * Defaults and caps per provider; `docs/embedding.md` has the same table. `maxChars` keeps a text below the model's
 * window, so that the cut is ours and flagged instead of the server's. The densest common text has about one token per
 * UTF-16 unit (CJK, emoji) and English one per four:
 * - openai: 2,048 inputs; the text-embedding-3 models take 8,192 tokens, 8,000 units fit even at one token each.
 * - ollama: servers often run a model with a window of 2,048 tokens; 3,200 units fit at 1.6 units per token, and a
 *   denser text is refused by the server (`truncate: false`) rather than cut in silence.
 * - voyage: 1,000 inputs and 32,000 tokens a text (docs.voyageai.com/docs/embeddings), of which its own prompt takes some.
 */
export const PROVIDERS = {
  embedded: { model: "all-MiniLM-L6-v2", baseUrl: undefined, maxItems: BATCH_SIZE_MAX, maxChars: undefined },
  openai: {
    model: "text-embedding-3-small",
    baseUrl: "https://api.openai.com/v1",
    maxItems: BATCH_SIZE_MAX,
    maxChars: 8000,
  },
  ollama: { model: "nomic-embed-text", baseUrl: "http://127.0.0.1:11434", maxItems: BATCH_SIZE_MAX, maxChars: 3200 },
  voyage: { model: "voyage-4", baseUrl: "https://api.voyageai.com/v1", maxItems: 1000, maxChars: 30_000 },
} as const satisfies Record<ProviderName, ProviderFacts>;

/** Services that speak the OpenAI protocol but take fewer texts at once and refuse more with a code that says nothing. */
export const HOST_MAX_ITEMS: Readonly<Record<string, number>> = {
  "dashscope.aliyuncs.com": 10,
  "dashscope-intl.aliyuncs.com": 10,
  "api.siliconflow.cn": 32,
  "api.siliconflow.com": 32,
  "generativelanguage.googleapis.com": 100,
};

/** Texts that one request to this address of a provider may hold. */
export function maxItemsAt(provider: RemoteProvider, url: string): number {
  const host = new URL(url).hostname;
  const own = Object.hasOwn(HOST_MAX_ITEMS, host) ? HOST_MAX_ITEMS[host] : undefined;
  return Math.min(PROVIDERS[provider].maxItems, own ?? Number.POSITIVE_INFINITY);
}
