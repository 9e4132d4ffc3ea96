import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

// The interactive API page is served from our own files: it works without the internet and under a strict CSP.
const ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js", "LICENSE"];
const target = fileURLToPath(new URL("../dist/docs-ui/", import.meta.url));

await mkdir(target, { recursive: true });
for (const name of ASSETS) {
  await copyFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), `${target}${name}`);
}
