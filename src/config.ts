import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "dotenv";
import { z } from "zod";
import {
  choice,
  decimal,
  flag,
  integer,
  optionalText,
  postgresUrl,
  roleName,
  secret,
  text,
  webUrl,
} from "./config-values.js";
import { APP_ROLE_DEFAULT } from "./core/app-role.js";
import { ADAPTIVE_LIMITS_DEFAULT, LIMIT_MAX } from "./core/limits.js";
import { PROFILE_DEFAULT } from "./core/profiles.js";

export const EMBEDDING_PROVIDERS = ["embedded", "openai", "ollama", "voyage"] as const;

const adaptiveLimit = (fallback: number) => integer(1, LIMIT_MAX, fallback);

/** Every variable that Memgate reads, with what is allowed and the default. */
const Environment = z.object({
  HOST: text("127.0.0.1"),
  PORT: integer(0, 65_535, 3050),
  AUTH_MODE: z.enum(["keys", "none"], "allowed is keys or none").optional(),
  /** Read by the commands that talk to a running server; the server itself does not use it. */
  MEMGATE_API_KEY: secret,
  LOG_LEVEL: choice(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),

  DATABASE_URL: postgresUrl,
  DB_POOL_MAX: integer(1, 1_000, 10),
  DB_APP_ROLE: roleName(APP_ROLE_DEFAULT),
  MIGRATION_DATABASE_URL: postgresUrl,
  MIGRATE_ON_START: flag(true),
  MEMGATE_DATA_DIR: text(".memgate"),

  EMBEDDING_PROVIDER: choice(EMBEDDING_PROVIDERS, "embedded"),
  EMBEDDING_MODEL: optionalText,
  EMBEDDING_BASE_URL: webUrl,
  EMBEDDING_API_KEY: secret,
  OPENAI_API_KEY: secret,
  VOYAGE_API_KEY: secret,
  EMBEDDING_DIMENSIONS: integer(1, 16_000).optional(),
  EMBEDDING_BATCH_SIZE: integer(1, 2_048, 32),
  EMBEDDING_TIMEOUT_MS: integer(100, 600_000, 30_000),
  EMBEDDING_MAX_CHARS: integer(1, 262_144).optional(),
  EMBEDDING_DOCUMENT_PREFIX: optionalText,
  EMBEDDING_QUERY_PREFIX: optionalText,
  EMBEDDING_RUNTIME: choice(["auto", "onnx", "wasm"], "auto"),
  RECEIPT_RETENTION_DAYS: integer(0, 36_500, 30),
  WRITE_EMBED_WAIT_MS: integer(0, 600_000, 5_000),

  SIMILARITY_THRESHOLD: decimal(0, 1, 0.3),
  RETRIEVAL_PROFILE: choice(["safe", "balanced", "quality"], PROFILE_DEFAULT),
  RETRIEVAL_TRACE_ENABLED: flag(false),
  ADAPTIVE_SIMPLE_LIMIT: adaptiveLimit(ADAPTIVE_LIMITS_DEFAULT.simple),
  ADAPTIVE_MEDIUM_LIMIT: adaptiveLimit(ADAPTIVE_LIMITS_DEFAULT.medium),
  ADAPTIVE_COMPLEX_LIMIT: adaptiveLimit(ADAPTIVE_LIMITS_DEFAULT.complex),
  ADAPTIVE_MULTI_HOP_LIMIT: adaptiveLimit(ADAPTIVE_LIMITS_DEFAULT.multi_hop),
  ADAPTIVE_AGGREGATION_LIMIT: adaptiveLimit(ADAPTIVE_LIMITS_DEFAULT.aggregation),
});

/** The checked settings of one process, under the names of the environment variables. */
export type Config = Readonly<z.output<typeof Environment>>;

/** Variables whose value no message may show. */
const SECRETS = new Set([
  "MEMGATE_API_KEY",
  "EMBEDDING_API_KEY",
  "OPENAI_API_KEY",
  "VOYAGE_API_KEY",
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
]);

/** A variable cannot be used: the message names it, its value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads the settings from `env`; an empty variable counts as absent.
 * Throws {@link ConfigError} with one line for every bad variable.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = environment()): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = Environment.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues
      .map((issue) => {
        const name = String(issue.path[0]);
        const value = SECRETS.has(name) ? "(not shown)" : withoutLogin(JSON.stringify(given[name] ?? ""));
        return `${name} is ${value}: ${issue.message}`;
      })
      .join("\n"),
  );
}

/** An address may carry a password: `ftp://user:password@host`. */
function withoutLogin(shown: string): string {
  return shown.replace(/\/\/.*@/, "//(not shown)@");
}

/** The process's environment over the `.env` file of the working folder. */
function environment(): Record<string, string | undefined> {
  const file = path.resolve(".env");
  return { ...(existsSync(file) ? parse(readFileSync(file)) : {}), ...process.env };
}
