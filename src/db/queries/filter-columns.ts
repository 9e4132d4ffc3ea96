import type { Comparison, FieldKind, FilterScalar, FilterTest } from "../../core/filter-tree.js";
import { casePattern } from "../case-pattern.js";
import { sql, trustedSql, type Sql } from "../sql.js";

/** The subquery of a candidate's tags `t.tag` that meet a condition. */
export type Tagged = (condition: Sql) => Sql;

const SYMBOLS: Readonly<Record<Comparison, Sql>> = {
  gt: trustedSql(">"),
  gte: trustedSql(">="),
  lt: trustedSql("<"),
  lte: trustedSql("<="),
};

/** The operator of a comparison as SQL has it. */
export function symbolOf(comparison: Comparison): Sql {
  return SYMBOLS[comparison];
}

/** Whether a text holds another, which is not empty, regardless of case. */
export function holdsAnyCase(text: Sql, value: string): Sql {
  return sql`${text} collate "C" ~ ${casePattern(value)}::text`;
}

/** Whether a text equals another regardless of case: holds it, and no more characters. */
export function equalsAnyCase(text: Sql, value: string): Sql {
  return sql`(${holdsAnyCase(text, value)} and length(${text}) = ${Array.from(value).length}::integer)`;
}

/** A test of a nullable column: false where it is null. */
export function columnTest(column: Sql, kind: FieldKind, test: FilterTest): Sql {
  switch (test.operator) {
    case "one_of":
      return sql`coalesce(${column} = any(${list(kind, test.values)}), false)`;
    case "contains":
      return sql`coalesce(strpos(${column} collate "C", ${String(test.value)}::text) > 0, false)`;
    case "icontains":
      return sql`coalesce(${holdsAnyCase(column, test.value)}, false)`;
    case "exists":
      return sql`(${column} is not null)`;
    default:
      return sql`coalesce(${ordered(column, kind)} ${symbolOf(test.operator)} ${scalar(kind, test.value)}, false)`;
  }
}

/** A test of the tags, each by itself. */
export function tagTest(test: FilterTest, tagged: Tagged): Sql {
  switch (test.operator) {
    case "contains":
      return sql`exists (${tagged(sql`t.tag = ${String(test.value)}::text`)})`;
    case "icontains":
      return sql`exists (${tagged(equalsAnyCase(sql`t.tag`, test.value))})`;
    case "exists":
      return sql`exists (${tagged(sql`true`)})`;
    default:
      throw new Error(`tags have no ${test.operator}`);
  }
}

/** Texts are ordered by code points. */
function ordered(column: Sql, kind: FieldKind): Sql {
  return kind === "text" ? sql`${column} collate "C"` : column;
}

function scalar(kind: FieldKind, value: string | number | Date): Sql {
  if (kind === "time") return sql`${timeText(value)}::timestamptz`;
  return kind === "number" ? sql`${Number(value)}::float8` : sql`${String(value)}::text`;
}

function list(kind: FieldKind, values: readonly FilterScalar[]): Sql {
  if (kind === "time") return sql`${values.map(timeText)}::timestamptz[]`;
  return kind === "number" ? sql`${values.map(Number)}::float8[]` : sql`${values.map(String)}::text[]`;
}

function timeText(value: FilterScalar): string {
  if (value instanceof Date) return value.toISOString();
  throw new Error("a time is compared with a time");
}
