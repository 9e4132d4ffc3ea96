import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { NDJSON, type StreamReply } from "./define-route.js";

/** Sends a stream at the client's pace; a client that goes away ends it, which is no error. */
export async function sendStream(
  response: Response,
  { headers, stream: { bytes, stream } }: StreamReply,
): Promise<void> {
  response.status(200).set({ ...headers, "Content-Type": NDJSON, "Content-Length": String(bytes) });
  try {
    await pipeline(stream, response);
  } catch (error) {
    if (!response.destroyed) throw error;
  } finally {
    stream.destroy();
  }
}
