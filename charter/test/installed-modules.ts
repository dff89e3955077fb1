import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./fetched-package.ts";

const cache = join(root, "node_modules/.cache/charter");

/** Packages that no test but one needs: installed once, by the lockfile in `from`, into a folder of the cache. */
export async function installedModules(
  from: string,
  name: string,
  finish: (modules: string) => void = () => {},
): Promise<string | { readonly absent: string }> {
  const lock = readFileSync(join(from, "package-lock.json"));
  const folder = join(cache, `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  try {
    if (!existsSync(folder)) await installInto(folder, from, finish);
    return join(folder, "node_modules");
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return { absent: `${name} cannot be had: ${(stderr || message).trim().split("\n")[0]}` };
  }
}

/** Two test processes may do this at once: each works in a folder of its own, and the first to rename it has won. */
async function installInto(folder: string, from: string, finish: (modules: string) => void): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "installing-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(from, file), join(work, file));
    const patience = ["--fetch-retries=1", "--fetch-timeout=20000", "--prefer-offline", "--loglevel=error"];
    const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...patience];
    await promisify(execFile)("npm", words, { cwd: work, timeout: 300_000, shell: process.platform === "win32" });
    finish(join(work, "node_modules"));
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
