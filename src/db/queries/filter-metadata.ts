import type { FilterScalar, FilterTest } from "../../core/filter-tree.js";
import { joinSql, sql, type Sql } from "../sql.js";
import { equalsAnyCase, holdsAnyCase, symbolOf } from "./filter-columns.js";

/**
 * A test of the value at a path of the metadata of the revision `r`: false where it is absent or of another type.
 * Nothing here casts a stored value, so that none can fail, in whatever order the database evaluates.
 */
export function metadataTest(path: readonly string[], test: FilterTest): Sql {
  const value = valueAt(path);
  switch (test.operator) {
    case "one_of":
      return sql`coalesce(${value} = any(${test.values.map(jsonText)}::text[]::jsonb[]), false)`;
    case "contains":
      return contains(value, test.value);
    case "icontains":
      return containsAnyCase(value, test.value);
    case "exists":
      return sql`(${value} is not null)`;
    default:
      return compared(value, symbolOf(test.operator), test.value);
  }
}

/** A string that holds the value, or an array with an element that equals it. */
function contains(value: Sql, wanted: FilterScalar): Sql {
  const element = sql`${value} @> ${jsonText(wanted)}::text::jsonb`;
  const array = sql`when 'array' then ${element}`;
  if (typeof wanted !== "string") return sql`coalesce(case jsonb_typeof(${value}) ${array} end, false)`;
  return sql`coalesce(case jsonb_typeof(${value})
          when 'string' then strpos(${textOf(value)} collate "C", ${wanted}::text) > 0
          ${array}
        end, false)`;
}

/** The same regardless of case. */
function containsAnyCase(value: Sql, wanted: string): Sql {
  const element = sql`e.value`;
  return sql`coalesce(case jsonb_typeof(${value})
          when 'string' then ${holdsAnyCase(textOf(value), wanted)}
          when 'array' then exists (
            select
            from jsonb_array_elements(case jsonb_typeof(${value}) when 'array' then ${value} else '[]'::jsonb end) as e(value)
            where jsonb_typeof(e.value) = 'string'
              and ${equalsAnyCase(textOf(element), wanted)})
        end, false)`;
}

/** Numbers with numbers, strings with strings by code points. */
function compared(value: Sql, symbol: Sql, wanted: string | number | Date): Sql {
  if (typeof wanted === "number") {
    return sql`coalesce(jsonb_typeof(${value}) = 'number' and ${value} ${symbol} ${jsonText(wanted)}::text::jsonb, false)`;
  }
  return sql`coalesce(
          jsonb_typeof(${value}) = 'string' and ${textOf(value)} collate "C" ${symbol} ${String(wanted)}::text,
          false)`;
}

/** The text of a JSON string. */
function textOf(value: Sql): Sql {
  return sql`(${value} #>> '{}')`;
}

/**
 * The value at the path; null where there is none. The operator takes `-1`, `+1`, ` 1` and `01` for indexes of arrays,
 * which are keys and nothing else here.
 */
function valueAt(path: readonly string[]): Sql {
  const value = valueOf(path);
  const prefixes = path.flatMap((step, index) => (isLooseIndex(step) && index > 0 ? [path.slice(0, index)] : []));
  if (prefixes.length === 0) return value;
  const objects = prefixes.map((prefix) => sql`jsonb_typeof(${valueOf(prefix)}) = 'object'`);
  return sql`(case when ${joinSql(objects, " and ")} then ${value} end)`;
}

/** A whole number in another form than that of an index. */
function isLooseIndex(step: string): boolean {
  return /^\s*[+-]?\d+$/.test(step) && !/^(?:0|[1-9]\d*)$/.test(step);
}

function valueOf(path: readonly string[]): Sql {
  return sql`(r.metadata #> ${path}::text[])`;
}

function jsonText(value: FilterScalar): string {
  return JSON.stringify(value);
}
