import { ProviderFailure } from "./provider-failure.js";

/** pgvector computes cosine in float32, which overflows or underflows outside these norms. */
const SMALLEST_NORM = 1e-15;
const LARGEST_NORM = 1e15;

interface Expected {
  readonly provider: string;
  readonly count: number;
  /** Undefined while the dimension is being probed: then only that all agree is checked. */
  readonly dimensions: number | undefined;
}

/**
 * Turns a provider's reply into vectors that can be stored: as many as asked for, each of `dimensions` finite
 * numbers and of a norm within 1e-15 to 1e15.
 * @throws ProviderFailure `bad_reply` naming what is wrong; one bad vector fails the whole reply.
 */
export function checkVectors(reply: readonly unknown[], expected: Expected): Float32Array[] {
  const { provider, count } = expected;
  if (reply.length !== count) {
    throw badReply(`${provider} returned ${String(reply.length)} vectors for ${String(count)} texts`);
  }
  const vectors = reply.map((each, index) => toVector(each, `vector ${String(index)} of ${provider}`));
  const dimensions = expected.dimensions ?? vectors[0]?.length ?? 0;
  for (const vector of vectors) {
    if (vector.length === dimensions) continue;
    throw badReply(`${provider} returned ${String(vector.length)} dimensions instead of ${String(dimensions)}`);
  }
  return vectors;
}

function toVector(value: unknown, name: string): Float32Array {
  if (!Array.isArray(value) && !isFloat32Array(value)) throw badReply(`${name} is not an array`);
  let sumOfSquares = 0;
  for (const component of value as Iterable<unknown>) {
    if (typeof component !== "number" || !Number.isFinite(component)) {
      throw badReply(`${name} holds something that is not a finite number`);
    }
    sumOfSquares += component * component;
  }
  const norm = Math.sqrt(sumOfSquares);
  if (!(norm >= SMALLEST_NORM && norm <= LARGEST_NORM)) {
    throw badReply(`${name} has the unusable norm ${String(norm)}`);
  }
  return isFloat32Array(value) ? value : new Float32Array(value as number[]);
}

function isFloat32Array(value: unknown): value is Float32Array {
  return Object.prototype.toString.call(value) === "[object Float32Array]";
}

function badReply(what: string): ProviderFailure {
  return new ProviderFailure("bad_reply", what);
}
