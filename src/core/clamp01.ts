/** `value` limited to [0, 1]; null and NaN count as 0. */
export function clamp01(value: number | null): number {
  if (value === null || Number.isNaN(value)) return 0;
  return Math.min(1, Math.max(0, value));
}
