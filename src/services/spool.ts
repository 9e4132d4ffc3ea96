import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { uuidv7 } from "uuidv7";

/** Text that waits for a reader in a file without a name: it is gone when the stream, or the process, is. */
export interface Spooled {
  readonly bytes: number;
  /** Has to be read or destroyed. */
  readonly stream: Readable;
}

/**
 * Writes everything to a temporary file before anybody reads it, so that whoever produces it, a database transaction, is
 * done in its own time: a reader that is slow, or stands still, holds a file and nothing else.
 */
export async function spool(chunks: AsyncIterable<string>): Promise<Spooled> {
  const name = path.join(tmpdir(), `memgate-${uuidv7()}`);
  const file = await open(name, "wx+", 0o600);
  try {
    await unlink(name);
    for await (const chunk of chunks) await file.appendFile(chunk);
    return { bytes: (await file.stat()).size, stream: readFromStart(file) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Closes the file when it ends, fails or is destroyed. */
function readFromStart(file: FileHandle): Readable {
  return file.createReadStream({ start: 0 });
}
