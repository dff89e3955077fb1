import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../fetched-package.ts";

const cache = join(root, "node_modules/.cache/charter");
const files = ["package.json", "package-lock.json"];

/** The modules of other people's frameworks, as the lockfile beside this file has them, with this clone's Charter among them. */
export async function frameworkModules(): Promise<string | { readonly absent: string }> {
  const lock = readFileSync(join(import.meta.dirname, "package-lock.json"));
  const folder = join(cache, `frameworks-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  try {
    if (!existsSync(folder)) await installInto(folder);
    return join(folder, "node_modules");
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return { absent: `LangChain and Mastra cannot be had: ${(stderr || message).trim().split("\n")[0]}` };
  }
}

/** Two test processes may do this at once: each works in a folder of its own, and the first to rename it has won. */
async function installInto(folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "installing-"));
  try {
    for (const file of files) cpSync(join(import.meta.dirname, file), join(work, file));
    const patience = ["--fetch-retries=1", "--fetch-timeout=20000", "--prefer-offline", "--loglevel=error"];
    const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...patience];
    await promisify(execFile)("npm", words, { cwd: work, timeout: 300_000, shell: process.platform === "win32" });
    symlinkSync(join(root, "charter"), join(work, "node_modules/charter"));
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
