import { describe, expect, it } from "@jest/globals";
import type { Lane } from "../../../src/embeddings/embedded/messages.js";
import { Turns } from "../../../src/embeddings/embedded/turns.js";

describe("Turns", () => {
  it("lets queries go first, each lane in order, one task at a time", async () => {
    const turns = new Turns();
    const log: string[] = [];
    let running = 0;
    const task = (lane: Lane, name: string): Promise<void> =>
      turns.run(lane, async () => {
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        log.push(name);
        running -= 1;
      });
    await Promise.all([task("document", "d1"), task("document", "d2"), task("query", "q1"), task("query", "q2")]);
    expect(log).toEqual(["d1", "q1", "q2", "d2"]);
  });

  it("goes on after a task that fails", async () => {
    const turns = new Turns();
    const failing = turns.run("query", () => Promise.reject(new Error("no")));
    const next = turns.run("query", () => Promise.resolve("yes"));
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });
});
