/** Whether a text is to be found, or is what is looked for: some models write the two differently. */
export type Purpose = "document" | "query";

export interface SendContext {
  readonly purpose: Purpose;
  /** Aborts when the answer is no longer wanted: out of time, or given up by the caller. */
  readonly signal: AbortSignal;
}

/** What a provider answered, still unchecked. */
export interface ProviderReply {
  /** One entry per text, in the order of the request. */
  readonly vectors: readonly unknown[];
  /** Set by a provider that cuts texts by itself: whether each vector leaves some of its text out. */
  readonly truncated?: readonly boolean[];
}

/** Exact sizes in bytes of what a provider sends; their sum is the size of the request. */
export interface RequestSize {
  /** Everything of a request for `count` texts (at least one) that is not a text. */
  overhead(count: number): number;
  text(text: string): number;
}

/** One endpoint of one model, as the pipeline sees it. */
export interface EmbeddingEndpoint {
  readonly name: string;
  readonly model: string;
  /** Texts that one request may hold at most. */
  readonly maxItems: number;
  /** UTF-16 units of a text unless the caller says otherwise; undefined where the provider cuts by itself. */
  readonly maxChars: number | undefined;
  /** What is written before every text, by purpose. */
  readonly prefixes: Readonly<Record<Purpose, string>>;
  sizeOf(purpose: Purpose): RequestSize;
  /**
   * One request, without retries.
   * @throws ProviderFailure
   */
  send(texts: readonly string[], context: SendContext): Promise<ProviderReply>;
}

/** A provider that somebody brings: a function, and what is known of it. Its runs have no receipt. */
export interface CustomEmbeddingProvider {
  readonly name?: string;
  readonly model?: string;
  /** Default: as many as `batchSize` allows. */
  readonly maxItems?: number;
  /** Default: texts are not cut. */
  readonly maxChars?: number;
  readonly prefixes?: Readonly<Record<Purpose, string>>;
  /**
   * One vector per text, in order. It is retried after a `ProviderFailure` or an error with a numeric `status` or a
   * network `code` that may pass; any other error is final.
   */
  embed(texts: readonly string[], context: SendContext): Promise<readonly (Float32Array | readonly number[])[]>;
}

export type EmbeddingProvider = EmbeddingEndpoint | CustomEmbeddingProvider;
