import { isIPv4 } from "node:net";
import { ConfigError, type Config } from "./config.js";

export type AuthMode = "keys" | "none";

/**
 * Whether callers need a key: as set, else none on loopback with the embedded database, which only this machine reaches.
 * Throws {@link ConfigError} where everyone who reaches another address would be let in.
 */
export function authMode(config: Pick<Config, "AUTH_MODE" | "HOST" | "DATABASE_URL">): AuthMode {
  const loopback = isLoopback(config.HOST);
  if (config.AUTH_MODE === "none" && !loopback) {
    throw new ConfigError(
      `AUTH_MODE is none and HOST is ${JSON.stringify(config.HOST)}: ` +
        "Memgate refuses to listen on another address than loopback without keys",
    );
  }
  return config.AUTH_MODE ?? (loopback && config.DATABASE_URL === undefined ? "none" : "keys");
}

/** By the name alone: `127.example.com` is a name like any other. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
