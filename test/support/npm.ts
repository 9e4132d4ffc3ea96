import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs npm with the user's own settings, but without those that `npm test` hands down about this repository. */
export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$)/i.test(name) || /^npm_config_(cache|registry|.*proxy)$/i.test(name),
  );
  // Its postinstall would fetch GPU libraries from outside; npm drops the package when that fails.
  const skip = { npm_config_onnxruntime_node_install: "skip", ONNXRUNTIME_NODE_INSTALL: "skip" };
  const env = { ...Object.fromEntries(inherited), ...skip };
  const { stdout } = await promisify(execFile)("npm", [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Whether the package registry answers. */
export async function registryAnswers(): Promise<boolean> {
  try {
    await npm(["ping", "--fetch-timeout=5000", "--fetch-retries=0"], process.cwd());
    return true;
  } catch {
    return false;
  }
}
