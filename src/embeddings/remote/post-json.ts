import type { Endpoint } from "./endpoint.js";
import { isTransientStatus, parseRetryAfter, RemoteFailure } from "./remote-failure.js";

/**
 * One POST of JSON, answered by JSON, within `endpoint.timeoutMs`.
 * @throws RemoteFailure for everything that the server or the network does; the signal's reason when aborted.
 */
export async function postJson(endpoint: Endpoint, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs);
  try {
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: headersOf(endpoint),
      body: JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      // A redirect would carry the user's texts to a host that nobody configured.
      redirect: "error",
    });
    // The body is read inside the try: a connection may die, or the time run out, in the middle of it.
    const text = await response.text();
    if (!response.ok) throw statusFailure(endpoint.provider, response);
    return parseReply(endpoint.provider, text);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RemoteFailure) throw error;
    const what = timeout.aborted ? `did not answer within ${String(endpoint.timeoutMs)} ms` : "could not be reached";
    throw new RemoteFailure(`${endpoint.provider} ${what}`, { transient: true, cause: error });
  }
}

function headersOf({ authorization }: Endpoint): Record<string, string> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return authorization === undefined ? headers : { ...headers, authorization };
}

/** The server's own words are left out: error bodies often quote the request, which holds the user's text. */
function statusFailure(provider: string, response: Response): RemoteFailure {
  const hint = STATUS_HINTS[response.status];
  return new RemoteFailure(`${provider} answered ${String(response.status)}${hint === undefined ? "" : ` (${hint})`}`, {
    transient: isTransientStatus(response.status),
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), Date.now()),
  });
}

/** What most often is behind a final refusal. */
const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: "the request was refused: a text may be longer than the model takes, or the model or dimensions be wrong",
  401: "the API key is missing or wrong",
  403: "the API key may not use this model",
  404: "the base URL or the model is unknown to the server",
};

function parseReply(provider: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RemoteFailure(`${provider} answered with something that is not JSON`, { transient: false });
  }
}
