import { percentile } from "../startup/statistics.mjs";

const HEAD = [
  "memories | search | clients | requests | p50 ms | p95 | embedding p50 | p50 without it | bare SQL p50 | p95",
  "1.5 × bare + 2 | target | CPU ms: server | database | database, bare",
].join(" | ");

/** One line of the table: what the requests took beside the bare statement. */
export function tableRow({ size, mode, clients, request, bare }) {
  const times = request.samples.map(({ ms }) => ms);
  const embedding = request.samples.map(({ result }) => result.embedding);
  const rest = request.samples.map(({ ms, result }) => ms - result.embedding);
  const bareTimes = bare.samples.map(({ ms }) => ms);
  const allowed = 1.5 * percentile(bareTimes, 50) + 2;
  const cells = [
    size.toLocaleString("en"),
    mode,
    clients,
    times.length,
    ...[percentile(times, 50), percentile(times, 95), percentile(embedding, 50), percentile(rest, 50)].map(digit),
    ...[percentile(bareTimes, 50), percentile(bareTimes, 95), allowed].map(digit),
    percentile(rest, 50) <= allowed ? "met" : "missed",
    ...[request.cpu.server, request.cpu.database, bare.cpu.database].map((ms) => (ms === undefined ? "" : digit(ms))),
  ];
  return `| ${cells.join(" | ")} |`;
}

export function table(title, rows) {
  const separator = `| ${HEAD.split(" | ")
    .map((name) => (["search", "target"].includes(name) ? "---" : "--:"))
    .join(" | ")} |`;
  return `## ${title}\n\n| ${HEAD} |\n${separator}\n${rows.join("\n")}\n`;
}

function digit(ms) {
  return ms.toFixed(1);
}
