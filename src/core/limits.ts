import type { QueryClass } from "./classify-query.js";

/** The limits of the wire contract. Byte limits count UTF-8 bytes, both ends included. */

/** Content of one memory, in bytes. */
export const CONTENT_MIN_BYTES = 1;
export const CONTENT_MAX_BYTES = 65_536;

/** Tags of one memory: how many, and how many bytes each. */
export const TAGS_MAX = 32;
export const TAG_MAX_BYTES = 128;

/** Metadata of one memory: bytes of its JSON text, and levels of nesting (the outermost object is level 1). */
export const METADATA_MAX_BYTES = 32 * 1_024;
export const METADATA_MAX_DEPTH = 32;

/** user_id, workspace_id, agent_id, project, mission, session_id, external_id and source_site, in bytes each. */
export const NAME_MAX_BYTES = 256;
export const EPISODE_TYPE_MAX_BYTES = 64;
export const NAMESPACE_MAX_BYTES = 256;
export const SOURCE_URL_MAX_BYTES = 2_048;

/** What one memory may be derived from directly, and how many derivations may lie between it and what came first. */
export const SOURCES_MAX = 64;
export const DERIVATION_DEPTH_MAX = 8;

/** Memories derived, at any distance, from those that one write changes: they change with them, in its transaction. */
export const DEPENDENTS_MAX = 10_000;

/** Text of a search query, in bytes. */
export const QUERY_MIN_BYTES = 1;
export const QUERY_MAX_BYTES = 4_096;

/** Agents that one `agent_scope` may name. */
export const AGENT_SCOPE_MAX = 256;

/** `limit` of a search: how many memories may come back at most. */
export const LIMIT_MIN = 1;
export const LIMIT_MAX = 100;

/** `token_budget` of a search, from 1: tokens of its context. */
export const TOKEN_BUDGET_MAX = 1_000_000;

/** Memories in one batch, ids in one get or delete. */
export const BATCH_MAX = 500;

/** Page size of a listing. */
export const PAGE_MIN = 1;
export const PAGE_MAX = 200;
export const PAGE_DEFAULT = 50;

/** How many memories a search without `limit` returns at most, by query class; each 1 to {@link LIMIT_MAX}. */
export const ADAPTIVE_LIMITS_DEFAULT: Readonly<Record<QueryClass, number>> = {
  simple: 5,
  medium: 5,
  complex: 8,
  multi_hop: 12,
  aggregation: 25,
};

/** A filter tree: levels of nodes, members of an AND or OR, operators in all of it, and members of an `in` or `nin`. */
export const FILTER_DEPTH_MAX = 8;
export const FILTER_NODES_MAX = 64;
export const FILTER_CONDITIONS_MAX = 64;
export const FILTER_LIST_MAX = 500;

/** A field's name with its path, and a text that it is compared with, in bytes each. */
export const FILTER_TEXT_MAX_BYTES = 4_096;

/**
 * `icontains` in one tree, and bytes of each: they are regular expressions, of which a connection keeps 32 compiled.
 * One of 256 characters takes 0.2 ms of a text of 60,000, one of 4,096 up to 25.
 */
export const FILTER_ICONTAINS_MAX = 16;
export const FILTER_ICONTAINS_MAX_BYTES = 256;

/** A filter tree in a query string, in bytes of its JSON text. */
export const FILTER_QUERY_MAX_BYTES = 8_192;
