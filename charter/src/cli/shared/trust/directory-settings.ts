import type { Environment } from "../../../delivery/models/provider.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import { environmentOver } from "../../../sources/core-memory/key-source.ts";
import { disk } from "../../../sources/disk/disk.ts";
import { realPath } from "../../../sources/disk/link.ts";
import { pathLine } from "../../../sources/disk/path-line.ts";
import { existsSync, readText } from "../../../sources/input-file.ts";
import { script } from "../../../sources/trust/data-paths.ts";
import { settingsIn } from "../../../sources/trust/settings-files.ts";
import type { CharterTrust, ProjectPlaces, TrustedFiles } from "../../../sources/trust/trust.ts";
import { readSettings } from "../../config/config-file.ts";
import type { PlaceValues } from "../options.ts";
import { runNumber } from "./run.ts";
import { whyUntrusted } from "./why-untrusted.ts";

const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/**
 * What was said for this one run of the settings of a directory: nothing of them counts; those beside a configuration
 * that was named do; or those do that make this fingerprint of the project.
 */
type Said = { readonly without: true } | { readonly named: string } | { readonly fingerprint: string };

let said: { readonly root: string; readonly word: Said } | undefined;

type Kept = Pick<PlaceValues, "home" | "config">;

/** Where it is kept what is trusted, if it was said in this directory. */
let home: { readonly root: string; readonly kept: Kept } | undefined;

function keptHere(): Kept {
  return home?.root === resolve(".") ? home.kept : {};
}

export function sayOfSettings(word: Said | undefined, kept = keptHere()): void {
  const root = resolve(".");
  said = word && { root, word };
  home = { root, kept };
}

/** What was said of a directory, for this run. */
export function saidIn(directory: string): Said | undefined {
  return said?.root === directory ? said.word : undefined;
}

function saidHere(): Partial<Record<"named" | "fingerprint", string>> & { readonly without?: true } {
  return saidIn(resolve(".")) ?? {};
}

/** The directory one is in, and where it is kept that it is trusted. */
export async function placesHere(): Promise<ProjectPlaces> {
  return (await import("../directory.ts")).placesOf(keptHere());
}

type LookedAt = TrustedFiles & { readonly file: string };

/** What was found out in a directory in one run of a command, with what was said of it, and the files as they were. */
let verdict: { readonly key: string; readonly stamps: string; readonly looked: readonly LookedAt[] } | undefined;

/**
 * The files here that say where words and keys go: whether each counts, and what it and those it names say. Where all
 * do, that is found out once in a run, until one of them is another: what it says is compared again when it is read.
 */
async function lookAround(): Promise<readonly LookedAt[]> {
  const names = settingsIn(".", disk);
  if (names.length === 0) return [];
  const key = JSON.stringify([resolve("."), runNumber(), keptHere(), saidHere(), names]);
  if (verdict?.key === key && verdict.stamps === stampsOf(verdict.looked)) return verdict.looked;
  const looked = await lookAt(names);
  const isWhole = looked.every(({ trust }) => trust === "trusted");
  verdict = isWhole ? { key, stamps: stampsOf(looked), looked } : undefined;
  return looked;
}

async function lookAt(names: readonly string[]): Promise<LookedAt[]> {
  const { projectFingerprint, trustedFiles } = await import("../../../sources/trust/trust.ts");
  const here = await placesHere();
  const { fingerprint } = saidHere();
  const isSaid = fingerprint !== undefined && fingerprint === projectFingerprint(here);
  return trustedFiles(names, here).map((one) => ({ ...one, ...(isSaid ? { trust: "trusted" } : {}) }));
}

function stampsOf(looked: readonly LookedAt[]): string {
  const paths = new Set(looked.flatMap(({ file, files }) => [resolve(file), ...files.keys()]));
  const stamps = [...paths].map((path) => {
    const { ino, size, mtimeMs, ctimeMs } = disk.statSync(path, { throwIfNoEntry: false }) ?? {};
    return [path, ino, size, mtimeMs, ctimeMs];
  });
  return JSON.stringify(stamps);
}

