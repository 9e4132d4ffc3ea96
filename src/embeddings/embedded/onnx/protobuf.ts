/** Just enough of the protobuf wire format to write an ONNX model (https://protobuf.dev/programming-guides/encoding). */
export type Bytes = Uint8Array<ArrayBuffer>;

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Field `field` holding an integer (int32, int64 or enum; negative ones as 64-bit two's complement). */
export function integerField(field: number, value: number): Bytes {
  return concat([varint((field << 3) | VARINT), varint(value)]);
}

/** Field `field` holding bytes or an embedded message. */
export function bytesField(field: number, ...parts: readonly Uint8Array[]): Bytes {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return concat([varint((field << 3) | LENGTH_DELIMITED), varint(length), ...parts]);
}

/** Field `field` holding UTF-8 text. */
export function textField(field: number, text: string): Bytes {
  return bytesField(field, new TextEncoder().encode(text));
}

export function concat(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
