import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bagOfWords } from "./bag-of-words.js";

/** What goes wrong with one request. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string; readonly body?: unknown }
  /** Answers as usual, but only after a while. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Never answers. */
  | { readonly kind: "hang" }
  /** Leaves out the last vector. */
  | { readonly kind: "short_reply" }
  /** The first number of the first vector is null, which is how JSON writers spell NaN. */
  | { readonly kind: "nan" }
  /** The first number of the first vector is 1e999, which JSON.parse reads as Infinity. */
  | { readonly kind: "infinity" }
  | { readonly kind: "zero_vector" }
  /** Entries in reverse order, each with its right `index` (OpenAI only). */
  | { readonly kind: "reordered" }
  /** Every entry says `index: 0` (OpenAI only). */
  | { readonly kind: "repeated_index" }
  | { readonly kind: "dimensions"; readonly dimensions: number }
  | { readonly kind: "not_json" }
  /** Half a body, then the connection is reset. */
  | { readonly kind: "reset" };

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly texts: readonly string[];
  /** Of the body as it came. */
  readonly bytes: number;
}

export interface EmbeddingServerOptions {
  /** Dimensions of the model unless the request asks for others; default 64. */
  readonly dimensions?: number;
  /** Longer texts get a 400, as from a model with a small window. */
  readonly maxChars?: number;
  /** Requests with more texts are refused like this. */
  readonly maxItems?: { readonly count: number; readonly status: number; readonly body: unknown };
  /** Larger bodies get a 413. */
  readonly maxBytes?: number;
  /** When set, other bearer tokens get a 401. */
  readonly apiKey?: string;
}

export interface EmbeddingServer {
  /** Base URL for `ollama`. */
  readonly url: string;
  /** Base URL for `openai`. */
  readonly openAiUrl: string;
  /** Every request so far, the failed ones included. */
  readonly requests: ReceivedRequest[];
  /** The next requests meet these faults, one each; requests after them are answered as usual. */
  fail(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

/**
 * A loopback server with the wire formats of OpenAI and Voyage (`POST /v1/embeddings`) and Ollama (`POST /api/embed`). Its model
 * counts hashed words: the same text always has the same vector, and texts that share words are near each other.
 */
export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  const requests: ReceivedRequest[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    void receive(request).then((received) => {
      requests.push(received);
      return answer(received, response, { ...options, fault: faults.shift() });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    openAiUrl: `${url}/v1`,
    requests,
    fail: (...next) => void faults.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const body = JSON.parse(raw.toString("utf8")) as Record<string, unknown>;
  const texts = Array.isArray(body.input) ? (body.input as string[]) : [String(body.input)];
  return { path: request.url ?? "", headers: request.headers, body, texts, bytes: raw.length };
}

interface Conditions extends EmbeddingServerOptions {
  readonly fault: Fault | undefined;
}

async function answer(request: ReceivedRequest, response: ServerResponse, conditions: Conditions): Promise<void> {
  const { fault } = conditions;
  if (fault?.kind === "hang") return;
  if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const refusal = fault?.kind === "status" ? fault : refusalFor(request, conditions);
  if (refusal !== undefined) refuse(request, response, refusal);
  else if (fault?.kind === "not_json") send(response, 200, "<html>gateway</html>");
  else if (fault?.kind === "reset") resetAfterHalf(response, writeReply(request, conditions));
  else send(response, 200, writeReply(request, conditions));
}

interface Refusal {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body?: unknown;
}

/** Real servers quote the request in their errors, which ours must not pass on. */
function refuse(request: ReceivedRequest, response: ServerResponse, refusal: Refusal): void {
  const { status, retryAfter, body = { error: { message: `refused: ${request.texts.join(" ")}` } } } = refusal;
  if (status >= 300 && status < 400) response.setHeader("location", "/v1/elsewhere");
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  send(response, status, JSON.stringify(body));
}

function refusalFor(request: ReceivedRequest, options: EmbeddingServerOptions): Refusal | undefined {
  const { apiKey, maxItems, maxBytes = Number.POSITIVE_INFINITY, maxChars = Number.POSITIVE_INFINITY } = options;
  if (request.path !== "/v1/embeddings" && request.path !== "/api/embed") return { status: 404 };
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) return { status: 401 };
  if (request.bytes > maxBytes) return { status: 413 };
  if (maxItems !== undefined && request.texts.length > maxItems.count) return maxItems;
  return request.texts.some((text) => text === "" || text.length > maxChars) ? { status: 400 } : undefined;
}

function writeReply(request: ReceivedRequest, { fault, dimensions = 64 }: Conditions): string {
  const given = request.body.dimensions ?? request.body.output_dimension;
  const asked = typeof given === "number" ? given : dimensions;
  const size = fault?.kind === "dimensions" ? fault.dimensions : asked;
  const vectors = request.texts.map((text): Vector => bagOfWords(text, size));
  if (fault !== undefined) DAMAGE[fault.kind]?.(vectors);
  const reply = request.path === "/api/embed" ? ollamaReply(request, vectors) : openAiReply(request, vectors, fault);
  return JSON.stringify(reply).replace(String(STANDS_FOR_INFINITY), "1e999");
}

type Vector = (number | null)[];

/** JSON.stringify cannot write 1e999. */
const STANDS_FOR_INFINITY = 987_654_321;

/** What each fault of the contents does to the vectors. */
const DAMAGE: Readonly<Partial<Record<Fault["kind"], (vectors: Vector[]) => void>>> = {
  short_reply: (vectors) => vectors.pop(),
  nan: ([first]) => first?.splice(0, 1, null),
  infinity: ([first]) => first?.splice(0, 1, STANDS_FOR_INFINITY),
  zero_vector: ([first]) => first?.fill(0),
};

function openAiReply(request: ReceivedRequest, vectors: unknown[], fault: Fault | undefined): object {
  const data = vectors.map((embedding, index) => {
    return { object: "embedding", index: fault?.kind === "repeated_index" ? 0 : index, embedding };
  });
  if (fault?.kind === "reordered") data.reverse();
  return { object: "list", data, model: request.body.model, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

function ollamaReply(request: ReceivedRequest, embeddings: unknown[]): object {
  return { model: request.body.model, embeddings, total_duration: 1, load_duration: 1, prompt_eval_count: 1 };
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function resetAfterHalf(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
  response.write(body.slice(0, body.length / 2), () => response.socket?.resetAndDestroy());
}
