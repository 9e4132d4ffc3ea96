/** Scales `vector` to length 1 in place and returns it; a zero vector stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  let sumOfSquares = 0;
  for (const component of vector) sumOfSquares += component * component;
  const norm = Math.sqrt(sumOfSquares);
  if (norm > 0) for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) / norm;
  return vector;
}

export interface Weighted {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** The weighted mean of vectors of one length, scaled to length 1. A single vector is returned as it is. */
export function weightedMean(parts: readonly Weighted[]): Float32Array {
  const [first] = parts;
  if (first === undefined) throw new Error("there is no mean of no vectors");
  if (parts.length === 1) return first.vector;
  const mean = new Float32Array(first.vector.length);
  for (const { vector, weight } of parts) {
    for (let index = 0; index < mean.length; index++) mean[index] = (mean[index] ?? 0) + weight * (vector[index] ?? 0);
  }
  return normalise(mean);
}

/** The batch's hidden states, row-major `[texts, sequence, dimensions]`. */
export interface HiddenStates {
  readonly values: Float32Array;
  readonly sequence: number;
  readonly dimensions: number;
}

/** Mean over the first `tokens` positions of text `row`, scaled to length 1 (how the model was trained to be read). */
export function meanOfTokens(hidden: HiddenStates, row: number, tokens: number): Float32Array {
  const { values, sequence, dimensions } = hidden;
  const sum = new Float64Array(dimensions);
  for (let position = 0; position < tokens; position++) {
    const start = (row * sequence + position) * dimensions;
    for (let index = 0; index < dimensions; index++) sum[index] = (sum[index] ?? 0) + (values[start + index] ?? 0);
  }
  return normalise(Float32Array.from(sum, (each) => each / tokens));
}
