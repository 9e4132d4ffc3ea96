import { destination, pino, type Logger } from "pino";
import type { Config } from "../config.js";
import { logError } from "./log-error.js";

/** Structured log on stderr, so that stdout is left to what a command prints. */
export function createLogger(config: Pick<Config, "LOG_LEVEL">): Logger {
  return pino(
    {
      level: config.LOG_LEVEL,
      base: null,
      serializers: { err: logError },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    destination({ dest: 2, sync: true }),
  );
}
