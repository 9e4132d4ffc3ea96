import { CLIENTS, isServed } from "./measure.mjs";

/** Calls `measure` for every size, mode that the server has, and number of clients; resolves with what it resolved with. */
export async function eachCase({ url, sizes, modes }, measure) {
  const results = [];
  for (const size of sizes) {
    for (const mode of modes) {
      if (!(await isServed(url, mode, size))) {
        console.error(`the mode ${mode} is not served`);
        continue;
      }
      for (const clients of CLIENTS) results.push(await measure({ size, mode, clients }));
    }
  }
  return results;
}
