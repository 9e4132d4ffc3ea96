import { expect } from "@jest/globals";
import type { LocalApi } from "./local-api.js";

export type Line = Record<string, unknown>;

type Scope = Readonly<Record<string, string>>;

/** The export of a scope, which has to succeed. */
export async function exported(from: LocalApi, scope: Scope): Promise<string> {
  const response = await fetch(new URL(`/v1/export?${new URLSearchParams(scope).toString()}`, from.url));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return await response.text();
}

/** Imports a text into a scope. */
export async function imported(
  to: { readonly api: LocalApi; readonly scope: Scope },
  body: string,
  key?: string,
): Promise<{ status: number; body: Line }> {
  const headers: Record<string, string> = { "content-type": "application/x-ndjson" };
  if (key !== undefined) headers["idempotency-key"] = key;
  const url = new URL(`/v1/import?${new URLSearchParams(to.scope).toString()}`, to.api.url);
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Line };
}

export function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
