import { fill } from "./client.mjs";
import { memory } from "./corpus.mjs";

/** Fills a scope of each size through the server at `url`, and says how long it took. */
export async function fillScopes(url, sizes) {
  for (const size of sizes) {
    const started = performance.now();
    await fill(url, size, memory);
    console.error(`${size} memories stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  }
}
