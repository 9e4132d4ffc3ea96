import type { CreatedKeyReply, KeysReply, RevokedKeyReply } from "../routes/schemas/keys.js";
import type { z } from "../routes/zod.js";
import type { KeyDraft } from "../services/index.js";

/** Where keys are managed; it answers as the API does. */
export interface KeyStore {
  create(draft: KeyDraft): Promise<z.output<typeof CreatedKeyReply>>;
  list(): Promise<z.output<typeof KeysReply>>;
  revoke(id: string): Promise<z.output<typeof RevokedKeyReply>>;
}
