import { OWN_FIELDS, type FieldKind, type FilterField, type OwnField } from "../../core/filter-tree.js";
import { FILTER_TEXT_MAX_BYTES, METADATA_MAX_DEPTH } from "../../core/limits.js";

/** A field that was named, with how it can be compared; or what is wrong with the name. */
export type NamedField =
  { readonly field: FilterField; readonly kind: FieldKind | "metadata" } | { readonly fault: string };

const METADATA = "metadata.";

/** The field that a member of a node names: one of the memory's own, or `metadata.<path>`. */
export function readField(name: string): NamedField {
  if (name === "metadata") return { fault: "name a key of it, such as metadata.city" };
  if (name.startsWith(METADATA)) return readPath(name.slice(METADATA.length));
  if (!isOwnField(name)) return { fault: "is not a known field" };
  return { field: { of: "memory", name }, kind: OWN_FIELDS[name] };
}

function isOwnField(name: string): name is OwnField {
  return Object.hasOwn(OWN_FIELDS, name);
}

/** Keys and indexes joined by dots; a dot or a backslash in a key is written `\.` or `\\`. */
function readPath(text: string): NamedField {
  const fault = pathFault(text);
  if (fault !== undefined) return { fault };
  const path = text.match(/(?:\\.|[^\\.])+|(?<=\.|^)(?=\.|$)/gsu) ?? [];
  if (path.length > METADATA_MAX_DEPTH) return { fault: `must have at most ${String(METADATA_MAX_DEPTH)} steps` };
  return { field: { of: "metadata", path: path.map((step) => step.replace(/\\(.)/gsu, "$1")) }, kind: "metadata" };
}

function pathFault(text: string): string | undefined {
  if (text.includes("\u0000")) return "must not contain a NUL character";
  if (!text.isWellFormed()) return "must not contain a lone surrogate";
  if (!/^(?:\\[\\.]|[^\\])*$/su.test(text)) return "a backslash in a path is followed by a dot or a backslash";
  if (Buffer.byteLength(text) > FILTER_TEXT_MAX_BYTES) return `must be at most ${String(FILTER_TEXT_MAX_BYTES)} bytes`;
  return undefined;
}
