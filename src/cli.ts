#!/usr/bin/env node
import { Command } from "commander";
import { describeFailure } from "./commands/describe-failure.js";
import { migrate } from "./commands/migrate.js";
import { openapi } from "./commands/openapi.js";
import { serve } from "./commands/serve.js";
import { status } from "./commands/status.js";
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
program
  .command("openapi")
  .description("print the OpenAPI description of the HTTP API")
  .option("--write", "write openapi.json and openapi.yaml")
  .option("--check", "fail when the two files differ from the routes")
  .action(openapi);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(describeFailure(error));
  process.exitCode = 1;
}
