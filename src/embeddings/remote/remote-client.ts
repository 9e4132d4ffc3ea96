import { embeddingUnavailable } from "../../core/errors.js";
import { checkVectors } from "../check-vectors.js";
import type { Endpoint } from "./endpoint.js";
import { postJson } from "./post-json.js";
import { RemoteFailure } from "./remote-failure.js";
import { retrying } from "./retrying.js";
import type { WireFormat } from "./wire-format.js";

interface RequestOptions {
  /** Dimensions that every vector must have; undefined while probing. */
  readonly dimensions: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends single requests to one remote model. */
export class RemoteClient {
  constructor(
    readonly endpoint: Endpoint,
    private readonly format: WireFormat,
  ) {}

  /**
   * One request for `texts` (at least one, none blank), with retries: one checked vector per text, in order.
   * @throws `embedding_unavailable` naming provider and status; the signal's reason when aborted.
   */
  async request(texts: readonly string[], options: RequestOptions): Promise<Float32Array[]> {
    const { dimensions, signal } = options;
    const body = this.format.writeRequest(texts);
    try {
      const reply = await retrying(() => postJson(this.endpoint, body, signal), signal);
      const expected = { provider: this.endpoint.provider, count: texts.length, dimensions };
      return checkVectors(this.format.readReply(reply), expected);
    } catch (error) {
      throw error instanceof RemoteFailure ? embeddingUnavailable(error.message, error) : error;
    }
  }
}
