import { Option, type Command } from "commander";
import { refuseDryRun } from "../core/refuse-dry-run.js";

/** Makes every command that has no preview refuse `--dry-run` before it does anything. */
export function refuseDryRunOption(program: Command, name = program.name()): void {
  for (const command of program.commands) {
    const full = `${name} ${command.name()}`;
    refuseDryRunOption(command, full);
    // A group would take the option away from the command that it belongs to.
    if (command.commands.length > 0) continue;
    if (command.options.some((option) => option.long === "--dry-run")) continue;
    command.addOption(new Option("--dry-run").hideHelp()).hook("preAction", (_command, action) => {
      refuseDryRun(action.opts<{ dryRun?: boolean }>().dryRun, full);
    });
  }
}
