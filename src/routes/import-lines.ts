import { invalidRequest, type FieldError } from "../core/errors.js";
import {
  lineError,
  type ExportedHead,
  type ExportedRevision,
  type ImportedMemory,
  type Partition,
} from "../core/exported.js";
import { historyFaults } from "./import-history.js";
import { toFieldErrors } from "./problem.js";
import { ErasedLine, HeaderLine, MemoryLine, RevisionLine } from "./schemas/export-lines.js";
import { toHead, toRevision } from "./schemas/export-mapping.js";
import type { z } from "./zod.js";

const HEADER_KIND = HeaderLine.shape.kind.value;

/** The first faults tell enough. */
const ERRORS_MAX = 100;

/**
 * The memories of an import: the header, then each memory with its revisions on the lines behind it. Every line is checked
 * in full, and a line may have its keys in any order. Throws `invalid_request`, naming lines and fields.
 */
export function parseImport(text: string, partition: Partition): ImportedMemory[] {
  const reader = new ImportReader(partition);
  let number = 0;
  for (const line of text.split("\n")) {
    number += 1;
    if (line.trim() !== "") reader.read(line, number);
    if (reader.errors.length >= ERRORS_MAX) break;
  }
  reader.end();
  if (reader.errors.length > 0) throw invalidRequest(reader.errors.slice(0, ERRORS_MAX));
  return reader.memories;
}

interface OpenMemory {
  readonly head: ExportedHead;
  readonly revisions: ExportedRevision[];
  readonly line: number;
}

class ImportReader {
  readonly memories: ImportedMemory[] = [];
  readonly errors: FieldError[] = [];
  private readonly ids = new Set<string>();
  private headerSeen = false;
  private open: OpenMemory | undefined;

  constructor(private readonly partition: Partition) {}

  read(text: string, line: number): void {
    const value = parseJson(text);
    if (value === undefined) this.fault(line, "", "is not a JSON object");
    else if (!this.headerSeen) this.readHeader(value, line);
    else if (value.kind === "memory") this.readMemory(value, line);
    else if (value.kind === "revision") this.readRevision(value, line);
    else this.fault(line, "kind", "must be memory or revision");
  }

  /** To be called after the last line. */
  end(): void {
    this.close();
    if (!this.headerSeen) this.fault(1, "", "must be the header of an export");
  }

  private readHeader(value: Line, line: number): void {
    this.headerSeen = true;
    if (value.kind !== HEADER_KIND) {
      this.fault(line, "kind", `must be ${HEADER_KIND}: the first line is the header`);
      return;
    }
    const header = this.check(HeaderLine, value, line);
    if (header === undefined || header.partition === this.partition) return;
    this.fault(line, "partition", `is ${header.partition}, and the scope is that of a ${this.partition}`);
  }

  private readMemory(value: Line, line: number): void {
    this.close();
    const parsed = "erased" in value ? this.check(ErasedLine, value, line) : this.check(MemoryLine, value, line);
    if (parsed === undefined) return;
    const head = toHead(parsed);
    if (this.ids.has(head.id)) this.fault(line, "id", "is that of an earlier line");
    this.ids.add(head.id);
    this.open = { head, revisions: [], line };
  }

  private readRevision(value: Line, line: number): void {
    const parsed = this.check(RevisionLine, value, line);
    if (parsed === undefined) {
      // Without this revision nothing can be said of the history.
      this.open = undefined;
      return;
    }
    if (this.open?.head.id === parsed.id) this.open.revisions.push(toRevision(parsed));
    // After a faulty line the rest of its memory has no head either.
    else if (this.errors.length === 0) this.fault(line, "id", "is not that of the memory line before it");
  }

  private close(): void {
    if (this.open === undefined) return;
    this.errors.push(...historyFaults(this.open, this.partition));
    this.memories.push(this.open);
    this.open = undefined;
  }

  private check<Schema extends z.ZodType>(schema: Schema, value: Line, line: number): z.output<Schema> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    this.errors.push(...toFieldErrors(parsed.error).map(({ path, message }) => lineError(line, path, message)));
    return undefined;
  }

  private fault(line: number, field: string, message: string): void {
    this.errors.push(lineError(line, field, message));
  }
}

type Line = Readonly<Record<string, unknown>>;

function parseJson(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}
