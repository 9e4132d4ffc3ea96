import { parseArgs } from "node:util";

const HELP = `node bench/search/run.mjs [--sizes 1000,10000] [--database postgres|embedded] [--modes full,fast]
  [--rounds 5] [--dist FOLDER] [--out FILE] [--explain]
DATABASE_URL: a server on which a database may be made and dropped; default that of scripts/pg-local.sh.`;

/** The bench's arguments; prints the help and ends where they cannot be used. */
export function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        sizes: { type: "string", default: "1000,10000,100000" },
        database: { type: "string", default: "postgres,embedded" },
        modes: { type: "string", default: "full,fast,lexical" },
        rounds: { type: "string", default: "5" },
        dist: { type: "string" },
        out: { type: "string" },
        explain: { type: "boolean", default: false },
      },
    });
    return {
      sizes: values.sizes.split(",").map(Number),
      databases: values.database.split(","),
      modes: values.modes.split(","),
      rounds: Number(values.rounds),
      dist: values.dist === undefined ? new URL("../../dist/", import.meta.url) : new URL(`file://${values.dist}/`),
      out: values.out ?? new URL("RESULTS.md", import.meta.url),
      explain: values.explain,
      databaseUrl: process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:54329/postgres",
    };
  } catch (error) {
    console.error(`${error.message}\n${HELP}`);
    process.exit(2);
  }
}
