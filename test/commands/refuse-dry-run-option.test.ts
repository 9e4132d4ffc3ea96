import { describe, expect, it } from "@jest/globals";
import { Command } from "commander";
import { refuseDryRunOption } from "../../src/commands/refuse-dry-run-option.js";

/** A program with a command, one within another, and one that has a preview; notes what ran. */
function program(): { run: (...args: string[]) => Promise<void>; ran: string[] } {
  const ran: string[] = [];
  const memgate = new Command("memgate").exitOverride();
  memgate.command("verify").action(() => void ran.push("verify"));
  memgate
    .command("migrate")
    .option("--dry-run")
    .action(() => void ran.push("migrate"));
  memgate
    .command("keys")
    .command("revoke")
    .argument("<id>")
    .action(() => void ran.push("revoke"));
  refuseDryRunOption(memgate);
  const run = async (...args: string[]): Promise<void> => {
    await memgate.parseAsync(args, { from: "user" });
  };
  return { run, ran };
}

describe("--dry-run", () => {
  it.each([
    ["memgate verify", ["verify", "--dry-run"]],
    ["memgate keys revoke", ["keys", "revoke", "x", "--dry-run"]],
  ])("is refused by %s before it runs", async (name, args) => {
    const { run, ran } = program();
    await expect(run(...args)).rejects.toThrow(`dry_run: ${name} cannot be previewed`);
    expect(ran).toEqual([]);
  });

  it("is left to a command that has a preview, and nothing else changes", async () => {
    const { run, ran } = program();
    await run("migrate", "--dry-run");
    await run("verify");
    await run("keys", "revoke", "x");
    expect(ran).toEqual(["migrate", "verify", "revoke"]);
  });
});
