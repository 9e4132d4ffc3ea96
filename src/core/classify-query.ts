import { queryClass, type QueryClass } from "./query-class.js";
import { splitSentences } from "./query-sentences.js";
import { temporalState, type TemporalState } from "./temporal-state.js";

export type { QueryClass, TemporalState };

export interface QueryClassification {
  readonly query_class: QueryClass;
  readonly temporal_state: TemporalState;
}

/**
 * What a query asks for, by whole-word rules on its folded text (never substrings: "shower" is not "how"). The two
 * classifiers are independent of each other. Linear time; neither case nor a question mark makes a difference.
 */
export function classifyQuery(query: string): QueryClassification {
  const sentences = splitSentences(query);
  return { query_class: queryClass(sentences), temporal_state: temporalState(sentences) };
}
