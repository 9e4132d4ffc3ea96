import { OWN_FIELDS, type FilterField, type FilterTree, type OwnField } from "../../core/filter-tree.js";
import { joinSql, sql, type Sql } from "../sql.js";
import { metadataTest } from "./filter-metadata.js";
import { columnTest, tagTest, type Tagged } from "./filter-columns.js";

/** The own fields that candidates have themselves. */
const OF_CANDIDATE = {
  agent_id: sql`c.agent_id`,
  created_at: sql`c.created_at`,
  episode_type: sql`c.episode_type`,
  event_at: sql`c.event_at`,
  importance: sql`c.importance`,
  namespace: sql`c.namespace`,
  revision: sql`c.revision::float8`,
  session_id: sql`c.session_id`,
  source_site: sql`c.source_site`,
  trust: sql`c.trust`,
  visibility: sql`c.visibility`,
};

/** Those that only the revision `r` has. */
const OF_REVISION = {
  content: sql`r.content`,
  expires_at: sql`r.expires_at`,
  external_id: sql`r.external_id`,
  review: sql`r.review`,
  source_url: sql`r.source_url`,
  updated_at: sql`r.recorded_at`,
};

const COLUMNS: Readonly<Record<Exclude<OwnField, "tags">, Sql>> = { ...OF_CANDIDATE, ...OF_REVISION };

/**
 * The tree as a condition on the candidate `c`, true or false and never null. Where it needs more than candidates have,
 * one look at the revision decides all of it. `tagged` is the subquery of the candidate's tags `t.tag` that meet a condition.
 */
export function treeCondition(tree: FilterTree, tagged: Tagged): Sql {
  const condition = nodeCondition(tree, tagged);
  if (!needsRevision(tree)) return condition;
  return sql`(
        select ${condition}
        from memory_revisions as r
        where r.scope_id = c.scope_id
          and r.memory_id = c.memory_id
          and r.revision = c.revision)`;
}

function needsRevision(tree: FilterTree): boolean {
  switch (tree.kind) {
    case "all":
    case "any":
      return tree.of.some(needsRevision);
    case "not":
      return needsRevision(tree.of);
    case "test":
      return tree.field.of === "metadata" || tree.field.name in OF_REVISION;
  }
}

function nodeCondition(tree: FilterTree, tagged: Tagged): Sql {
  switch (tree.kind) {
    case "all":
      return joinedConditions(tree.of, tagged, { separator: " and ", none: sql`true` });
    case "any":
      return joinedConditions(tree.of, tagged, { separator: " or ", none: sql`false` });
    case "not":
      return sql`not ${nodeCondition(tree.of, tagged)}`;
    case "test":
      return testCondition(tree.field, tree, tagged);
  }
}

function joinedConditions(
  trees: readonly FilterTree[],
  tagged: Tagged,
  by: { readonly separator: string; readonly none: Sql },
): Sql {
  if (trees.length === 0) return by.none;
  return sql`(${joinSql(
    trees.map((each) => nodeCondition(each, tagged)),
    by.separator,
  )})`;
}

function testCondition(field: FilterField, { test }: Extract<FilterTree, { kind: "test" }>, tagged: Tagged): Sql {
  if (field.of === "metadata") return metadataTest(field.path, test);
  if (field.name === "tags") return tagTest(test, tagged);
  return columnTest(COLUMNS[field.name], OWN_FIELDS[field.name], test);
}
