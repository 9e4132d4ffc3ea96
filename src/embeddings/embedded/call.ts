import type { EmbeddedText } from "../embedder.js";

/** One caller's texts on their way through the worker, settled once. */
export class Call {
  readonly result: Promise<EmbeddedText[]>;
  private readonly embedded: EmbeddedText[];
  private missing: number;
  private over = false;
  private resolve!: (texts: EmbeddedText[]) => void;
  private refuse!: (reason: unknown) => void;

  constructor(readonly texts: readonly string[]) {
    this.embedded = new Array<EmbeddedText>(texts.length);
    this.missing = texts.length;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.refuse = reject;
    });
  }

  /** Nobody waits for it any more. */
  get settled(): boolean {
    return this.over;
  }

  deliver(index: number, text: EmbeddedText): void {
    this.embedded[index] = text;
    this.missing -= 1;
    if (this.missing > 0 || this.over) return;
    this.over = true;
    this.resolve(this.embedded);
  }

  /** Rejects with `reason` as it is: an abort reason may be any value. */
  reject(reason: unknown): void {
    this.over = true;
    this.refuse(reason);
  }
}
