import { embeddingUnavailable, MemgateError } from "../core/errors.js";
import type { Database } from "../db/database.js";
import { readSpaces, type SpaceIdentity, type SpaceOrigin, type SpaceRow } from "../db/queries/spaces.js";
import type { Embedder } from "../embeddings/embedder.js";

/** Provider of the spaces whose vectors come from callers: nothing here embeds for them. */
export const EXTERNAL = "external";

/** What an embedder is made from; the model null is the provider's default. */
export interface EmbedderRequest extends SpaceOrigin {
  readonly provider: string;
  readonly model: string | null;
  /** The space that it has to be of, where that is known. */
  readonly identity?: SpaceIdentity;
}

export type OpenEmbedder = (request: EmbedderRequest) => Promise<Embedder>;

/** A space with the embedder that makes its vectors. */
export interface OpenSpace {
  readonly id: number;
  readonly identity: SpaceIdentity;
  readonly embedder: Embedder;
}

/** How long an embedder that could not be opened is not tried again, in ms. */
const RETRY_MS = 5_000;

/**
 * The embedding spaces as this process knows them, with one embedder each, opened when first needed. What it remembers may
 * be behind the database: a statement tells which space its snapshot serves, and `refresh` catches up. Not to be asked
 * within a transaction, since the embedded database has one connection.
 */
export class SpaceRegistry {
  private rows: readonly SpaceRow[] | undefined;
  private readonly embedders = new Map<number, Promise<Embedder>>();
  private readonly opened: Embedder[] = [];

  constructor(
    private readonly db: Pick<Database, "run">,
    private readonly openEmbedder: OpenEmbedder,
  ) {}

  /** The served space. Throws `embedding_unavailable` where there is none or its embedder cannot be opened. */
  async served(): Promise<OpenSpace> {
    const row = await this.servedRow();
    if (row === undefined) throw embeddingUnavailable("no embedding space is served");
    return { id: row.id, identity: row.identity, embedder: await this.embedderOf(row.id) };
  }

  /** The served space whether it can embed or not; undefined where there is none. */
  async servedRow(): Promise<SpaceRow | undefined> {
    return (await this.known()).find(({ state }) => state === "served");
  }

  /** The spaces in which every memory is to have a vector, in order of id: all but retired and external ones. */
  async filled(): Promise<SpaceRow[]> {
    return (await this.known()).filter(({ state, identity }) => state !== "retired" && identity.provider !== EXTERNAL);
  }

  /** The embedder of a space. Rejects with `embedding_unavailable` where it has none or it cannot be opened now. */
  async embedderOf(spaceId: number): Promise<Embedder> {
    const known = this.embedders.get(spaceId);
    if (known !== undefined) return await known;
    const row = await this.find(spaceId);
    const again = this.embedders.get(spaceId);
    if (again !== undefined) return await again;
    if (row === undefined) throw embeddingUnavailable(`there is no embedding space ${String(spaceId)}`);
    const opening = this.open(row);
    this.embedders.set(spaceId, opening);
    opening.catch(() => {
      setTimeout(() => {
        if (this.embedders.get(spaceId) === opening) this.embedders.delete(spaceId);
      }, RETRY_MS).unref();
    });
    return await opening;
  }

  /** Makes an embedder that has no space yet; whoever asks closes it or has it adopted. */
  async make(request: EmbedderRequest): Promise<Embedder> {
    return await this.openEmbedder(request);
  }

  /** From now on this is the embedder of the space. It is not closed here unless `owned`. */
  adopt(spaceId: number, embedder: Embedder, { owned }: { readonly owned: boolean }): void {
    this.embedders.set(spaceId, Promise.resolve(embedder));
    if (owned) this.opened.push(embedder);
  }

  /** Reads the spaces again. */
  async refresh(): Promise<readonly SpaceRow[]> {
    this.rows = await readSpaces(this.db);
    return this.rows;
  }

  /** Closes the embedders that were opened here. */
  async close(): Promise<void> {
    await Promise.allSettled(this.embedders.values());
    await Promise.all(
      this.opened.splice(0).map(async (embedder) => {
        await embedder.close();
      }),
    );
  }

  private async known(): Promise<readonly SpaceRow[]> {
    return this.rows ?? (await this.refresh());
  }

  private async find(spaceId: number): Promise<SpaceRow | undefined> {
    const isIt = (row: SpaceRow): boolean => row.id === spaceId;
    return (await this.known()).find(isIt) ?? (await this.refresh()).find(isIt);
  }

  private async open({ id, identity, baseUrl, settings }: SpaceRow): Promise<Embedder> {
    const name = `the embedding space ${String(id)} (${identity.provider} ${identity.model})`;
    if (identity.provider === EXTERNAL) throw embeddingUnavailable(`${name} has no embedder: its vectors are given`);
    const { provider, model } = identity;
    const embedder = await this.openEmbedder({ provider, model, baseUrl, settings, identity }).catch(
      (error: unknown) => {
        throw new MemgateError("embedding_unavailable", `${name} cannot be embedded in now`, { cause: error });
      },
    );
    if (!sameIdentity(embedder.space, identity)) {
      await embedder.close();
      throw embeddingUnavailable(`${name} is no longer what its provider embeds in`);
    }
    this.opened.push(embedder);
    return embedder;
  }
}

function sameIdentity(a: SpaceIdentity, b: SpaceIdentity): boolean {
  return (["provider", "model", "revision", "dimensions", "recipe"] as const).every((part) => a[part] === b[part]);
}
