import type { Rights } from "../core/access.js";

/** Who acts; fixed by the credentials. */
export interface Caller extends Rights {
  readonly tenantId: number;
  /** Id of the key, or `local` where no key is asked for. */
  readonly actor: string;
}
