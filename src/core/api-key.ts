import { createHash } from "node:crypto";

/** `mg_` and 256 random bits in base64url. */
const API_KEY = /^mg_[A-Za-z0-9_-]{43}$/;

/** Whether a text has the form of a key; only the database knows whether it is one. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The key of these 32 random bytes. */
export function toApiKey(random: Uint8Array): string {
  return `mg_${Buffer.from(random).toString("base64url")}`;
}

/** What is stored of a key: SHA-256 of its text, 32 bytes. 256 random bits cannot be guessed, so it needs no salt. */
export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}
