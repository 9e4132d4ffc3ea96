import { halfToFloat } from "./half-float.js";

export interface Tensor {
  readonly shape: readonly number[];
  /** Row-major values. */
  readonly values: Float32Array;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

const HEADER_LENGTH_BYTES = 8;

/**
 * Reads tensors by name out of a safetensors file: the header's length as uint64 (little endian), a JSON header with
 * offsets, then the data (https://github.com/huggingface/safetensors#format).
 */
export class Safetensors {
  private readonly entries: Readonly<Record<string, Entry | undefined>>;
  private readonly dataStart: number;

  constructor(private readonly file: Uint8Array) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    this.dataStart = HEADER_LENGTH_BYTES + Number(view.getBigUint64(0, true));
    const header = new TextDecoder().decode(file.subarray(HEADER_LENGTH_BYTES, this.dataStart));
    this.entries = JSON.parse(header) as Record<string, Entry>;
  }

  /** The fp16 tensor `name`, widened to float32 (exactly). @throws Error when it is missing or of another type. */
  read(name: string): Tensor {
    const entry = this.entries[name];
    if (entry?.dtype !== "F16") throw new Error(`the weights hold no F16 tensor named ${name}`);
    const [start, end] = entry.data_offsets;
    const view = new DataView(this.file.buffer, this.file.byteOffset + this.dataStart + start, end - start);
    const values = new Float32Array((end - start) / 2);
    for (let index = 0; index < values.length; index++) values[index] = halfToFloat(view.getUint16(index * 2, true));
    return { shape: entry.shape, values };
  }
}
