import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const FOLDER = path.join(tmpdir(), "memgate-bench-vectors");

/**
 * Unit vectors of texts, in order, from the disk where the same texts have been embedded by the same space before.
 *
 * @param {import("../../src/embeddings/embedder.ts").Embedder} embedder
 * @param {readonly string[]} texts
 * @param {"document" | "query"} kind
 * @returns {Promise<Float32Array[]>}
 */
export async function cachedVectors(embedder, texts, kind) {
  const key = createHash("sha256")
    .update(JSON.stringify([embedder.space, kind, texts]))
    .digest("hex");
  const file = path.join(FOLDER, `${key}.f32`);
  if (!existsSync(file)) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(
      file,
      Buffer.concat((await embed(embedder, texts, kind)).map((vector) => Buffer.from(vector.buffer))),
    );
  }
  const bytes = readFileSync(file);
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const { dimensions } = embedder.space;
  return texts.map((_, index) => all.subarray(index * dimensions, (index + 1) * dimensions));
}

async function embed(embedder, texts, kind) {
  const vectors = [];
  for (let at = 0; at < texts.length; at += embedder.batchSize) {
    const some = texts.slice(at, at + embedder.batchSize);
    if (kind === "query") for (const text of some) vectors.push(await embedder.embedQuery(text));
    else vectors.push(...(await embedder.embedDocuments(some)).map(({ vector }) => vector));
  }
  return vectors.map(toUnit);
}

function toUnit(vector) {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
