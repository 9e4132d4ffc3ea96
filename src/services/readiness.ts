import { migrationStatus } from "../db/migrate.js";
import { someSpaceIsServed } from "../db/queries/spaces.js";
import type { ServiceDeps } from "./deps.js";

/** `ok`, or what is wrong in one word for the caller; the log has the rest. */
export interface Readiness {
  readonly database: "ok" | "unreachable";
  readonly migrations: "ok" | "pending" | "unknown";
  readonly space: "ok" | "unknown";
}

/** Whether this process can serve: the database answers, its schema is current, and some space is served. */
export async function checkReadiness(deps: Pick<ServiceDeps, "db">): Promise<Readiness> {
  try {
    const { pending } = await migrationStatus(deps.db);
    return {
      database: "ok",
      migrations: pending.length === 0 ? "ok" : "pending",
      space: (await someSpaceIsServed(deps.db)) ? "ok" : "unknown",
    };
  } catch {
    return { database: "unreachable", migrations: "unknown", space: "unknown" };
  }
}
