import type { Safetensors } from "../safetensors.js";
import { GraphBuilder, type Value } from "./graph-builder.js";
import { ElementType } from "./onnx-messages.js";

/** The part of a BERT `config.json` that shapes the graph. */
export interface BertConfig {
  readonly hidden_size: number;
  readonly num_attention_heads: number;
  readonly num_hidden_layers: number;
  readonly layer_norm_eps: number;
}

/** Added to the attention scores of padding, so that their softmax weight is zero in float32. */
const MASKED_SCORE = -10_000;

/**
 * Writes a BERT encoder (Devlin et al. 2019) as an ONNX model. Inputs, int64 `[batch, sequence]`: `input_ids`,
 * `attention_mask` (1 for tokens, 0 for padding). Output, float32 `[batch, sequence, hidden_size]`: `hidden_state`.
 * Deterministic: the same weights give the same bytes.
 */
export function buildBertModel(weights: Safetensors, config: BertConfig): Uint8Array {
  return new BertGraph(weights, config).build();
}

class BertGraph {
  private readonly graph = new GraphBuilder();
  private readonly headSize: number;

  constructor(
    private readonly weights: Safetensors,
    private readonly config: BertConfig,
  ) {
    this.headSize = config.hidden_size / config.num_attention_heads;
  }

  build(): Uint8Array {
    const { graph, config } = this;
    const tokens = { type: ElementType.int64, shape: ["batch", "sequence"] };
    const ids = graph.input({ name: "input_ids", ...tokens });
    const mask = this.paddingMask(graph.input({ name: "attention_mask", ...tokens }));
    let hidden = this.embeddings(ids);
    for (let layer = 0; layer < config.num_hidden_layers; layer++) {
      hidden = this.encoderLayer(`encoder.layer.${String(layer)}`, hidden, mask);
    }
    const shape = ["batch", "sequence", config.hidden_size];
    graph.output(hidden, { name: "hidden_state", type: ElementType.float32, shape });
    return graph.build("memgate");
  }

  /** `[batch, 1, 1, sequence]`: 0 for tokens, a large negative score for padding. */
  private paddingMask(mask: Value): Value {
    const { graph } = this;
    const asFloat = graph.apply("Cast", [mask], { to: ElementType.float32 });
    const broadcast = graph.apply("Unsqueeze", [asFloat, graph.integers([1, 2])]);
    return graph.apply("Mul", [graph.apply("Sub", [graph.scalar(1), broadcast]), graph.scalar(MASKED_SCORE)]);
  }

  private embeddings(ids: Value): Value {
    const { graph } = this;
    const words = graph.apply("Gather", [this.tensor("embeddings.word_embeddings.weight"), ids]);
    const length = graph.apply("Slice", [
      graph.apply("Shape", [ids]),
      ...[1, 2, 0].map((each) => graph.integers([each])),
    ]);
    const positions = graph.apply("Slice", [
      this.tensor("embeddings.position_embeddings.weight"),
      graph.integers([0]),
      length,
      graph.integers([0]),
    ]);
    const sum = graph.apply("Add", [graph.apply("Add", [words, this.firstSegment()]), positions]);
    return this.layerNorm(sum, "embeddings.LayerNorm");
  }

  /** A single text only ever has segment 0, so that row is a constant. */
  private firstSegment(): Value {
    const { values } = this.weights.read("embeddings.token_type_embeddings.weight");
    const { hidden_size: size } = this.config;
    return this.graph.floats(values.slice(0, size), [size]);
  }

  private encoderLayer(name: string, hidden: Value, mask: Value): Value {
    const { graph } = this;
    const attended = this.linear(
      this.attention(`${name}.attention.self`, hidden, mask),
      `${name}.attention.output.dense`,
    );
    const middle = this.layerNorm(graph.apply("Add", [attended, hidden]), `${name}.attention.output.LayerNorm`);
    const widened = this.gelu(this.linear(middle, `${name}.intermediate.dense`));
    const narrowed = this.linear(widened, `${name}.output.dense`);
    return this.layerNorm(graph.apply("Add", [narrowed, middle]), `${name}.output.LayerNorm`);
  }

  private attention(name: string, hidden: Value, mask: Value): Value {
    const { graph } = this;
    const query = this.heads(this.linear(hidden, `${name}.query`), [0, 2, 1, 3]);
    const keyTransposed = this.heads(this.linear(hidden, `${name}.key`), [0, 2, 3, 1]);
    const value = this.heads(this.linear(hidden, `${name}.value`), [0, 2, 1, 3]);
    const scaled = graph.apply("Div", [
      graph.apply("MatMul", [query, keyTransposed]),
      graph.scalar(Math.sqrt(this.headSize)),
    ]);
    const shares = graph.apply("Softmax", [graph.apply("Add", [scaled, mask])], { axis: -1 });
    const mixed = graph.apply("Transpose", [graph.apply("MatMul", [shares, value])], { perm: [0, 2, 1, 3] });
    return graph.apply("Reshape", [mixed, graph.integers([0, 0, this.config.hidden_size])]);
  }

  /** `[batch, sequence, hidden]` split by head, with the axes (batch, sequence, head, size) ordered by `order`. */
  private heads(projected: Value, order: readonly number[]): Value {
    const shape = this.graph.integers([0, 0, this.config.num_attention_heads, this.headSize]);
    return this.graph.apply("Transpose", [this.graph.apply("Reshape", [projected, shape])], { perm: order });
  }

  /** `x · Wᵀ + b`; the weights are stored as `[outputs, inputs]`. */
  private linear(x: Value, name: string): Value {
    const { values, shape } = this.weights.read(`${name}.weight`);
    const [outputs = 0, inputs = 0] = shape;
    const weight = this.graph.floats(transpose(values, outputs, inputs), [inputs, outputs]);
    return this.graph.apply("Add", [this.graph.apply("MatMul", [x, weight]), this.tensor(`${name}.bias`)]);
  }

  /** Layer normalisation spelt out: opset 13 has no operator for it. Ba et al. 2016. */
  private layerNorm(x: Value, name: string): Value {
    const { graph } = this;
    const overLast = { axes: [-1], keepdims: 1 };
    const centred = graph.apply("Sub", [x, graph.apply("ReduceMean", [x], overLast)]);
    const variance = graph.apply("ReduceMean", [graph.apply("Mul", [centred, centred])], overLast);
    const padded = graph.apply("Add", [variance, graph.scalar(this.config.layer_norm_eps)]);
    const normalised = graph.apply("Div", [centred, graph.apply("Sqrt", [padded])]);
    const scaled = graph.apply("Mul", [normalised, this.tensor(`${name}.weight`)]);
    return graph.apply("Add", [scaled, this.tensor(`${name}.bias`)]);
  }

  /** `x/2 · (1 + erf(x/√2))`. Hendrycks and Gimpel 2016. */
  private gelu(x: Value): Value {
    const { graph } = this;
    const erf = graph.apply("Erf", [graph.apply("Div", [x, graph.scalar(Math.SQRT2)])]);
    const doubled = graph.apply("Mul", [x, graph.apply("Add", [erf, graph.scalar(1)])]);
    return graph.apply("Mul", [doubled, graph.scalar(0.5)]);
  }

  private tensor(name: string): Value {
    const { values, shape } = this.weights.read(name);
    return this.graph.floats(values, shape);
  }
}

function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  const transposed = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      transposed[column * rows + row] = values[row * columns + column] ?? 0;
    }
  }
  return transposed;
}
