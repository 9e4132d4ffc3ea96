import { mean } from "./measures.mjs";

const percent = (share) => (100 * share).toFixed(1);

/** nDCG@10 / recall@5 / hit@1 in percent, over the queries of one set. */
export function threeMeasures(measured) {
  return ["ndcg", "recall", "hit"].map((name) => percent(mean(measured.map((each) => each[name])))).join(" / ");
}

export function ndcg(measured) {
  return percent(mean(measured.map((each) => each.ndcg)));
}

/** `+1.2 [0.3, 2.1]`, in points of a percent. */
export function interval({ mean: middle, low, high }) {
  const signed = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
  return `${signed(middle)} [${signed(low)}, ${signed(high)}]`;
}

/** A table of Markdown; every row begins with its name. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n") + "\n";
}
