import type { Database } from "../../src/db/database.js";
import { sql } from "../../src/db/sql.js";

/**
 * Fills two scopes with `each` memories by plain SQL, beside the services, as fast as the database goes: enough rows and
 * fresh statistics for the planner to choose as it would in earnest. Resolves with the two scopes' ids.
 */
export async function fillScopes(db: Database, each: number): Promise<readonly [number, number]> {
  const ids = await db.run<{ id: number }>(sql`
    insert into scopes (tenant_id, user_id, last_memory_no, live_memories)
    select t.id, 'filled ' || n, ${each}::bigint, ${each}::bigint
    from tenants as t
    cross join generate_series(1, 2) as n
    where t.name = 'default'
    returning id
  `);
  const [first = { id: 0 }, second = { id: 0 }] = ids;
  for (const { id } of [first, second]) await db.script(fillOne(id, each));
  await db.script("analyze");
  return [first.id, second.id];
}

/** The id of the `n`-th memory of a filled scope. */
export function filledId(scopeId: number, n: number): string {
  return `00000000-0000-7000-8000-${scopeId.toString(16).padStart(4, "0")}${n.toString(16).padStart(8, "0")}`;
}

function fillOne(scopeId: number, each: number): string {
  const scope = String(scopeId);
  const id = `('00000000-0000-7000-8000-' || lpad(to_hex(${scope}), 4, '0') || lpad(to_hex(n), 8, '0'))::uuid`;
  const time = `timestamptz '2026-01-01' + n * interval '1 minute'`;
  const series = `from generate_series(1, ${String(each)}) as n`;
  return `
    insert into memories (scope_id, id, memory_no, revision, content_revision, external_id, content_key, created_at, updated_at)
      select ${scope}, ${id}, n, 1, 1, 'external ' || n, 'content ' || n, ${time}, ${time} ${series};
    insert into memory_revisions (scope_id, memory_id, revision, content_revision, content, content_digest, exact_length,
        stemmed_length, tags, importance, trust, metadata, event_at, recorded_at)
      select ${scope}, ${id}, 1, 1, 'memory number ' || n, 'digest ' || n, 3, 3, '{}', .5, 1, '{}', ${time}, ${time} ${series};
    insert into candidates (scope_id, memory_no, memory_id, revision, content_revision, importance, trust, event_at, created_at,
        content_digest, exact_length, stemmed_length, embedding)
      select ${scope}, n, ${id}, 1, 1, .5, 1, ${time}, ${time}, 'digest ' || n, 3, 3, '[1,0,0,0,0,0,0,0]' ${series};
    insert into postings (scope_id, term, memory_no, frequency, length)
      select ${scope}, n % 50 * 20 + k, n, 1, 3 ${series} cross join generate_series(1, 3) as k;
    insert into change_events (scope_id, seq, kind, memory_id, revision, at, digest)
      select ${scope}, n, 'created', ${id}, 1, ${time}, '' ${series};
    insert into receipts (scope_id, actor, operation, key, fingerprint, result, created_at)
      select ${scope}, 'local', 'POST /v1/memories', 'key ' || n, '', '{}', ${time} ${series};
  `;
}
