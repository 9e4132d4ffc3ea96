/** Cosine similarity; NaN when `b` is missing, so that a comparison with it fails. */
export function cosine(a: Float32Array, b: Float32Array | undefined): number {
  if (b?.length !== a.length) return Number.NaN;
  let [dot, normA, normB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const [x = 0, y = 0] = [a[index], b[index]];
    dot += x * y;
    normA += x * x;
    normB += y * y;
  }
  return dot / Math.sqrt(normA * normB);
}
