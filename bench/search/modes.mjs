/** The ways of searching: where each is asked for, and with what beside user and query. */
export const MODES = {
  full: { path: "/v1/memories/search", body: {} },
  fast: { path: "/v1/memories/search/fast", body: {} },
  lexical: { path: "/v1/memories/search", body: { mode: "lexical" } },
};
