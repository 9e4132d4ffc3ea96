import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, threadId } from "node:worker_threads";

// Speaks the protocol of src/embeddings/embedded/messages.ts without a model. The texts "exit" and "throw" end the
// thread, "refuse" fails its slice; any other text has the vector [id of the thread, texts in its slice, 0, 0, …].

const SLICE_MS = 10;
const ZEROS = Array.from({ length: 382 }, () => 0);

/** @param {{ kind: string, id: number, texts: string[] }} message */
async function answer({ kind, id, texts }) {
  if (kind === "close") {
    parentPort?.close();
    return;
  }
  if (texts.includes("exit")) process.exit(3);
  if (texts.includes("refuse")) {
    parentPort?.postMessage({ kind: "rejected", id, reason: "refused by the script" });
    return;
  }
  await sleep(SLICE_MS);
  if (texts.includes("throw")) throw new Error("thrown by the script");
  const vectors = Float32Array.from(texts.flatMap(() => [threadId, texts.length, ...ZEROS]));
  parentPort?.postMessage({ kind: "embedded", id, vectors, truncated: texts.map(() => false) }, [vectors.buffer]);
}

parentPort?.on("message", (/** @type {{ kind: string, id: number, texts: string[] }} */ message) => {
  void answer(message);
});
parentPort?.postMessage({ kind: "ready", runtime: "script" });