type UntrustedFile = {
  readonly file: string;
  readonly trust: Exclude<CharterTrust, "trusted">;
  readonly changed: readonly string[];
};

/** The files here that nobody has trusted as they are. */
export async function untrustedSettings(): Promise<UntrustedFile[]> {
  return (await lookAround()).filter((one): one is LookedAt & UntrustedFile => one.trust !== "trusted");
}

const dataHint =
  " If programs write such a file, list it in the setting data of charter.config.ts (docs/files.md#settings).";

/** That they are not used, and what to do. */
export function untrustedProblem(files: readonly UntrustedFile[], says = "where words and keys go"): Problem {
  const isOne = files.length === 1;
  const because = new Set(files.map((one) => whyUntrusted(one)));
  const mayBeData = files.some(({ file, changed }) => changed.some((one) => one !== file && !script.test(one)));
  return new Problem(
    "config-untrusted",
    `${listed(files.map(({ file }) => file))} in ${pathLine(resolve("."))} ${isOne ? "says" : "say"} ${says}, and ${isOne ? "is" : "are"} not used: ${[...because].join("; ")}.`,
    `Look at what the directory brings, then say charter trust.${mayBeData ? dataHint : ""}`,
  );
}

/**
 * Nothing is asked of a model while a configuration or models here wait for somebody's trust: without them, words would
 * go elsewhere than whoever wrote them meant. A .env that was never trusted is left out, and that is said.
 */
export async function checkSettings(): Promise<void> {
  const { without, named } = saidHere();
  const waiting = without || named !== undefined ? [] : await untrustedSettings();
  if (waiting.length === 0) return;
  const problem = untrustedProblem(waiting);
  if (waiting.some(({ file, trust }) => file !== ".env" || trust === "changed")) throw problem;
  noticeOnce(`notice: env-untrusted: ${problem.message} ${problem.hint}`);
}

let noticed: string | undefined;

function noticeOnce(words: string): void {
  if (noticed !== words) process.stderr.write(`${words}\n`);
  noticed = words;
}

/**
 * What the configuration and the models here say; nothing where there are none, or the run goes without. Those that are
 * not trusted are a Problem: one is code, and would run. `says`: what of them is wanted.
 */
export async function settingsHere(says?: string): Promise<Config | undefined> {
  const { without, named } = saidHere();
  if (named !== undefined) return readSettings(named);
  const looked = without ? [] : (await lookAround()).filter(({ file }) => file !== ".env");
  if (looked.length === 0) return undefined;
  const waiting = looked.filter((one): one is LookedAt & UntrustedFile => one.trust !== "trusted");
  if (waiting.length > 0) throw untrustedProblem(waiting, says);
  return readSettings(undefined, new Map(looked.flatMap(({ files }) => [...files])));
}

let read: { readonly text: string; readonly env: Environment } | undefined;

/**
 * The environment commands read: this process's, and under it what a trusted .env sets. It is no part of `process.env`,
 * so nothing that is started inherits it.
 */
export async function environmentHere(): Promise<Environment> {
  const text = await environmentText();
  if (text === undefined) return process.env;
  if (read?.text !== text) read = { text, env: environmentOver(process.getBuiltinModule("node:util").parseEnv(text)) };
  return read.env;
}

async function environmentText(): Promise<string | undefined> {
  const { without, named } = saidHere();
  const what = "environment file";
  if (named !== undefined) {
    const path = join(dirname(named), ".env");
    return existsSync(path) ? readText(path, what) : undefined;
  }
  if (without || !existsSync(".env")) return undefined;
  const looked = (await lookAround()).find(({ file }) => file === ".env");
  if (looked?.trust !== "trusted") return undefined;
  return readText(".env", what, looked.files.get(realPath(disk, resolve(".env"))) ?? "none");
}

/** The same for whoever asks a model: see `checkSettings`. */
export async function environmentForModels(): Promise<Environment> {
  await checkSettings();
  return environmentHere();
}
