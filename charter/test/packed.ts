import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { root } from "./fetched-package.ts";

/** The packages as files, as `npm run pack` makes them. */
export type Tarballs = { readonly charter: string; readonly service: string };

let packed: Promise<Tarballs> | undefined;

/** Packed once in a run of the tests: the folder for temporary files is the run's own, and the first to come packs. */
export function packedTarballs(): Promise<Tarballs> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<Tarballs> {
  const [place, work] = [join(tmpdir(), "charter-packed"), join(tmpdir(), "charter-packing")];
  const failure = join(tmpdir(), "charter-packing-failed");
  if (isFirst(work)) {
    const { code, output } = await runStranger("npm", ["run", "pack", "--", "--pack-destination", work], root);
    if (code === 0) renameSync(work, place);
    else writeFileSync(failure, output);
  }
  await eventually(() => existsSync(place) || existsSync(failure));
  if (!existsSync(place)) throw new Error(`npm run pack failed; see ${failure}.`);
  const find = (name: RegExp) => join(place, readdirSync(place).find((file) => name.test(file)) as string);
  return { charter: find(/^charter-\d/), service: find(/^charter-service-\d/) };
}

function isFirst(folder: string): boolean {
  if (existsSync(join(tmpdir(), "charter-packed"))) return false;
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** A project of somebody who has nothing else of this repository: these packages are installed, by name or tarball. */
export async function strangerProject(
  names: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "charter-stranger-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await installInto(folder, names);
  return folder;
}

/** A registry that stumbles is asked twice. */
export async function installInto(folder: string, names: readonly string[]): Promise<void> {
  const patience = ["--fetch-retries=2", "--fetch-timeout=60000"];
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...patience, ...names];
  const first = await runStranger("npm", args, folder);
  const { code, output } = first.code === 0 ? first : await runStranger("npm", args, folder);
  if (code !== 0) throw new Error(`npm install ${names.join(" ")} failed:\n${output}`);
}

/** Why nothing can be installed here; nothing where the registry answers. What npm remembers of it is no answer. */
export async function registryAbsence(): Promise<string | undefined> {
  const cache = mkdtempSync(join(tmpdir(), "charter-npm-"));
  const args = ["view", "zod", "version", "--cache", cache, "--fetch-retries=0", "--fetch-timeout=20000"];
  const { code, output } = await runStranger("npm", args, tmpdir());
  return code === 0 ? undefined : `the npm registry is out of reach: ${output.trim().split("\n")[0]}`;
}

export type StrangerRun = { readonly code: number; readonly stdout: string; readonly output: string };

/** Runs a command as a stranger would: npm and the tests' runner, which run this, are not around it. */
export function runStranger(command: string, args: readonly string[], cwd: string): Promise<StrangerRun> {
  return new Promise((resolve) => {
    const options = { cwd, env: strangerEnvironment(), maxBuffer: 2 ** 26, shell: process.platform === "win32" };
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, output: `${stdout}${stderr}` });
    });
  });
}

/** How the registry is reached stays as it is. */
export function strangerEnvironment(): Record<string, string | undefined> {
  const ours =
    /^(?:npm_(?!config_(?:registry|cache|userconfig|globalconfig)$)|INIT_CWD$|NODE_(?!EXTRA_CA_CERTS$)|VITEST|TEST$|CHARTER_|FORCE_COLOR$)/i;
  const theirs = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...certificates(), ...Object.fromEntries(theirs) };
}

let certified: Record<string, string> | undefined;

/** The certificates that npm is set to trust; Bun, and the npm of another Node, look for its settings elsewhere. */
function certificates(): Record<string, string> {
  if (certified === undefined) {
    const file = execFileSync("npm", ["config", "get", "cafile"], { cwd: tmpdir(), encoding: "utf8" }).trim();
    certified = file === "" || file === "null" || file === "undefined" ? {} : { NODE_EXTRA_CA_CERTS: file };
  }
  return certified;
}
