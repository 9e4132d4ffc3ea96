interface RemoteDefaults {
  readonly model: string;
  readonly baseUrl: string;
  readonly maxChars: number;
}

/**
 * Defaults per remote provider. `maxChars` keeps a text below the model's window, so that the cut is ours and flagged
 * instead of the server's. The densest common text has about one token per UTF-16 unit (CJK, emoji) and English one
 * per four:
 * - openai: the text-embedding-3 models take 8,192 tokens; 8,000 units fit even at one token each.
 * - ollama: servers often run a model with a window of 2,048 tokens; 3,200 units fit at 1.6 units per token, and a
 *   denser text is refused by the server (`truncate: false`) rather than cut in silence.
 */
export const PROVIDER_DEFAULTS = {
  openai: { model: "text-embedding-3-small", baseUrl: "https://api.openai.com/v1", maxChars: 8000 },
  ollama: { model: "nomic-embed-text", baseUrl: "http://127.0.0.1:11434", maxChars: 3200 },
} as const satisfies Record<string, RemoteDefaults>;
