import { insertBindings } from "../db/queries/bindings.js";
import type { SpaceVectors } from "./embed-in-spaces.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** One content with the vectors that it has got. */
export interface ContentVectors {
  readonly memoryId: string;
  readonly contentRevision: number;
  readonly embedded: SpaceVectors;
}

/** Binds contents to their vectors, space by space. */
export async function insertVectors(write: ScopeWrite, contents: readonly ContentVectors[]): Promise<void> {
  const spaceIds = new Set(contents.flatMap(({ embedded }) => [...embedded.keys()]));
  for (const spaceId of spaceIds) {
    const rows = contents.flatMap(({ embedded, ...content }) => {
      const vector = embedded.get(spaceId) ?? null;
      return vector === null ? [] : [{ ...content, ...vector }];
    });
    await insertBindings(write.tx, write.scopeId, { spaceId, at: write.at, rows });
  }
}
