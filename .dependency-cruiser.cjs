/** Layers from the top down. A file imports from its own layer or one below; two folders of one layer never meet. */
const LAYERS = [
  { name: "cli", path: "^src/cli\\.ts$" },
  { name: "commands", path: "^src/commands/" },
  { name: "composition", path: "^src/(?!cli\\.ts$)[^/]+\\.ts$" },
  { name: "edges", path: "^src/(routes|jobs|eval)/" },
  { name: "services", path: "^src/services/" },
  { name: "adapters", path: "^src/(db|embeddings)/" },
  { name: "core", path: "^src/core/" },
];

const PURE_BUILTINS = ["buffer", "crypto", "util"];
const PURE_PACKAGES = ["gpt-tokenizer", "wink-porter2-stemmer"];

const NPM = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-bundled", "npm-no-pkg"];

function forbid(name, comment, from, to) {
  return { name, comment, severity: "error", from, to };
}

function packages(...names) {
  return `(^|/)node_modules/(@types/)?(${names.join("|")})(/|$)`;
}

const downward = LAYERS.slice(1).map((layer, index) =>
  forbid(
    `${layer.name}-imports-downward`,
    "Imports point downward: cli, commands, app and compose, routes | jobs | eval, services, db | embeddings, core.",
    { path: layer.path },
    { path: LAYERS.slice(0, index + 1).map(({ path }) => path) },
  ),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...downward,
    forbid(
      "edges-stay-apart",
      "routes, jobs and eval never import each other.",
      { path: "^src/(routes|jobs|eval)/" },
      { path: "^src/(routes|jobs|eval)/", pathNot: "^src/$1/" },
    ),
    forbid(
      "adapters-stay-apart",
      "db and embeddings never import each other.",
      { path: "^src/(db|embeddings)/" },
      { path: "^src/(db|embeddings)/", pathNot: "^src/$1/" },
    ),
    forbid(
      "services-through-index",
      "routes, jobs and eval see the services only through services/index.ts.",
      { path: "^src/(routes|jobs|eval)/" },
      { path: "^src/services/", pathNot: "^src/services/index\\.ts$" },
    ),
    forbid(
      "edges-leave-data-to-services",
      "routes, jobs and eval reach the database and the embedder only by way of a service.",
      { path: "^src/(routes|jobs|eval)/" },
      { path: "^src/(db|embeddings)/" },
    ),
    forbid(
      "config-only-at-the-top",
      "Everything below the composition is told its settings, it does not look them up.",
      {
        path: "^src/",
        pathNot: "^src/(commands/|cli\\.ts$|compose\\.ts$|embedder-opener\\.ts$|app\\.ts$|config[^/]*\\.ts$)",
      },
      { path: "^src/config[^/]*\\.ts$" },
    ),
    forbid(
      "postgres-only-in-db",
      "The database drivers are known to src/db alone.",
      { path: "^src/", pathNot: "^src/db/" },
      { path: packages("pg", "pg-[^/]+", "pgvector", "@electric-sql") },
    ),
    forbid(
      "express-only-at-the-http-edge",
      "express is known to src/app.ts and src/routes alone.",
      { path: "^src/", pathNot: "^src/(app\\.ts$|routes/)" },
      { path: packages("express", "express-[^/]+") },
    ),
    forbid(
      "models-only-in-embeddings",
      "Model runtimes, tokenizers and weights are known to src/embeddings alone.",
      { path: "^src/", pathNot: "^src/embeddings/" },
      { path: packages("onnxruntime-[^/]+", "@lat\\.md", "@huggingface") },
    ),
    forbid(
      "core-without-io",
      "core decides without asking anyone: of Node it may use only what computes.",
      { path: "^src/core/" },
      { dependencyTypes: ["core"], pathNot: `^(node:)?(${PURE_BUILTINS.join("|")})$` },
    ),
    forbid(
      "core-with-pure-packages",
      "core may use only the packages on this list, which are pure functions.",
      { path: "^src/core/" },
      { dependencyTypes: NPM, pathNot: packages(...PURE_PACKAGES) },
    ),
    forbid(
      "public-entry-for-others",
      "src/index.ts is what programs that depend on the package import; nothing of ours goes through it.",
      { path: "^src/" },
      { path: "^src/index\\.ts$" },
    ),
    forbid(
      "public-entry-shows-the-pipeline",
      "What src/index.ts exports is kept for others: the embedding pipeline and its words, no part of the server.",
      { path: "^src/index\\.ts$" },
      { path: "^src/", pathNot: "^src/(embeddings|core)/" },
    ),
    forbid(
      "src-alone",
      "What is shipped does not import tests, benchmarks, scripts or examples.",
      { path: "^src/" },
      { path: "^(test|bench|scripts|examples)/" },
    ),
    forbid(
      "no-dev-dependencies",
      "An installation has no devDependencies.",
      { path: "^src/" },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "no-undeclared-packages",
      "Every package that src imports is in package.json.",
      { path: "^src/" },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    forbid("no-unresolvable", "The import leads nowhere.", {}, { couldNotResolve: true }),
    forbid("no-circular", "Two files that import each other are one file.", {}, { circular: true }),
    forbid(
      "no-orphans",
      "Nothing imports this file and it imports nothing.",
      { orphan: true, pathNot: "\\.d\\.ts$" },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
