import { toFieldErrors } from "../routes/problem.js";
import { CreateKeyBody, toKeyDraft } from "../routes/schemas/keys.js";
import type { KeyDraft } from "../services/index.js";
import { withKeyStore } from "./with-key-store.js";

export interface CreateKeyOptions {
  readonly name: string;
  readonly capability: readonly string[];
  readonly project?: readonly string[];
  readonly withoutProject?: boolean;
  readonly workspace?: readonly string[];
  readonly agent?: readonly string[];
  readonly user?: readonly string[];
}

/** `memgate keys create`: the key alone goes to stdout, so that a script can take it from there. */
export async function createKey(options: CreateKeyOptions): Promise<void> {
  const draft = readDraft(options);
  const { id, key } = await withKeyStore(async (store) => await store.create(draft));
  process.stderr.write(`Made key ${id}. It is shown this once only:\n`);
  process.stdout.write(`${key}\n`);
}

/** `memgate keys list`: one line for each key. */
export async function listKeys(): Promise<void> {
  const { keys } = await withKeyStore(async (store) => await store.list());
  for (const { id, name, capabilities, grants, created_at, revoked_at } of keys) {
    const state = revoked_at === null ? `active since ${created_at}` : `revoked at ${revoked_at}`;
    const columns = [id, state, JSON.stringify(name), capabilities.join(","), JSON.stringify(grants)];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}

/** `memgate keys revoke ID`. */
export async function revokeKey(keyId: string): Promise<void> {
  const { id, revoked_at } = await withKeyStore(async (store) => await store.revoke(keyId));
  process.stdout.write(`Revoked key ${id} at ${revoked_at}.\n`);
}

function readDraft(options: CreateKeyOptions): KeyDraft {
  const { name, capability, project, workspace, agent, user } = options;
  const projects = [...(options.withoutProject === true ? [null] : []), ...(project ?? [])];
  const parsed = CreateKeyBody.safeParse({
    name,
    capabilities: capability,
    grants: {
      projects: projects.length === 0 ? undefined : projects,
      workspaces: workspace,
      agents: agent,
      user_ids: user,
    },
  });
  if (parsed.success) return toKeyDraft(parsed.data);
  throw new Error(
    toFieldErrors(parsed.error)
      .map((error) => `${error.path}: ${error.message}`)
      .join("; "),
  );
}
