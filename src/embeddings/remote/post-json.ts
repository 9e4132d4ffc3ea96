import { type FailureKind, kindOfStatus, ProviderFailure } from "../batching/provider-failure.js";
import type { Endpoint } from "./endpoint.js";
import { parseRetryAfter } from "./retry-after.js";

/** Statuses with which servers refuse a request for what is in it, and may say why. */
const EXPLAINED = new Set([400, 422, 431]);

interface JsonRequest {
  readonly body: string;
  readonly signal: AbortSignal;
  /** What a refusal's body means; undefined where it does not say. */
  readonly readRefusal: (body: unknown) => FailureKind | undefined;
}

/**
 * One POST of JSON, answered by JSON.
 * @throws ProviderFailure for everything that the server or the network does, an abort included.
 */
export async function postJson(endpoint: Endpoint, request: JsonRequest): Promise<unknown> {
  const { provider } = endpoint;
  const { response, text } = await exchange(endpoint, request);
  const reply = parseJson(text);
  if (!response.ok) throw statusFailure(provider, { response, reply, readRefusal: request.readRefusal });
  if (reply === undefined)
    throw new ProviderFailure("bad_reply", `${provider} answered with something that is not JSON`);
  return reply;
}

async function exchange(
  { url, authorization, provider }: Endpoint,
  { body, signal }: JsonRequest,
): Promise<{ response: Response; text: string }> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: authorization === undefined ? headers : { ...headers, authorization },
      body,
      signal,
      // Followed, it would carry the user's texts to a host that nobody configured.
      redirect: "manual",
    });
    // The body is read inside the try: a connection may die in the middle of it.
    return { response, text: await response.text() };
  } catch (error) {
    throw new ProviderFailure("transient", `${provider} could not be reached`, { cause: error });
  }
}

interface Refused {
  readonly response: Response;
  readonly reply: unknown;
  readonly readRefusal: JsonRequest["readRefusal"];
}

/** The server's own words are left out: error bodies often quote the request, which holds the user's text. */
function statusFailure(provider: string, { response, reply, readRefusal }: Refused): ProviderFailure {
  const { status } = response;
  const said = EXPLAINED.has(status) ? readRefusal(reply) : undefined;
  const hint = (said === undefined ? undefined : SAID_HINTS[said]) ?? STATUS_HINTS[status];
  const message = `${provider} answered ${String(status)}${hint === undefined ? "" : ` (${hint})`}`;
  return new ProviderFailure(said ?? kindOfStatus(status), message, {
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), Date.now()),
  });
}

const SAID_HINTS: Readonly<Partial<Record<FailureKind, string>>> = {
  too_many_items: "too many texts in one request",
  context_too_long: "a text is longer than the model takes",
  denied: "the model or the dimensions are not accepted",
};

/** What most often is behind a final refusal. */
const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: "the request was refused: a text may be longer than the model takes, or the model or dimensions be wrong",
  401: "the API key is missing or wrong",
  403: "the API key may not use this model",
  404: "the base URL or the model is unknown to the server",
  413: "the request is too large",
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
