import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "@jest/globals";
import { spool } from "../../src/services/spool.js";

async function* chunks(count: number, fault?: Error): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield await Promise.resolve(`ü${String(index)}\n`);
  if (fault !== undefined) throw fault;
}

async function named(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith("memgate-0"));
}

describe("a spool", () => {
  it("gives what was written, with its length in bytes, and its file has no name", async () => {
    const { bytes, stream } = await spool(chunks(3));
    expect(await named()).toEqual([]);
    expect([bytes, await text(stream)]).toEqual([12, "ü0\nü1\nü2\n"]);
  });

  it("leaves nothing where the producer fails, and rejects with its error", async () => {
    await expect(spool(chunks(2, new Error("broken")))).rejects.toThrow("broken");
    expect(await named()).toEqual([]);
  });
});
