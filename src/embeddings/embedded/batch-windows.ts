import type { Window } from "./plan-text.js";

/** A window and where its vector belongs. */
export interface PlacedWindow {
  readonly window: Window;
  readonly position: number;
}

/**
 * Groups windows of like length, so that little is spent on padding: in each group the longest window times the
 * number of windows is at most `batchTokens`, or the group is a single window.
 */
export function batchWindows(windows: readonly Window[], batchTokens: number): PlacedWindow[][] {
  const byLength = windows
    .map((window, position) => ({ window, position }))
    .sort((a, b) => a.window.ids.length - b.window.ids.length);
  const batches: PlacedWindow[][] = [];
  for (const placed of byLength) {
    const last = batches.at(-1);
    if (last !== undefined && (last.length + 1) * placed.window.ids.length <= batchTokens) last.push(placed);
    else batches.push([placed]);
  }
  return batches;
}
