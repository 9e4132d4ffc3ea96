import { createServer } from "node:http";
import { seededRandom } from "../ranking/seeded-random.mjs";
import { weight } from "./corpus.mjs";

export const DIMENSIONS = 384;
export const MODEL = "bench-bag-of-words";

/**
 * A provider that answers as OpenAI's does, with the same vector for the same text: the weighted sum of a fixed random
 * vector for each word. It takes well below a millisecond, so what is measured is the search.
 */
export async function startEmbeddingServer() {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => {
      const data = [JSON.parse(body).input].flat().map((text, index) => ({ index, embedding: embed(text) }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

const known = new Map();

function embed(text) {
  const sum = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    const [vector, share] = [vectorOf(word), weight(word)];
    for (let index = 0; index < DIMENSIONS; index++) sum[index] += share * vector[index];
  }
  const norm = Math.hypot(...sum) || 1;
  return sum.map((value) => Math.round((value / norm) * 1e5) / 1e5);
}

function vectorOf(word) {
  let vector = known.get(word);
  if (vector === undefined) {
    const random = seededRandom([...word].reduce((seed, letter) => Math.imul(seed, 31) + letter.charCodeAt(0), 7));
    vector = Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
    known.set(word, vector);
  }
  return vector;
}
