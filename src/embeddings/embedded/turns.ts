import type { Lane } from "./messages.js";

/** Lets one task run at a time; a waiting query goes before every waiting document. */
export class Turns {
  private readonly waiting: Readonly<Record<Lane, (() => void)[]>> = { query: [], document: [] };
  private taken = false;

  async run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    if (this.taken) {
      await new Promise<void>((resolve) => {
        this.waiting[lane].push(resolve);
      });
    }
    this.taken = true;
    try {
      return await task();
    } finally {
      this.passOn();
    }
  }

  private passOn(): void {
    const next = this.waiting.query.shift() ?? this.waiting.document.shift();
    // Stays taken when there is a next one: whoever comes before it wakes up has to queue.
    if (next === undefined) this.taken = false;
    else next();
  }
}
