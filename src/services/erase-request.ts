import type { OnceRequest } from "./once.js";
import type { ScopeRequest } from "./resolve-scope.js";

/** What is to be erased. */
export type EraseTarget =
  | { readonly by: "memory"; readonly id: string }
  /** All that the scope's user has, in any project and mission of the tenant. */
  | { readonly by: "user" }
  | { readonly by: "source_site"; readonly sourceSite: string }
  | { readonly by: "session"; readonly sessionId: string }
  | { readonly by: "scope" };

export const DERIVED_MODES = ["erase", "keep"] as const;

export interface EraseRequest {
  /** Undefined: every scope of the tenant that the caller may name. */
  readonly scope: ScopeRequest | undefined;
  readonly target: EraseTarget;
  /** What becomes of what was derived from it; what is kept is found by nothing. */
  readonly derived: (typeof DERIVED_MODES)[number];
  /** Only count; leaves no receipt, since nothing is done. */
  readonly dryRun: boolean;
  /** The digest that a preview gave. */
  readonly expectedDigest: string | undefined;
  readonly once: OnceRequest | undefined;
}
