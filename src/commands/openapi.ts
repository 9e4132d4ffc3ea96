import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { packageVersion } from "../package-version.js";
import { allRoutes } from "../routes/all-routes.js";
import { openApiDocument } from "../routes/openapi-document.js";

/** `memgate openapi`: prints the API's description; `--write` renews the package's two files, `--check` compares them. */
export function openapi(options: { readonly write?: boolean; readonly check?: boolean }): void {
  const document = openApiDocument(
    allRoutes({ traceEnabled: false, drain: new AbortController().signal }),
    packageVersion(),
  );
  const files = {
    "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
    "openapi.yaml": stringify(document, { lineWidth: 0 }),
  };
  if (options.write !== true && options.check !== true) process.stdout.write(files["openapi.json"]);
  for (const [name, text] of Object.entries(files)) {
    const file = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    if (options.write === true) writeFileSync(file, text);
    if (options.check === true && readFileSync(file, "utf8") !== text) {
      throw new Error(`${name} differs from the routes: run "npm run openapi" and commit it`);
    }
  }
}
