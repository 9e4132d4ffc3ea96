import type { Queryable } from "./database.js";
import { sql } from "./sql.js";

interface Facts {
  readonly server: string;
  readonly available: string | null;
  readonly installed: string | null;
}

/** From this version of pgvector on no fault is known that crashes a server or spoils an index (CVE-2026-3172 and others). */
const SOUND_PGVECTOR = [0, 8, 4] as const;

/** What to tell the operator of a pgvector that is too old to be trusted; undefined for a sound one. */
export async function pgvectorAdvice(db: Queryable): Promise<string | undefined> {
  const [row] = await db.run<{ version: string }>(sql`
    select extversion as "version"
    from pg_extension
    where extname = 'vector'
  `);
  const parts = row?.version.split(".").map(Number) ?? [];
  const difference = SOUND_PGVECTOR.map((sound, index) => (parts[index] ?? 0) - sound).find((each) => each !== 0) ?? 0;
  if (row === undefined || difference >= 0) return undefined;
  return `pgvector ${row.version} has known faults: update it to ${SOUND_PGVECTOR.join(".")} or later`;
}

/** `PostgreSQL 18.6, pgvector 0.8.7`; rejects where pgvector cannot be had, since nothing works without it. */
export async function describeServer(db: Queryable): Promise<string> {
  const [facts] = await db.run<Facts>(sql`
    select current_setting('server_version') as "server",
           (select default_version from pg_available_extensions where name = 'vector') as "available",
           (select extversion from pg_extension where extname = 'vector') as "installed"
  `);
  const version = facts?.installed ?? facts?.available;
  if (facts === undefined || version == null) {
    throw new Error("this Postgres has no pgvector: install the extension's package for its version (>= 0.8.4)");
  }
  return `PostgreSQL ${facts.server.split(" ")[0] ?? ""}, pgvector ${version}`;
}
