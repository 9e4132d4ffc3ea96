import { checkVectors } from "./check-vectors.js";
import { asProviderFailure, ProviderFailure } from "./provider-failure.js";
import type { EmbeddingEndpoint, Purpose } from "./provider.js";

export interface RequestRules {
  readonly purpose: Purpose;
  /** Undefined: whatever the provider returns, all alike. */
  readonly dimensions: number | undefined;
  /** null: no limit. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal;
}

export interface ReceivedVector {
  readonly vector: Float32Array;
  /** The provider left some of the text out. */
  readonly cut: boolean;
}

/**
 * One request within `timeoutMs`, also where the provider does not heed its signal, and its reply checked.
 * @throws ProviderFailure, or the signal's reason when aborted.
 */
export async function sendRequest(
  endpoint: EmbeddingEndpoint,
  texts: readonly string[],
  rules: RequestRules,
): Promise<ReceivedVector[]> {
  const { purpose, timeoutMs, signal, dimensions } = rules;
  // Not AbortSignal.any: signals derived from one that lives as long as the process pile up on it.
  const request = new AbortController();
  const late = new ProviderFailure("timeout", `${endpoint.name} did not answer within ${String(timeoutMs)} ms`);
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(
          abortWith(request, () => late),
          timeoutMs,
        );
  const forward = abortWith(request, () => signal.reason as unknown);
  signal.addEventListener("abort", forward, { once: true });
  try {
    signal.throwIfAborted();
    const { vectors, truncated } = await untilAborted(
      endpoint.send(texts, { purpose, signal: request.signal }),
      request.signal,
    );
    const checked = checkVectors(vectors, { provider: endpoint.name, count: texts.length, dimensions });
    return checked.map((vector, index) => ({ vector, cut: truncated?.[index] ?? false }));
  } catch (error) {
    signal.throwIfAborted();
    throw request.signal.aborted ? late : asProviderFailure(error, endpoint.name);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", forward);
  }
}

function abortWith(controller: AbortController, reason: () => unknown): () => void {
  return () => {
    controller.abort(reason());
  };
}

/** The promise, or a rejection as soon as the signal aborts. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    signal.addEventListener(
      "abort",
      () => {
        reject(new Error("aborted"));
      },
      { once: true },
    );
    promise.then(resolve, reject);
  });
}
