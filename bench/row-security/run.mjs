// What row level security costs: the same statements as the tables' owner and as the application's role, in turns.
// Usage: npm run build && DATABASE_URL=postgres://… node bench/row-security/run.mjs > bench/row-security/RESULTS.md
import { randomUUID } from "node:crypto";
import { migrate } from "../../dist/db/migrate.js";
import { openDatabase } from "../../dist/db/open-database.js";
import { pendingMemories } from "../../dist/db/queries/backlog.js";
import { findMemories, listMemories } from "../../dist/db/queries/read-memories.js";
import { PROFILES } from "../../dist/core/profiles.js";
import { FUSION_DEFAULT, FUSIONS } from "../../dist/core/rank-fusion.js";
import { scoreCandidates } from "../../dist/db/queries/score-candidates.js";
import { sql, trustedSql } from "../../dist/db/sql.js";

const MEMORIES = 10_000;
const DIMENSIONS = 384;
const ROUNDS = 41;

const url = process.env.DATABASE_URL;
if (url === undefined) throw new Error("DATABASE_URL names the server on which a disposable database may be made");
const name = `memgate_bench_${randomUUID().slice(0, 8)}`;
const admin = await openDatabase({ kind: "postgres", url, poolMax: 1 });
await admin.script(`create database ${name}`);
const own = new URL(url);
own.pathname = `/${name}`;
const db = await openDatabase({ kind: "postgres", url: own.href, poolMax: 1 });
try {
  await migrate(db);
  const scopeId = await fill();
  const view = { scopeId, viewer: null, now: new Date(), past: false };
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(index + 1));
  const id = (
    await db.run(sql`select memory_id as id from candidates where scope_id = ${scopeId} and memory_no = 77`)
  )[0].id;
  const cases = {
    "a memory by id": (on) => findMemories(on, view, [id]),
    "a page of 50": (on) => listMemories(on, view, { filters: {}, after: undefined, limit: 50 }),
    "the backlog's next 32": (on) => pendingMemories(on, scopeId, { spaceId: 1, limit: 32 }),
    "a search, exact scan": (on) =>
      scoreCandidates(on, view, {
        ...{ mode: "hybrid", filters: {}, spaceId: 1, vector, terms: [61n, 62n, 63n], identifiers: [], pool: 201 },
        ...{ profile: PROFILES.balanced, fusion: FUSIONS[FUSION_DEFAULT] },
        wanted: { threshold: 0.3, profileFloor: 0.3, limit: 5 },
        hits: "deciding",
      }),
  };
  console.log(`# Row level security, ${MEMORIES} memories of ${DIMENSIONS} dimensions in the scope\n`);
  console.log(
    `${db.description.replace(/ at .*/, "")}; planning and execution in the server, ms, median of ${ROUNDS} in turns.\n`,
  );
  console.log("| statement | owner | application's role | ratio |\n| --- | --- | --- | --- |");
  for (const [what, query] of Object.entries(cases)) {
    const statement = await statementOf(query);
    const times = { owner: [], role: [] };
    for (let round = 0; round < ROUNDS; round++) {
      times.owner.push(await serverTime((work) => db.transaction(work), statement));
      times.role.push(await serverTime((work) => db.inScope(scopeId).transaction(work), statement));
    }
    const [owner, role] = [median(times.owner), median(times.role)];
    console.log(`| ${what} | ${owner.toFixed(2)} | ${role.toFixed(2)} | ${(role / owner).toFixed(2)} |`);
  }
} finally {
  await db.close();
  await admin.script(`drop database ${name} with (force)`);
  await admin.close();
}

async function fill() {
  const [{ id }] = await db.run(sql`
    insert into scopes (tenant_id, user_id) select id, 'bench' from tenants where name = 'default' returning id`);
  await db.run(
    sql`insert into spaces (provider, model, revision, dimensions, recipe) values ('bench', 'bench', '', ${DIMENSIONS}, '')`,
  );
  const memoryId = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
  const series = `from generate_series(1, ${MEMORIES}) as n`;
  await db.script(`
    insert into memories (scope_id, id, memory_no, revision, content_revision, created_at, updated_at)
      select ${id}, ${memoryId}, n, 1, 1, now() + n * interval '1 second', now() ${series};
    insert into memory_revisions (scope_id, memory_id, revision, content_revision, content, content_digest, exact_length,
        stemmed_length, tags, importance, trust, metadata, event_at, recorded_at)
      select ${id}, ${memoryId}, 1, 1, 'memory number ' || n, 'digest ' || n, 3, 3, '{}', .5, 1, '{}', now(), now() ${series};
    insert into candidates (scope_id, memory_no, memory_id, revision, content_revision, importance, trust, event_at, created_at,
        content_digest, exact_length, stemmed_length, space_id, embedding)
      select ${id}, n, ${memoryId}, 1, 1, .5, 1, now(), now() + n * interval '1 second', 'digest ' || n, 3, 3,
        case when n % 100 = 0 then null else 1 end,
        (select l2_normalize(array_agg(random() - .5)::real[]::vector) from generate_series(1, ${DIMENSIONS} + 0 * n)) ${series};
    insert into postings (scope_id, term, memory_no, frequency, length)
      select ${id}, n % 50 * 20 + k, n, 1, 3 ${series} cross join generate_series(1, 3) as k;
    analyze;
  `);
  return id;
}

/** The statement that a query function would run. */
async function statementOf(query) {
  let statement;
  await query({ run: async (given) => ((statement = given), [{ hits: [] }]) }).catch(() => undefined);
  return statement;
}

async function serverTime(transaction, statement) {
  const [first, ...rest] = statement.parts;
  const explain = trustedSql("explain (analyze, timing off, format json) ");
  const explained = { parts: [explain.parts[0] + first, ...rest], values: statement.values };
  const [row] = await transaction((tx) => tx.run(explained));
  const [plan] = row["QUERY PLAN"];
  return plan["Planning Time"] + plan["Execution Time"];
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
