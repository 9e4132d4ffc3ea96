/** How one provider writes a request and answers it. */
export interface WireFormat {
  /** Path below the base URL. */
  readonly path: string;
  /** The request's JSON for `texts` (at least one). */
  writeRequest(texts: readonly string[]): Record<string, unknown>;
  /**
   * One entry per text in the order of the request, each still unchecked.
   * @throws `embedding_unavailable` when the reply has another shape.
   */
  readReply(reply: unknown): readonly unknown[];
}

/** `value[key]` of any JSON value; undefined when there is none. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[key];
}
