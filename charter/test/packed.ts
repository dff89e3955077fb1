import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { root } from "./fetched-package.ts";

/** The packages as files, as `npm run pack` makes them. */
export type Tarballs = { readonly charter: string; readonly service: string };

/** Packed once in a run of the tests. */
export async function packedTarballs(): Promise<Tarballs> {
  const place = await madeOnce("packed", async (folder) => {
    const { code, output } = await runStranger("npm", ["run", "pack", "--", "--pack-destination", folder], root);
    if (code !== 0) throw new Error(`npm run pack failed:\n${output}`);
  });
  const find = (name: RegExp) => join(place, readdirSync(place).find((file) => name.test(file)) as string);
  return { charter: find(/^charter-\d/), service: find(/^charter-service-\d/) };
}

/** Projects of strangers, each installed once in a run of the tests: with the library alone, and with the service. */
export function libraryProject(): Promise<string> {
  return madeOnce("library", async (folder) => makeStranger(folder, [(await packedTarballs()).charter]));
}

export function serviceProject(): Promise<string> {
  return madeOnce("service", async (folder) => makeStranger(folder, Object.values(await packedTarballs())));
}

const made = new Map<string, Promise<string>>();

/** A folder that is made once: the folder for temporary files is the run's own, and of its workers the first makes it. */
function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const one = made.get(name) ?? makeFirst(join(tmpdir(), `charter-${name}`), make);
  made.set(name, one);
  return one;
}

async function makeFirst(place: string, make: (folder: string) => Promise<void>): Promise<string> {
  const [work, failure] = [`${place}-making`, `${place}-failed`];
  if (isFirst(place, work))
    await make(work).then(
      () => renameSync(work, place),
      (error) => writeFileSync(failure, String(error)),
    );
  await eventually(() => existsSync(place) || existsSync(failure));
  if (!existsSync(place)) throw new Error(readFileSync(failure, "utf8"));
  return place;
}

function isFirst(place: string, work: string): boolean {
  if (existsSync(place)) return false;
  try {
    mkdirSync(work);
    return true;
  } catch {
    return false;
  }
}

/** A project of somebody who has nothing else of this repository: these packages are installed, by name or tarball. */
export async function strangerProject(names: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "charter-stranger-"));
  await makeStranger(folder, names);
  return folder;
}

async function makeStranger(folder: string, names: readonly string[]): Promise<void> {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  await installInto(folder, names);
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
