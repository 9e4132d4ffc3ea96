/**
 * Nearest-rank percentile.
 *
 * @param {number[]} values
 * @param {number} share 0 to 100
 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((share / 100) * sorted.length) - 1)];
}

/** @param {number[]} values */
export function median(values) {
  return percentile(values, 50);
}
