import type { Memory } from "../../core/memory.js";
import { sql, type Sql } from "../sql.js";
import { memoryColumns } from "./memory-rows.js";

const TIMES = ["eventAt", "expiresAt", "createdAt", "updatedAt"] as const;
type Time = (typeof TIMES)[number];

/** A memory as JSON has it: times as text. */
export type MemoryJson = Omit<Memory, Time> & Readonly<Record<Time, string | null>>;

/** The revision that the hit `h` (memory_id, revision) names, as one JSON value. */
export function memoryOfHit(scopeId: number): Sql {
  return sql`(
        select row_to_json(memory)
        from (
          select ${memoryColumns}
          from memory_revisions as r
          join memories as m
            on m.scope_id = r.scope_id
            and m.id = r.memory_id
          where r.scope_id = ${scopeId}::bigint
            and r.memory_id = h.memory_id
            and r.revision = h.revision
        ) as memory
      )`;
}

/** The memory with its times as dates. */
export function reviveMemory(json: MemoryJson | null): Memory | null {
  if (json === null) return null;
  const times = TIMES.map((name) => [name, json[name] === null ? null : new Date(json[name])] as const);
  return { ...json, ...(Object.fromEntries(times) as Pick<Memory, Time>) };
}
