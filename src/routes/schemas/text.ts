import { z } from "../zod.js";

/** Text of at most `maxBytes` UTF-8 bytes, not blank, that Postgres can store: no NUL, no lone surrogate. */
export function text(maxBytes: number) {
  return z
    .string()
    .superRefine((value, context) => {
      const message = textFault(value, maxBytes);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .openapi({ minLength: 1, maxLength: maxBytes });
}

/** What is wrong with a text; undefined when nothing is. */
export function textFault(value: string, maxBytes: number): string | undefined {
  if (value.trim() === "") return "must not be blank";
  if (value.includes("\u0000")) return "must not contain a NUL character";
  if (!value.isWellFormed()) return "must not contain a lone surrogate";
  // The embedded database takes one away when it reads, so what came back would not be what was stored.
  if (value.startsWith("\uFEFF")) return "must not begin with a byte order mark (U+FEFF)";
  const bytes = Buffer.byteLength(value);
  return bytes > maxBytes ? `must be at most ${String(maxBytes)} bytes of UTF-8, not ${String(bytes)}` : undefined;
}
