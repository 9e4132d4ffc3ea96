import { describe, expect, it } from "@jest/globals";
import { loadConfig } from "../src/config.js";
import { authMode } from "../src/config-auth.js";

const DATABASE_URL = "postgres://localhost/memgate";

describe("AUTH_MODE", () => {
  it.each<[Record<string, string>, "keys" | "none"]>([
    [{}, "none"],
    [{ HOST: "localhost" }, "none"],
    [{ HOST: "::1" }, "none"],
    [{ HOST: "127.4.5.6" }, "none"],
    [{ DATABASE_URL }, "keys"],
    [{ HOST: "0.0.0.0" }, "keys"],
    [{ HOST: "::" }, "keys"],
    [{ HOST: "192.168.1.2" }, "keys"],
    [{ HOST: "127.example.com" }, "keys"],
    [{ HOST: "localhost.example.com" }, "keys"],
    [{ AUTH_MODE: "keys" }, "keys"],
    [{ AUTH_MODE: "none", DATABASE_URL }, "none"],
    [{ AUTH_MODE: "keys", HOST: "0.0.0.0", DATABASE_URL }, "keys"],
  ])("with %j is %s", (env, mode) => {
    expect(authMode(loadConfig(env))).toBe(mode);
  });

  it.each(["0.0.0.0", "::", "192.168.1.2", "127.example.com", "example.com"])("none is refused at %s", (HOST) => {
    expect(() => authMode(loadConfig({ AUTH_MODE: "none", HOST }))).toThrow(
      "refuses to listen on another address than loopback without keys",
    );
  });

  it("has no other value", () => {
    expect(() => loadConfig({ AUTH_MODE: "off" })).toThrow('AUTH_MODE is "off": allowed is keys or none');
  });

  it("no message shows MEMGATE_API_KEY", () => {
    expect(() => loadConfig({ MEMGATE_API_KEY: "a secret" })).toThrow("MEMGATE_API_KEY is (not shown)");
  });
});
