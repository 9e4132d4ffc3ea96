import { isTiedToAgents } from "../core/access.js";
import { forbidden } from "../core/errors.js";
import type { ExportRecord, Partition } from "../core/exported.js";
import type { ScopeNames } from "../core/scope.js";
import type { Runnable } from "../db/database.js";
import { exportHeads, exportRevisions } from "../db/queries/export-memories.js";
import type { BoundDeps, Caller } from "./deps.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { spool, type Spooled } from "./spool.js";

export interface ExportRequest extends ScopeRequest {
  /** The text of a record, its line end included. */
  readonly toLine: (record: ExportRecord) => string;
  /** Ends the reading: the client is gone. */
  readonly signal: AbortSignal;
}

/** Characters that are written at a time. */
const CHUNK = 65_536;

/**
 * All of a scope as it is at one moment, line by line; a scope that nothing was ever written to has its header.
 * Throws `forbidden` for a key that is tied to agents, where the scope is a workspace.
 */
export async function exportScope(deps: BoundDeps, caller: Caller, request: ExportRequest): Promise<Spooled> {
  refuseTiedKey(caller, request.names);
  const { id: scopeId } = await deps.scopes.find(caller, request);
  const header = { kind: "header", partition: partitionOf(request.names) } as const;
  if (scopeId === undefined) return await spool(toText([header], request));
  return await deps.db.inScope(scopeId).snapshot(async (tx) => {
    return await spool(toText(recordsOf(tx, scopeId, header), request));
  });
}

/** An export holds, and an import may write, the memories of all agents of a workspace. */
export function refuseTiedKey(caller: Caller, names: ScopeNames): void {
  if (names.workspaceId === null || !isTiedToAgents(caller)) return;
  throw forbidden("it is about the memories of all the workspace's agents: this key is tied to some");
}

export function partitionOf(names: ScopeNames): Partition {
  return names.workspaceId === null ? "user" : "workspace";
}

async function* recordsOf(tx: Runnable, scopeId: number, header: ExportRecord): AsyncGenerator<ExportRecord> {
  yield header;
  const revisions = exportRevisions(tx, scopeId);
  let next = await revisions.next();
  for await (const head of exportHeads(tx, scopeId)) {
    yield { kind: "memory", head };
    for (; next.done !== true && next.value.id === head.id; next = await revisions.next()) {
      yield { kind: "revision", revision: next.value };
    }
  }
}

async function* toText(
  records: AsyncIterable<ExportRecord> | Iterable<ExportRecord>,
  { toLine, signal }: ExportRequest,
): AsyncGenerator<string> {
  let text = "";
  for await (const record of records) {
    if (signal.aborted) return;
    text += toLine(record);
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
