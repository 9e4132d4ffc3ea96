import { type Bytes, bytesField, integerField, textField } from "./protobuf.js";

// Field numbers and enum values are those of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).

export const ElementType = { float32: 1, int64: 7 } as const;
export type ElementType = (typeof ElementType)[keyof typeof ElementType];

const AttributeType = { integer: 2, integers: 7 } as const;

/** ONNX IR 7 with opset 13: the oldest pair in which `axes` of Unsqueeze are an input, read by every runtime since. */
const IR_VERSION = 7;
const OPSET_VERSION = 13;

export type AttributeValue = number | readonly number[];

export interface NodeSpec {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export interface ConstantSpec {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Row-major, little endian. */
  readonly raw: Uint8Array;
}

export interface PortSpec {
  readonly name: string;
  readonly type: ElementType;
  /** A number is fixed; a word names a dimension that varies by call. */
  readonly shape: readonly (number | string)[];
}

/** NodeProto. */
export function nodeMessage({ operator, inputs, output, attributes }: NodeSpec): Bytes[] {
  return [
    ...inputs.map((input) => textField(1, input)),
    textField(2, output),
    textField(3, `make_${output}`),
    textField(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, ...attributeMessage(name, value))),
  ];
}

/** AttributeProto. */
function attributeMessage(name: string, value: AttributeValue): Bytes[] {
  if (typeof value === "number")
    return [textField(1, name), integerField(3, value), integerField(20, AttributeType.integer)];
  return [textField(1, name), ...value.map((each) => integerField(8, each)), integerField(20, AttributeType.integers)];
}

/** TensorProto. */
export function constantMessage({ name, type, shape, raw }: ConstantSpec): Uint8Array[] {
  const dimensions = shape.map((size) => integerField(1, size));
  return [...dimensions, integerField(2, type), textField(8, name), bytesField(9, raw)];
}

/** ValueInfoProto. */
export function portMessage({ name, type, shape }: PortSpec): Bytes[] {
  const dimensions = shape.map((size) =>
    bytesField(1, typeof size === "string" ? textField(2, size) : integerField(1, size)),
  );
  const tensorType = bytesField(1, integerField(1, type), bytesField(2, ...dimensions));
  return [textField(1, name), bytesField(2, tensorType)];
}

/** ModelProto around the fields of a GraphProto. */
export function modelMessage(producer: string, graph: readonly Uint8Array[]): Uint8Array[] {
  const opset = [textField(1, ""), integerField(2, OPSET_VERSION)];
  return [integerField(1, IR_VERSION), textField(2, producer), bytesField(7, ...graph), bytesField(8, ...opset)];
}
