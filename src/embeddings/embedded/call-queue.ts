import type { Call } from "./call.js";

/** Texts of one slice at most: few enough to be dropped without much loss when their caller gives up. */
const SLICE_TEXTS = 16;
/** UTF-16 units of one slice at most, unless a single text has more; about 16 windows of the model. */
const SLICE_CHARS = 16_000;

export interface QueuedText {
  readonly call: Call;
  /** Position in `call.texts`. */
  readonly index: number;
  readonly text: string;
}

/** Calls in the order in which they came, handed out in slices. */
export class CallQueue {
  private readonly calls: Call[] = [];
  /** Next text of the first call. */
  private position = 0;

  add(call: Call): void {
    this.calls.push(call);
  }

  /** Empties the queue. */
  clear(): void {
    this.calls.length = 0;
    this.position = 0;
  }

  /** Takes the next texts, of one call or several; none when nothing is queued. Settled calls are skipped. */
  takeSlice(): QueuedText[] {
    const slice: QueuedText[] = [];
    let chars = 0;
    for (let next = this.peek(); next !== undefined; next = this.peek()) {
      chars += next.text.length;
      if (slice.length === SLICE_TEXTS || (slice.length > 0 && chars > SLICE_CHARS)) break;
      slice.push(next);
      this.position += 1;
    }
    return slice;
  }

  private peek(): QueuedText | undefined {
    for (let call = this.calls[0]; call !== undefined; call = this.calls[0]) {
      const text = call.texts[this.position];
      if (text !== undefined && !call.settled) return { call, index: this.position, text };
      this.calls.shift();
      this.position = 0;
    }
    return undefined;
  }
}
