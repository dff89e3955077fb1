import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { LaunchOptions } from "playwright-core";

/** How a browser is launched, or the reason why there is none. */
export type Chromium = LaunchOptions | string;

const flags = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of a stranger's that lead to this machine, as a rebound one does.
  "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP evil.example 127.0.0.1",
];

/** The one named by CHROMIUM, else one in PATH, else the one from npm, which is built for x64 Linux only. */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM;
  if (named) return executable(named) ? ready(named) : `CHROMIUM names “${named}”, which cannot be run`;
  const installed = findInPath(["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]);
  if (installed) return ready(installed);
  if (process.platform === "linux" && process.arch === "x64") return fromPackage();
  return `no Chromium in PATH, and the one from npm is not built for ${process.platform}-${process.arch}`;
}

function ready(executablePath: string, env: Record<string, string> = {}): Chromium {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined));
  return { executablePath, args: flags, env: { ...(given as Record<string, string>), ...env } };
}

function findInPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(executable);
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Brings its own libraries along: a bare machine has no NSS, without which Chromium does not start. */
async function fromPackage(): Promise<Chromium> {
  try {
    const manifest = findPackageJSON("@sparticuz/chromium", import.meta.url);
    if (manifest === undefined) return "the Chromium from npm is not installed";
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    const folder = dirname(manifest);
    const place = join(folder, "../../.cache", `chromium-${version}`);
    if (!existsSync(place)) await unpack(folder, place);
    const libraries = [join(place, "al2023", "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
    // Not its own arguments: they switch off what keeps one origin from another, and put all pages into one process.
    return ready(join(place, "chromium"), { LD_LIBRARY_PATH: libraries });
  } catch (error) {
    return `the Chromium from npm did not unpack: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const unpacking = `import chromium, { inflate } from "@sparticuz/chromium";
await chromium.executablePath();
await inflate(process.argv[1]);`;

/**
 * Once for all runs, beside the packages: temporary files may go with a run. The package knows no other place than TMPDIR,
 * so a process of its own unpacks it, and what it made is put in place whole; whoever did so first is left alone.
 */
async function unpack(folder: string, place: string): Promise<void> {
  const making = `${place}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    const args = ["--input-type=module", "-e", unpacking, join(folder, "bin/al2023.tar.br")];
    const env = { ...process.env, TMPDIR: making };
    await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, env });
    if (!existsSync(place)) renameSync(making, place);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
