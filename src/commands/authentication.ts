import type { AppOptions } from "../app.js";
import type { Composition } from "../compose.js";
import type { AuthMode } from "../config-auth.js";
import { authenticateByKey } from "../routes/authenticate.js";

/** How the server learns who calls; with `keys` it makes and prints the first one where there was never any. */
export async function prepareAuthentication(
  mode: AuthMode,
  system: Pick<Composition, "services" | "localCaller">,
): Promise<AppOptions["authenticate"]> {
  const { services, localCaller } = system;
  if (mode === "none") return async () => await Promise.resolve(localCaller);
  const first = await services.createFirstKey(localCaller.tenantId);
  if (first !== undefined) {
    process.stdout.write(
      `FIRST API KEY        ${first.key}\n` +
        "It can do everything and is shown this once only: keep it, or revoke it and make others with memgate keys.\n",
    );
  }
  return authenticateByKey(services);
}
