import { isConstant, type FilterTree } from "../../core/filter-tree.js";
import { FILTER_QUERY_MAX_BYTES } from "../../core/limits.js";
import { z } from "../zod.js";
import { DELETE_FILTER_DOCUMENT, FILTER_NODE_DOCUMENT, FILTER_QUERY_DOCUMENT } from "./filter-document.js";
import { filterFields } from "./filters.js";
import type { Fault } from "./metadata.js";
import { parseFilterTree } from "./parse-filter-tree.js";

/** A filter tree in a body. */
export const FilterNode = z
  .unknown()
  .transform((value, context) => readTree(value, context))
  .openapi("FilterNode", FILTER_NODE_DOCUMENT);

/** A filter tree in a query string, as the text of its JSON. */
export const FilterQuery = z
  .string("must be one JSON text")
  .transform((text, context) => {
    const bytes = Buffer.byteLength(text);
    if (bytes > FILTER_QUERY_MAX_BYTES) {
      return refuse(context, [
        { path: [], message: `must be at most ${String(FILTER_QUERY_MAX_BYTES)} bytes, not ${String(bytes)}` },
      ]);
    }
    try {
      return readTree(JSON.parse(text), context);
    } catch {
      return refuse(context, [{ path: [], message: "must be a filter as JSON" }]);
    }
  })
  .openapi(FILTER_QUERY_DOCUMENT);

const FlatFields = z.strictObject(filterFields);

/** What a deletion is about: the flat filters and the members of a tree in one object, which has to name something. */
export const DeleteFilter = z
  .unknown()
  .transform((value, context): z.output<typeof FlatFields> & { readonly tree?: FilterTree } => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refuse(context, [{ path: [], message: "must be an object" }]);
    }
    const members = Object.entries(value as Record<string, unknown>);
    const flat = FlatFields.safeParse(Object.fromEntries(members.filter(isFlat)));
    const treeMembers = members.filter((member) => !isFlat(member));
    const tree = treeMembers.length === 0 ? undefined : readTree(Object.fromEntries(treeMembers), context);
    if (!flat.success) return refuse(context, flat.error.issues.map(toFault));
    const named = Object.values(flat.data).some((each) => each !== undefined);
    if (!named && (tree === undefined || isConstant(tree))) {
      return refuse(context, [{ path: [], message: "must name at least one filter" }]);
    }
    return tree === undefined ? flat.data : { ...flat.data, tree };
  })
  .openapi("DeleteFilter", DELETE_FILTER_DOCUMENT);

/** `external_id`, `source_site` and `session_id` are a flat filter and a field of trees; with operators they are the latter. */
function isFlat([name, value]: [string, unknown]): boolean {
  const operators = typeof value === "object" && value !== null && !Array.isArray(value);
  return Object.hasOwn(filterFields, name) && !(SHARED.has(name) && operators);
}

const SHARED: ReadonlySet<string> = new Set(["external_id", "source_site", "session_id"]);

function readTree(value: unknown, context: z.RefinementCtx): FilterTree {
  const parsed = parseFilterTree(value);
  return "tree" in parsed ? parsed.tree : refuse(context, parsed.faults);
}

function refuse(context: z.RefinementCtx, faults: readonly Fault[]): never {
  for (const { path, message } of faults) context.addIssue({ code: "custom", path, message });
  return z.NEVER;
}

function toFault({ path, message }: z.core.$ZodIssue): Fault {
  return { path: path.map((step) => (typeof step === "number" ? step : String(step))), message };
}
