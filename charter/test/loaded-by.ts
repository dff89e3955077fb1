import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareEnvironment } from "./cli.ts";

/**
 * Every script a process loads, from V8's own list of what it covered, whoever runs the tests: under npm the command loads
 * files that watch its parent. A process that serves is ended at its first words.
 */
export async function loadedBy(
  args: readonly string[],
  { serves = false, ...options }: Loading = {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "charter-loaded-"));
  try {
    const env = { ...bareEnvironment(), ...options.env, NODE_V8_COVERAGE: folder };
    const child = spawn(process.execPath, args, { ...options, env, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.once("data", () => serves && child.kill("SIGTERM"));
    child.stdout.resume();
    await once(child, "close");
    const urls = readdirSync(folder).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { result: { url: string }[] };
      return result.map(({ url }) => url);
    });
    return [...new Set(urls)].filter((url) => url.startsWith("file:"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Loading = { readonly serves?: boolean; readonly cwd?: string; readonly env?: Readonly<Record<string, string>> };
