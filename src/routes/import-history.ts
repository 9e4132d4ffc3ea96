import type { FieldError } from "../core/errors.js";
import { lineError, type ExportedRevision, type ImportedMemory, type Partition } from "../core/exported.js";

/**
 * What is wrong with a memory as a whole: revisions that are missing or do not follow from each other, times that do not
 * fit, fields that its kind of scope does not have.
 */
export function historyFaults(memory: ImportedMemory, partition: Partition): FieldError[] {
  const { head, line } = memory;
  if (head.erasedAt !== null) {
    return memory.revisions.length === 0 ? [] : [lineError(line + 1, "revision", "follows an erased memory")];
  }
  return [
    ...headFaults(memory, partition),
    ...memory.revisions.flatMap((_, index) => revisionFaults(memory, index, partition)),
  ];
}

function headFaults({ head, revisions, line }: ImportedMemory, partition: Partition): FieldError[] {
  const expected = head.revision - (head.deletedAt === null ? 0 : 1);
  const ended = head.deletedAt ?? revisions.at(-1)?.recordedAt;
  const sources = head.sources.map(({ id }) => id);
  return faults(line, [
    [
      "revision",
      revisions.length !== expected,
      `${String(expected)} revisions have to follow, not ${String(revisions.length)}`,
    ],
    [
      "created_at",
      head.createdAt.getTime() !== revisions[0]?.recordedAt.getTime(),
      "differs from the first revision's recorded_at",
    ],
    [
      "updated_at",
      head.updatedAt.getTime() !== ended?.getTime(),
      "differs from the time of the last revision or deletion",
    ],
    ["agent_id", partition === "workspace" && head.agentId === null, "is required in a workspace"],
    ["grants", partition === "user" && head.grants.length > 0, "are for workspaces"],
    ["grants", new Set(head.grants.map(({ agentId }) => agentId)).size < head.grants.length, "name an agent twice"],
    ["sources", new Set(sources).size < sources.length, "name a memory twice"],
    ["sources", sources.includes(head.id), "name the memory itself"],
  ]);
}

function revisionFaults(memory: ImportedMemory, index: number, partition: Partition): FieldError[] {
  const revision = memory.revisions[index];
  const before = memory.revisions[index - 1];
  if (revision === undefined) return [];
  return faults(memory.line + 1 + index, [
    ["revision", revision.revision !== index + 1, `must be ${String(index + 1)}`],
    [
      "content_revision",
      revision.contentRevision !== contentRevisionAfter(before, revision),
      "does not follow from the contents",
    ],
    ["visibility", (revision.visibility === null) !== (partition === "user"), "is for workspaces, and required there"],
  ]);
}

/** One more with every other content, and only then. */
function contentRevisionAfter(before: ExportedRevision | undefined, { content }: ExportedRevision): number {
  return before === undefined ? 1 : before.contentRevision + (before.content === content ? 0 : 1);
}

function faults(line: number, checks: readonly (readonly [string, boolean, string])[]): FieldError[] {
  return checks.flatMap(([field, wrong, message]) => (wrong ? [lineError(line, field, message)] : []));
}
