import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bagOfWords } from "./bag-of-words.js";

/** What goes wrong with one request. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string }
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
}

export interface EmbeddingServerOptions {
  /** Dimensions of the model unless the request asks for others; default 64. */
  readonly dimensions?: number;
  /** Longer texts get a 400, as from a model with a small window. */
  readonly maxChars?: number;
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
 * A loopback server with the wire formats of OpenAI (`POST /v1/embeddings`) and Ollama (`POST /api/embed`). Its model
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
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
  const texts = Array.isArray(body.input) ? (body.input as string[]) : [String(body.input)];
  return { path: request.url ?? "", headers: request.headers, body, texts };
}

interface Conditions extends EmbeddingServerOptions {
  readonly fault: Fault | undefined;
}

async function answer(request: ReceivedRequest, response: ServerResponse, conditions: Conditions): Promise<void> {
  const { fault } = conditions;
  const refusal = refusalFor(request, conditions);
  if (fault?.kind === "hang") return;
  if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  if (fault?.kind === "status" && fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
  const status = fault?.kind === "status" ? fault.status : refusal;
  if (status !== undefined) {
    // Real servers quote the request in their errors, which ours must not pass on.
    send(response, status, JSON.stringify({ error: { message: `refused: ${request.texts.join(" ")}` } }));
    return;
  }
  const body = fault?.kind === "not_json" ? "<html>gateway</html>" : writeReply(request, conditions);
  if (fault?.kind === "reset") resetAfterHalf(response, body);
  else send(response, 200, body);
}

function refusalFor(request: ReceivedRequest, { apiKey, maxChars }: EmbeddingServerOptions): number | undefined {
  if (request.path !== "/v1/embeddings" && request.path !== "/api/embed") return 404;
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) return 401;
  const refused = request.texts.some((text) => text === "" || text.length > (maxChars ?? Number.POSITIVE_INFINITY));
  return refused ? 400 : undefined;
}

function writeReply(request: ReceivedRequest, { fault, dimensions = 64 }: Conditions): string {
  const asked = typeof request.body.dimensions === "number" ? request.body.dimensions : dimensions;
  const size = fault?.kind === "dimensions" ? fault.dimensions : asked;
  const texts = fault?.kind === "short_reply" ? request.texts.slice(0, -1) : request.texts;
  const vectors: (number | null)[][] = texts.map((text) => bagOfWords(text, size));
  const [first] = vectors;
  if (fault?.kind === "nan") first?.splice(0, 1, null);
  if (fault?.kind === "infinity") first?.splice(0, 1, 987654321);
  if (fault?.kind === "zero_vector") first?.fill(0);
  const reply = request.path === "/api/embed" ? ollamaReply(request, vectors) : openAiReply(request, vectors, fault);
  return JSON.stringify(reply).replace("987654321", "1e999");
}

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
