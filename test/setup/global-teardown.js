/** Stops the container that the set-up started, if it started one. */
export default async function globalTeardown() {
  await globalThis.stopTestDatabase?.();
}
