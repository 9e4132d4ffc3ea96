import type { FailureKind } from "../batching/provider-failure.js";
import type { Purpose } from "../batching/provider.js";

/** How one provider writes a request and answers it. */
export interface WireFormat {
  /** Path below the base URL. */
  readonly path: string;
  /** The request's JSON for `texts` (at least one): each text once, `,` between two. */
  writeRequest(texts: readonly string[], purpose: Purpose): Record<string, unknown>;
  /**
   * One entry per text in the order of the request, each still unchecked.
   * @throws ProviderFailure `bad_reply` when the reply has another shape.
   */
  readReply(reply: unknown): readonly unknown[];
  /** What this provider means by the body of a refusal (400, 422, 431); undefined where it does not say. */
  readonly readRefusal: (body: unknown) => FailureKind | undefined;
}
