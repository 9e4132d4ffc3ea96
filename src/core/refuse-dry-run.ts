import { invalidField } from "./errors.js";

/** What `dry_run` (or `--dry-run`) is known to. */
const PREVIEWS = "POST /v1/memories/delete, POST /v1/erase and `memgate migrate --dry-run`";

/**
 * A safety flag is never ignored: throws `invalid_request` where `dry_run` is given to something that has no preview,
 * before anything is written. `what` names that: `POST /v1/memories`, `memgate keys create`.
 */
export function refuseDryRun(dryRun: unknown, what: string): void {
  if (dryRun === undefined) return;
  throw invalidField("dry_run", `${what} cannot be previewed, and nothing was done; what can be: ${PREVIEWS}`);
}
