import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { loadConfig } from "../src/config.js";
import { allRoutes } from "../src/routes/all-routes.js";
import { SearchReply } from "../src/routes/schemas/search.js";

const readme = read("README.md");
/** As the code has them: the keys of the one schema that reads the environment. */
const variables = [...read("src/config.ts").matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, name]) => name!);
/** `# NAME=default` */
const example = [...read(".env.example").matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [
  name!,
  value!,
]);

function read(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
}

describe("README.md", () => {
  it("is a door of less than 200 lines", () => {
    expect(readme.split("\n").length).toBeLessThan(200);
  });

  it("opens with the two commands", () => {
    const [, commands] = /```sh\n(.*?)```/s.exec(readme) ?? [];
    expect(commands).toMatch(/^npm ci && npm start\b.*\nnpm ci && npm test\n$/);
  });

  it("has a row for every variable with the default that .env.example has, and no other", () => {
    const rows = [...readme.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (?:`(.*?)` )?\|/gm)];
    expect(rows.map(([, name, value]) => [name, value ?? ""])).toEqual(example);
  });

  it("shows requests that the API accepts", () => {
    const requests = [...readme.matchAll(/^curl -s http:\/\/127\.0\.0\.1:3050(\S+) .* -d '(.*)'$/gm)];
    expect(requests).toHaveLength(3);
    for (const [, path, body] of requests) {
      const schema = routes().find((route) => route.method === "post" && route.path === path)?.body;
      expect(schema?.safeParse(JSON.parse(body!)).error).toBeUndefined();
    }
  });

  it("shows a reply as the API gives it", () => {
    const [, reply] = /```json\n(.*?)```/s.exec(readme) ?? [];
    expect(SearchReply.safeParse(JSON.parse(reply!)).error).toBeUndefined();
  });
});

describe(".env.example", () => {
  it("has every variable of src/config.ts once, in its order, and no other", () => {
    expect(example.map(([name]) => name)).toEqual(variables);
    expect(variables.length).toBeGreaterThan(20);
  });

  it("shows the defaults: uncommented it changes nothing", () => {
    expect(loadConfig(Object.fromEntries(example) as Record<string, string>)).toEqual(loadConfig({}));
  });
});

function routes() {
  return allRoutes({ traceEnabled: false, drain: new AbortController().signal });
}
