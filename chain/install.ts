import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const modules = join(here, "node_modules");
const stampName = ".charter-installed";

/**
 * Installs what this folder's lockfile says, on first use. Several processes may do so at once: each works in a folder of
 * its own, and the first to rename it has won.
 */
export async function installChain(say: (words: string) => void = () => {}): Promise<void> {
  const wanted = stamp();
  if (isInstalled(wanted)) return;
  const began = Date.now();
  say("Installing a local chain and the compiler (first run, about 112 MB)…\n");
  const work = mkdtempSync(join(here, ".installing-"));
  const tick = setInterval(() => say(`  ${Math.round((Date.now() - began) / 1000)} s…\n`), 10_000);
  try {
    for (const file of ["package.json", "package-lock.json", ".npmrc"]) cpSync(join(here, file), join(work, file));
    await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], work);
    writeFileSync(join(work, "node_modules", stampName), wanted);
    putInPlace(join(work, "node_modules"), join(work, "old"), wanted);
  } finally {
    clearInterval(tick);
    rmSync(work, { recursive: true, force: true });
  }
  say(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`);
}

function putInPlace(made: string, old: string, wanted: string): void {
  try {
    if (existsSync(modules) && !isInstalled(wanted)) renameSync(modules, old);
    renameSync(made, modules);
  } catch (error) {
    if (!isInstalled(wanted)) throw error;
  }
}

function stamp(): string {
  const lockfile = readFileSync(join(here, "package-lock.json"));
  return `${createHash("sha256").update(lockfile).digest("hex")} ${process.platform}-${process.arch}\n`;
}

function isInstalled(wanted: string): boolean {
  const file = join(modules, stampName);
  return existsSync(file) && readFileSync(file, "utf8") === wanted;
}

function npm(args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", args, { cwd, shell: process.platform === "win32", stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `install-failed: “npm ${args[0]}” in chain/ did not succeed.\n${errors.trim()}\n` +
              "Hint: is the registry within reach? The next run tries again.",
          ),
        );
    });
  });
}
