import { z } from "zod";

/** A whole number in plain digits; no sign, exponent, separator or unit. */
export function integer(min: number, max: number, fallback?: number) {
  const allowed = `allowed is a whole number from ${String(min)} to ${String(max)}`;
  return z
    .string()
    .default(fallback === undefined ? "" : String(fallback))
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, allowed)
    .transform(Number);
}

/** A number in plain decimal notation with a point: `0`, `0.3`, `1`. */
export function decimal(min: number, max: number, fallback: number) {
  const allowed = `allowed is a plain number from ${String(min)} to ${String(max)}, such as ${String(fallback)}`;
  return z
    .string()
    .default(String(fallback))
    .refine((value) => /^(\d+(\.\d+)?|\.\d+)$/.test(value) && Number(value) >= min && Number(value) <= max, allowed)
    .transform(Number);
}

export function flag(fallback: boolean) {
  return z
    .enum(["true", "false"], "allowed is true or false")
    .default(fallback ? "true" : "false")
    .transform((value) => value === "true");
}

export function choice<const T extends readonly [string, ...string[]]>(options: T, fallback: T[number]) {
  return z.enum(options, `allowed is one of ${options.join(", ")}`).default(fallback as never);
}

export function text(fallback: string) {
  return z.string().default(fallback);
}

/** A role's name as it stands in SQL without quotes. */
export function roleName(fallback: string) {
  return z
    .string()
    .default(fallback)
    .refine(
      (value) => /^[a-z_][a-z0-9_]{0,62}$/.test(value),
      "allowed is a name of lower-case letters, digits and underscores",
    );
}

export const optionalText = z.string().optional();

/** Visible ASCII: it becomes part of an HTTP header. */
export const secret = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "allowed is a key of visible ASCII characters, without spaces")
  .optional();

export const postgresUrl = z
  .string()
  .refine(
    (value) => hasProtocol(value, ["postgres:", "postgresql:"]),
    "allowed is postgres://user:password@host:port/database",
  )
  .optional();

export const webUrl = z
  .string()
  .refine(
    (value) => hasProtocol(value, ["http:", "https:"]),
    "allowed is an address that begins with http:// or https://",
  )
  .optional();

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}
