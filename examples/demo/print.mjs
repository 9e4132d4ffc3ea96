const WIDTH = 136;
const BEST_DROPPED = 3;

const bold = process.stdout.isTTY ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text;

/**
 * Everything that one search answered, for people to read.
 *
 * @param {{ number: number, asked: import("./dataset.mjs").DemoQuestion, found: any,
 *   memoryOf: (id: string) => import("./dataset.mjs").DemoMemory }} shown
 */
export function printSearch({ number, asked, found, memoryOf }) {
  const { gate } = found;
  const floor = gate.threshold === null ? "none" : gate.threshold.toFixed(2);
  console.log(`\n${bold(`${String(number).padStart(2)}  ${asked.question}`)}`);
  console.log(cut(`    ${asked.kind}: ${expected(asked)}`));
  console.log(
    `    gate     threshold ${floor}, source ${gate.source}, reason ${gate.reason}, class ${gate.query_class}`,
  );
  console.log(
    `             considered ${gate.considered}, kept ${gate.kept} (limit ${gate.limit}), verdict ${gate.verdict}`,
  );
  printKept(found.memories, { asked, memoryOf });
  printDropped(found.filter_decisions, memoryOf);
}

/**
 * What would go into a prompt, as it stands.
 *
 * @param {{ injection_text: string, context_usage: any }} found
 */
export function printContext({ injection_text, context_usage }) {
  const { tokens, token_budget, tokenizer, omitted } = context_usage;
  console.log(
    `    context  ${tokens} of ${token_budget} tokens (${tokenizer}), ${omitted.length} omitted; for the prompt:`,
  );
  for (const line of injection_text.split("\n")) console.log(cut(`${" ".repeat(13)}${line}`));
}

function printKept(hits, { asked, memoryOf }) {
  console.log(`${`    kept ${hits.length}`.padEnd(13)}semantic  relevance  ranking    score`);
  for (const [index, hit] of hits.entries()) {
    const { event_at, metadata } = memoryOf(hit.id);
    const mark = metadata.turns.some((turn) => asked.sources.includes(turn)) ? "*" : " ";
    const place = `${String(index + 1).padStart(6)} ${mark}`.padEnd(13);
    console.log(cut(`${place}${scores(hit)}  ${event_at.slice(0, 10)}  ${hit.content}`));
  }
}

function printDropped(decisions, memoryOf) {
  const dropped = decisions.filter((each) => each.decision === "dropped");
  const counts = new Map();
  for (const each of dropped) counts.set(why(each), (counts.get(why(each)) ?? 0) + 1);
  const tally = [...counts].map(([reason, count]) => `${count} ${reason}`).join(", ");
  console.log(`    dropped ${dropped.length}${tally === "" ? "" : `: ${tally}`}`);
  for (const each of dropped.slice(0, BEST_DROPPED)) {
    console.log(cut(`${" ".repeat(13)}${scores(each)}  ${why(each)}: ${memoryOf(each.id).content}`));
  }
}

function expected({ answer, sources }) {
  if (answer === null) return "nothing here answers it";
  return `the answer on file is "${answer}", from ${sources.join(" and ")} (marked *)`;
}

/** The four scores under their headings; a decision has no legacy score. */
function scores({ semantic_similarity, relevance, ranking_score, score = null }) {
  return [column(semantic_similarity, 8), column(relevance, 11), column(ranking_score, 9), column(score, 9)].join("");
}

function column(number, width) {
  return (number === null ? "-" : number.toFixed(3)).padStart(width);
}

function why({ stage, reason }) {
  return `${reason} (${stage})`;
}

function cut(line) {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
