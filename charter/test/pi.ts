import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/**
 * pi, whose prompt the coding agent's is held against: one file of its npm package, without the 190 packages the rest
 * of it needs. It is used from bench/ where that is installed, else from a cache, else it is fetched into the cache.
 */

const name = "@mariozechner/pi-coding-agent";
const version = "0.57.1";
const integrity = "u5MQEduj68rwVIsRsqrWkJYiJCyPph/a6bMoJAQKo1sb+Pc17Y/ojwa+wGssnUMjEB38AQKofWTVe8NFEpSWNw==";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/charter");
const cached = join(cache, `pi-coding-agent-${version}`);
const places = [join(root, "bench/node_modules", name), cached];

export type PiSkill = {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly disableModelInvocation: boolean;
};

export type PiOptions = {
  readonly customPrompt?: string;
  readonly selectedTools?: readonly string[];
  readonly toolSnippets?: Readonly<Record<string, string>>;
  readonly promptGuidelines?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly cwd?: string;
  readonly contextFiles?: readonly { readonly path: string; readonly content: string }[];
  readonly skills?: readonly PiSkill[];
};

export type Pi = { readonly buildSystemPrompt: (options?: PiOptions) => string };

/** pi's builder, or why it cannot be had. */
export async function loadPi(): Promise<Pi | { readonly absent: string }> {
  try {
    const folder = places.find(holdsPi) ?? (await fetchPi());
    return (await import(/* @vite-ignore */ pathToFileURL(join(folder, "dist/core/system-prompt.js")).href)) as Pi;
  } catch (error) {
    return { absent: `${name}@${version} cannot be had: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function holdsPi(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version;
}

/** Two test processes may do this at once: each works in a folder of its own, and the first to rename it has won. */
async function fetchPi(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetching-"));
  try {
    const patience = ["--fetch-retries=0", "--fetch-timeout=20000", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["pack", `${name}@${version}`, "--pack-destination", work, "--loglevel=error", ...patience]);
    const tarball = join(work, `mariozechner-pi-coding-agent-${version}.tgz`);
    const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    if (digest !== integrity) throw new Error(`its sha512 is ${digest}, not ${integrity}.`);
    await run("tar", ["-xzf", tarball, "-C", work]);
    try {
      renameSync(join(work, "package"), cached);
    } catch (error) {
      if (!holdsPi(cached)) throw error;
    }
    return cached;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd: root, timeout: 30_000, shell: process.platform === "win32" });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`“${command} ${args[0]}” failed: ${(stderr || message).trim().split("\n")[0]}`);
  }
}
