/**
 * Runs `count` calls of `work(n)`, `clients` at a time, each client's next when its last has ended; resolves with the
 * duration of each in ms (with what `work` resolved with).
 */
export async function runClients(work, { clients, first, count }) {
  const samples = [];
  let next = first;
  const client = async () => {
    while (next < first + count) {
      const started = performance.now();
      const result = await work(next++);
      samples.push({ ms: performance.now() - started, result });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return samples;
}
