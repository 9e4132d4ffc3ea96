import { describe, expect, it } from "@jest/globals";
import { batchWindows } from "../../../src/embeddings/embedded/batch-windows.js";

const windowsOf = (...lengths: number[]): { text: string; ids: number[] }[] =>
  lengths.map((length) => ({ text: "", ids: new Array<number>(length).fill(0) }));

const positions = (windows: { text: string; ids: number[] }[], batchTokens: number): number[][] =>
  batchWindows(windows, batchTokens).map((batch) => batch.map((placed) => placed.position));

describe("batchWindows", () => {
  it("puts windows of like length together", () => {
    expect(positions(windowsOf(10, 90, 11, 100), 200)).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it("counts the padding", () => {
    expect(positions(windowsOf(10, 60, 70), 140)).toEqual([[0, 1], [2]]);
  });

  it("gives a window that is too long for a batch one of its own", () => {
    expect(positions(windowsOf(256, 3), 0)).toEqual([[1], [0]]);
  });
});
