import {
  type AttributeValue,
  constantMessage,
  ElementType,
  modelMessage,
  nodeMessage,
  portMessage,
  type PortSpec,
} from "./onnx-messages.js";
import { bytesField, concat, textField } from "./protobuf.js";

/** The name of a value inside the graph. */
export type Value = string;

/** Collects the nodes and constants of one ONNX graph; every method returns the name of the value that it made. */
export class GraphBuilder {
  private readonly nodes: Uint8Array[] = [];
  private readonly constants: Uint8Array[] = [];
  private readonly ports: Uint8Array[] = [];
  private made = 0;

  input(port: PortSpec): Value {
    this.ports.push(bytesField(11, ...portMessage(port)));
    return port.name;
  }

  /** Publishes `value` under the port's name. */
  output(value: Value, port: PortSpec): void {
    this.nodes.push(
      bytesField(1, ...nodeMessage({ operator: "Identity", inputs: [value], output: port.name, attributes: {} })),
    );
    this.ports.push(bytesField(12, ...portMessage(port)));
  }

  /** One ONNX operator with a single result. */
  apply(operator: string, inputs: readonly Value[], attributes: Readonly<Record<string, AttributeValue>> = {}): Value {
    const output = this.nextName(operator);
    this.nodes.push(bytesField(1, ...nodeMessage({ operator, inputs, output, attributes })));
    return output;
  }

  floats(values: Float32Array, shape: readonly number[]): Value {
    return this.constant(ElementType.float32, shape, toLittleEndianFloats(values));
  }

  scalar(value: number): Value {
    return this.floats(Float32Array.of(value), []);
  }

  integers(values: readonly number[]): Value {
    return this.constant(ElementType.int64, [values.length], toLittleEndianIntegers(values));
  }

  /** The whole model as an ONNX file. */
  build(producer: string): Uint8Array {
    return concat(modelMessage(producer, [...this.nodes, textField(2, producer), ...this.constants, ...this.ports]));
  }

  private constant(type: ElementType, shape: readonly number[], raw: Uint8Array): Value {
    const name = this.nextName("constant");
    this.constants.push(bytesField(5, ...constantMessage({ name, type, shape, raw })));
    return name;
  }

  private nextName(prefix: string): Value {
    this.made += 1;
    return `${prefix}_${String(this.made)}`;
  }
}

function toLittleEndianFloats(values: Float32Array): Uint8Array {
  const raw = new DataView(new ArrayBuffer(values.byteLength));
  values.forEach((value, index) => {
    raw.setFloat32(index * 4, value, true);
  });
  return new Uint8Array(raw.buffer);
}

function toLittleEndianIntegers(values: readonly number[]): Uint8Array {
  const raw = new DataView(new ArrayBuffer(values.length * 8));
  values.forEach((value, index) => {
    raw.setBigInt64(index * 8, BigInt(value), true);
  });
  return new Uint8Array(raw.buffer);
}
