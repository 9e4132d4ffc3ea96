#!/usr/bin/env node
import { Command } from "commander";
import { createKey, listKeys, revokeKey } from "./commands/keys.js";
import { describeFailure } from "./commands/describe-failure.js";
import { migrate } from "./commands/migrate.js";
import { openapi } from "./commands/openapi.js";
import { refuseDryRunOption } from "./commands/refuse-dry-run-option.js";
import { serve } from "./commands/serve.js";
import { status } from "./commands/status.js";
import { verify } from "./commands/verify.js";
import { CAPABILITIES } from "./core/access.js";
import { packageVersion } from "./package-version.js";

const program = new Command("memgate")
  .description("A memory API for AI agents and assistants. Settings come from environment variables or a .env file.")
  .version(packageVersion());

program.command("serve").description("start the HTTP API").action(serve);
program
  .command("migrate")
  .description("bring the database schema up to date")
  .option("--dry-run", "print the SQL that would run, and write nothing")
  .action(migrate);
program.command("status").description("tell whether the server runs and its database is up to date").action(status);
const keys = program.command("keys").description("manage API keys: on the running server, else in its database");
keys
  .command("create")
  .description("make a key and print it, this once only")
  .requiredOption("--name <name>", "what the key is for")
  .requiredOption("--capability <names...>", CAPABILITIES.join(", "))
  .option("--project <names...>", "the projects that it may name; default: any")
  .option("--without-project", "it may also leave the project out")
  .option("--workspace <ids...>", "the workspaces that it may name")
  .option("--agent <ids...>", "the agents of which it has to name one")
  .option("--user <ids...>", "the users that it may name")
  .action(createKey);
keys.command("list").description("list the keys, revoked ones included").action(listKeys);
keys.command("revoke").argument("<id>").description("revoke a key from the next request on").action(revokeKey);
program
  .command("verify")
  .description("recompute digests, chains, projections and counters, and name each disagreement")
  .action(verify);
program
  .command("openapi")
  .description("print the OpenAPI description of the HTTP API")
  .option("--write", "write openapi.json and openapi.yaml")
  .option("--check", "fail when the two files differ from the routes")
  .action(openapi);

refuseDryRunOption(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(describeFailure(error));
  process.exitCode = 1;
}
