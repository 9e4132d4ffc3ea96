import type { Queryable } from "./database.js";
import { sql } from "./sql.js";

interface Facts {
  readonly server: string;
  readonly available: string | null;
  readonly installed: string | null;
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
