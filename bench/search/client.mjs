import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Posts JSON over a kept connection; resolves with status and parsed body. */
export function post(url, body) {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(parts).toString("utf8")) }),
      );
    });
    sent.on("error", (error) => {
      // The server may close a connection that was idle at the moment at which it is used again.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(post(url, body));
      else reject(error);
    });
    sent.end(text);
  });
}

const BATCH = 500;

/** Stores the first `size` memories of the corpus for a user of their own, as a caller would. */
export async function fill(url, size, memoryOf) {
  for (let start = 0; start < size; start += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, size - start) }, (_, index) => memoryOf(start + index));
    const { status, body } = await post(`${url}/v1/memories/batch`, { user_id: userOf(size), memories });
    if (status !== 200) throw new Error(`a batch answered ${status}: ${JSON.stringify(body)}`);
  }
}

export function userOf(size) {
  return `bench-${size}`;
}
