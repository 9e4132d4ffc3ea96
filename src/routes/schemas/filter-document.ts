import { OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { OWN_FIELDS, type FieldKind } from "../../core/filter-tree.js";
import {
  FILTER_CONDITIONS_MAX,
  FILTER_DEPTH_MAX,
  FILTER_ICONTAINS_MAX,
  FILTER_ICONTAINS_MAX_BYTES,
  FILTER_LIST_MAX,
  FILTER_NODES_MAX,
  FILTER_QUERY_MAX_BYTES,
  FILTER_TEXT_MAX_BYTES,
} from "../../core/limits.js";
import { REVIEWS, VISIBILITIES } from "../../core/memory.js";
import { z } from "../zod.js";
import { OPERATORS_OF, type FilterOperator } from "./filter-operators.js";
import { filterFields } from "./filters.js";

// A recursive schema of the wire: written out, since the parser of trees names what is wrong better than a schema does.

type Document = NonNullable<
  NonNullable<ReturnType<OpenApiGeneratorV31["generateComponents"]>["components"]>["schemas"]
>[string];
type Documents = Readonly<Record<string, Document>>;

const STRING: Document = { type: "string", maxLength: FILTER_TEXT_MAX_BYTES };
const TIME: Document = { type: "string", format: "date-time" };
const NUMBER: Document = { type: "number" };
const SCALAR: Document = { type: ["string", "number", "boolean", "null"] };

/** What the scalar operators of each kind of field take. */
const OPERANDS: Readonly<Record<FieldKind | "metadata", Document>> = {
  content: STRING,
  tags: STRING,
  text: STRING,
  number: NUMBER,
  time: TIME,
  choice: STRING,
  metadata: SCALAR,
};

function operator(name: FilterOperator, operand: Document, kind: FieldKind | "metadata"): Document {
  switch (name) {
    case "exists":
      return {
        type: "boolean",
        description: "true: there is a value; of metadata a null is one. false: there is none.",
      };
    case "in":
    case "nin":
      return { type: "array", items: operand, maxItems: FILTER_LIST_MAX };
    case "icontains":
      return { type: "string", minLength: 1, maxLength: FILTER_ICONTAINS_MAX_BYTES };
    default:
      return kind === "metadata" && /^[gl]te?$/.test(name) ? { type: ["number", "string"] } : operand;
  }
}

/** All that an operator object may hold, and a bare scalar where there is `eq`. */
function condition(kind: FieldKind | "metadata", operand: Document, description: string): Document {
  const operators = Object.fromEntries(OPERATORS_OF[kind].map((name) => [name, operator(name, operand, kind)]));
  const object: Document = { type: "object", properties: operators, additionalProperties: false, minProperties: 1 };
  return OPERATORS_OF[kind].includes("eq") ? { description, anyOf: [object, operand] } : { description, ...object };
}

/** What the nodes refer to. */
export const FILTER_COMPONENTS: Documents = {
  FilterContentCondition: condition("content", OPERANDS.content, "Substrings of the content."),
  FilterTagsCondition: condition(
    "tags",
    OPERANDS.tags,
    "contains: has this tag exactly. icontains: regardless of case. exists: has any tag.",
  ),
  FilterTextCondition: condition("text", OPERANDS.text, "Ordered by code points. A bare string is eq."),
  FilterNumberCondition: condition("number", OPERANDS.number, "A bare number is eq."),
  FilterTimeCondition: condition("time", OPERANDS.time, "Times as of RFC 3339 with a zone. A bare one is eq."),
  FilterReviewCondition: condition("choice", { type: "string", enum: [...REVIEWS] }, "A bare one is eq."),
  FilterVisibilityCondition: condition("choice", { type: "string", enum: [...VISIBILITIES] }, "A bare one is eq."),
  FilterMetadataCondition: condition(
    "metadata",
    OPERANDS.metadata,
    'The value at a path. Types count: "5" is not 5, 5 is 5.0. Ranges compare numbers with numbers and strings with ' +
      "strings by code points; any other value does not match. ne and nin match where there is no value too. contains: " +
      "substring of a string, or an element of an array that equals. icontains: the same of strings, regardless of case. " +
      "A bare scalar is eq.",
  ),
};

const CONDITION_OF: Readonly<Record<FieldKind, string>> = {
  content: "FilterContentCondition",
  tags: "FilterTagsCondition",
  text: "FilterTextCondition",
  number: "FilterNumberCondition",
  time: "FilterTimeCondition",
  choice: "FilterReviewCondition",
};

function ref(name: string): Document {
  return { $ref: `#/components/schemas/${name}` };
}

const NODES: Document = { type: "array", items: ref("FilterNode"), maxItems: FILTER_NODES_MAX };

const MEMBERS: Documents = {
  AND: NODES,
  OR: NODES,
  NOT: ref("FilterNode"),
  ...Object.fromEntries(Object.entries(OWN_FIELDS).map(([name, kind]) => [name, ref(CONDITION_OF[kind])])),
  visibility: ref("FilterVisibilityCondition"),
};

const EXAMPLE = {
  "metadata.city": { in: ["Porto", "Lisbon"] },
  OR: [{ "metadata.rooms": { gte: 2 } }, { NOT: { tags: { contains: "hotel" } } }],
};

/** Members that are named `metadata.<path>`; generators that do not know patterns leave them open. */
const METADATA_MEMBERS = {
  patternProperties: { "^metadata\\.": ref("FilterMetadataCondition") },
  additionalProperties: true,
};

export const FILTER_NODE_DOCUMENT = {
  type: "object" as const,
  description:
    "A condition on memories: its members hold all together. Besides AND, OR, NOT and the fields of a memory a member is " +
    "named `metadata.<path>` (a FilterMetadataCondition): keys and array indexes joined by dots, a dot or backslash in a " +
    "key written `\\.` or `\\\\`. A condition that cannot be judged is false, and its NOT true. At most " +
    `${String(FILTER_CONDITIONS_MAX)} operators, ${String(FILTER_ICONTAINS_MAX)} of them icontains, in ` +
    `${String(FILTER_DEPTH_MAX)} levels. Other members are refused.`,
  properties: MEMBERS,
  ...METADATA_MEMBERS,
  example: EXAMPLE,
};

export const DELETE_FILTER_DOCUMENT = {
  type: "object" as const,
  description:
    "The flat filters of listings and the members of a FilterNode in one object, holding all together. One that cannot " +
    'but match every memory, or none, is refused: `{}`, `{"AND": []}`.',
  properties: { ...flatProperties(), ...MEMBERS },
  ...METADATA_MEMBERS,
  example: { namespace_scope: "work", "metadata.status": { ne: "open" } },
};

export const FILTER_QUERY_DOCUMENT = {
  type: "string" as const,
  description: `A FilterNode as URL-encoded JSON, at most ${String(FILTER_QUERY_MAX_BYTES)} bytes before encoding.`,
  contentMediaType: "application/json",
  contentSchema: ref("FilterNode"),
  example: JSON.stringify(EXAMPLE),
};

/** The flat filters as OpenAPI has them. */
function flatProperties(): Documents {
  const fields = z.object(filterFields).openapi("FlatFilters");
  const { components } = new OpenApiGeneratorV31([{ type: "schema", schema: fields }]).generateComponents();
  const flat = components?.schemas?.FlatFilters;
  return flat !== undefined && "properties" in flat ? { ...flat.properties } : {};
}
