import { describe, expect, it } from "@jest/globals";
import { ConfigError, loadConfig } from "../src/config.js";

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error(`accepted ${JSON.stringify(env)}`);
}

describe("loadConfig", () => {
  it("has a default for everything that needs one", () => {
    expect(loadConfig({})).toMatchObject({
      ...{ HOST: "127.0.0.1", PORT: 3050, MEMGATE_DATA_DIR: ".memgate", DB_POOL_MAX: 10, MIGRATE_ON_START: true },
      ...{ EMBEDDING_PROVIDER: "embedded", EMBEDDING_RUNTIME: "auto", WRITE_EMBED_WAIT_MS: 5_000 },
      ...{ SIMILARITY_THRESHOLD: 0.3, RETRIEVAL_PROFILE: "balanced", RETRIEVAL_TRACE_ENABLED: false },
      ...{ ADAPTIVE_SIMPLE_LIMIT: 5, ADAPTIVE_MEDIUM_LIMIT: 5, ADAPTIVE_COMPLEX_LIMIT: 8 },
      ...{ ADAPTIVE_MULTI_HOP_LIMIT: 12, ADAPTIVE_AGGREGATION_LIMIT: 25 },
    });
    for (const name of ["DATABASE_URL", "EMBEDDING_API_KEY", "EMBEDDING_DIMENSIONS", "EMBEDDING_MAX_CHARS"] as const) {
      expect(loadConfig({})[name]).toBeUndefined();
    }
  });

  it("takes an empty variable for an absent one", () => {
    const names = Object.keys(loadConfig({}));
    const more = [
      "DATABASE_URL",
      "MIGRATION_DATABASE_URL",
      "EMBEDDING_MODEL",
      "EMBEDDING_API_KEY",
      "EMBEDDING_DIMENSIONS",
    ];
    const empty = Object.fromEntries([...names, ...more].map((name) => [name, ""]));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it("leaves alone what is not its own", () => {
    expect(loadConfig({ PATH: "/bin", SIMILARITY: "x" })).toEqual(loadConfig({}));
  });

  it.each([
    ["0", 0],
    ["1", 1],
    ["0.3", 0.3],
    [".5", 0.5],
    ["0.0", 0],
    ["1.000", 1],
  ])("SIMILARITY_THRESHOLD=%s is fine", (value, threshold) => {
    expect(loadConfig({ SIMILARITY_THRESHOLD: value }).SIMILARITY_THRESHOLD).toBe(threshold);
  });

  it.each([
    ...[
      "1.5",
      "1.0001",
      "-0.1",
      "abc",
      "0,5",
      "1e-1",
      " 0.3",
      "0.3 ",
      "0.",
      "+0.3",
      "NaN",
      "Infinity",
      "0x0",
      "٠",
      "null",
    ].map((value) => ["SIMILARITY_THRESHOLD", value, "a plain number from 0 to 1"]),
    ...["65536", "-1", "3050.5", "http", "3e3", "0x50", " 80"].map((value) => ["PORT", value, "from 0 to 65535"]),
    ...["0", "1001", "ten"].map((value) => ["DB_POOL_MAX", value, "from 1 to 1000"]),
    ["ADAPTIVE_SIMPLE_LIMIT", "0", "from 1 to 100"],
    ["ADAPTIVE_AGGREGATION_LIMIT", "101", "from 1 to 100"],
    ["WRITE_EMBED_WAIT_MS", "5s", "from 0 to 600000"],
    ["EMBEDDING_DIMENSIONS", "0", "from 1 to 16000"],
    ["EMBEDDING_DIMENSIONS", "16001", "from 1 to 16000"],
    ["EMBEDDING_BATCH_SIZE", "1.0", "from 1 to 2048"],
    ["EMBEDDING_PROVIDER", "OpenAI", "embedded, openai, ollama, voyage"],
    ["EMBEDDING_RUNTIME", "gpu", "auto, onnx, wasm"],
    ["EMBEDDING_BASE_URL", "localhost:11434", "http:// or https://"],
    ["EMBEDDING_BASE_URL", "ftp://example.com", "http:// or https://"],
    ["RETRIEVAL_PROFILE", "fast", "safe, balanced, quality"],
    ["LOG_LEVEL", "verbose", "fatal, error, warn, info, debug, trace, silent"],
    ...["1", "yes", "TRUE", "on"].flatMap((value) => [
      ["MIGRATE_ON_START", value, "true or false"],
      ["RETRIEVAL_TRACE_ENABLED", value, "true or false"],
    ]),
  ] as [string, string, string][])(
    "%s=%s is refused with variable, value and what is allowed",
    (name, value, allowed) => {
      const message = refusal({ [name]: value });
      expect(message).toContain(`${name} is ${JSON.stringify(value)}: allowed is `);
      expect(message).toContain(allowed);
      expect(message.split("\n")).toHaveLength(1);
    },
  );

  it.each([
    ["DATABASE_URL", "hunter2", "postgres://"],
    ["DATABASE_URL", "mysql://root:hunter2@localhost/db", "postgres://"],
    ["MIGRATION_DATABASE_URL", "host=localhost password=hunter2", "postgres://"],
    ["EMBEDDING_API_KEY", "sk hunter2", "visible ASCII"],
    ["EMBEDDING_API_KEY", "hunter2\n", "visible ASCII"],
    ["EMBEDDING_API_KEY", "hünter2", "visible ASCII"],
  ])("%s never shows its value", (name, value, allowed) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(`${name} is (not shown): allowed is `);
    expect(message).toContain(allowed);
    expect(message).not.toMatch(/h[uü]nter2/);
  });

  it("does not show the password in an address either", () => {
    expect(refusal({ EMBEDDING_BASE_URL: "ftp://me:hunter2@example.com" })).not.toContain("hunter2");
    expect(refusal({ EMBEDDING_BASE_URL: "//me:hunter2@example.com" })).not.toContain("hunter2");
  });

  it("names every variable that is wrong, one a line", () => {
    const message = refusal({ PORT: "x", SIMILARITY_THRESHOLD: "2", DATABASE_URL: "x", HOST: "0.0.0.0" });
    expect(message.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "PORT",
      "DATABASE_URL",
      "SIMILARITY_THRESHOLD",
    ]);
  });
});
