import { checkModels } from "../../../delivery/models/model-entry.ts";
import { importFile } from "../../../host/import-file.ts";
import { isRecord } from "../../../prompt/argument.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import { disk, pathLine } from "../../../sources/disk/disk.ts";
import { realPath } from "../../../sources/disk/file.ts";
import { existsSync, readJson, readText } from "../../../sources/input-file.ts";
import { script } from "../../../sources/trust/digests.ts";
import {
  type CharterTrust,
  configFileIn,
  modelsFile,
  type ProjectPlaces,
  projectFingerprint,
  type SettingsFile,
  settingsIn,
  type TrustedFiles,
  trustedFiles,
} from "../../../sources/trust/trust.ts";

const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/** A file that says where text and keys are sent: whether it is trusted, with its digest and those of the files it names. */
export type LookedAt = TrustedFiles & { readonly file: string };

export type UntrustedFile = {
  readonly file: string;
  readonly trust: Exclude<CharterTrust, "trusted">;
  readonly changed: readonly string[];
};

/** Digests of files when they were trusted, by their real paths: one that has changed since is not used. */
type TrustedDigests = ReadonlyMap<string, string>;

/** Names of those files here. */
export function settingsHere(): readonly string[] {
  return settingsIn(".", disk);
}

/** Looks up the trust in each file; all are trusted if the project still has the given fingerprint. */
export function lookAt(names: readonly string[], places: ProjectPlaces, fingerprint?: string): LookedAt[] {
  const isSaid = fingerprint !== undefined && fingerprint === projectFingerprint(places);
  return trustedFiles(names, places).map((one) => ({ ...one, ...(isSaid ? { trust: "trusted" } : {}) }));
}

/** Stamp of the files and those they name; it changes when one of them is written. */
export function stampsOf(looked: readonly LookedAt[]): string {
  const paths = new Set(looked.flatMap(({ file, files }) => [resolve(file), ...files.keys()]));
  const stamps = [...paths].map((path) => {
    const { ino, size, mtimeMs, ctimeMs } = disk.statSync(path, { throwIfNoEntry: false }) ?? {};
    return [path, ino, size, mtimeMs, ctimeMs];
  });
  return JSON.stringify(stamps);
}

const dataHint =
  " If programs write such a file, list it in the setting data of charter.config.ts (docs/files.md#settings).";

/** Problem that says which files are not used, and what to do. */
export function untrustedProblem(files: readonly UntrustedFile[], says = "where words and keys go"): Problem {
  const isOne = files.length === 1;
  const reasons = new Set(files.map((one) => whyUntrusted(one)));
  const mayBeData = files.some(({ file, changed }) => changed.some((one) => one !== file && !script.test(one)));
  return new Problem(
    "config-untrusted",
    `${listed(files.map(({ file }) => file))} in ${pathLine(resolve("."))} ${isOne ? "says" : "say"} ${says}, and ${isOne ? "is" : "are"} not used: ${[...reasons].join("; ")}.`,
    `Look at what the directory brings, then say charter trust.${mayBeData ? dataHint : ""}`,
  );
}

/** Reason why a settings file, or a charter's file, is not used. `place` is what was trusted. */
export function whyUntrusted(
  { trust, changed }: Pick<SettingsFile, "trust" | "changed">,
  place = "the directory",
): string {
  if (trust === "new") return `it was not there when ${place} was trusted`;
  if (trust !== "changed") return `${place} is not trusted`;
  if (changed.length === 0) return "it names more files than can be compared";
  return `it is not what it was when it was trusted (changed, new or gone: ${listed(changed.map(pathLine))})`;
}

/** Reads the text of a .env; a trusted one only if it is unchanged. */
export function readEnvironment(path: string, digests?: TrustedDigests): string {
  return readText(path, "environment file", digests && (digests.get(realPath(disk, resolve(path))) ?? "none"));
}

/**
 * Reads the settings of a command: the named configuration file, else the one here, and `models.json` beside it. No command reads
 * them in another way. The configuration is code, and is run.
 */
export async function readSettings(named: string | undefined, digests?: TrustedDigests): Promise<Config> {
  const path = named ?? configFileIn(".", disk);
  const config = path === undefined ? {} : await readConfigFile(path, digests);
  const models = readModelsFile(join(path === undefined ? "." : dirname(path), modelsFile), digests);
  if (models === undefined) return config;
  const twice = Object.keys(models).find((name) => Object.hasOwn(config.models ?? {}, name));
  if (twice !== undefined)
    throw new Problem(
      "bad-config",
      `The model “${twice}” is in both ${path} and ${modelsFile}.`,
      "Take it out of one of them.",
    );
  return { ...config, models: { ...config.models, ...models } };
}

async function readConfigFile(path: string, digests?: TrustedDigests): Promise<Config> {
  const options = { what: "configuration file", code: "bad-config" };
  const module = await importFile(path, digests ? { ...options, digests } : options);
  if (module.default === undefined)
    throw new Problem("bad-config", `${path} has no default export.`, "Write: export default { port: 4747 };");
  return (await import("../../../server/config.ts")).checkConfig(module.default, path);
}

/** `$schema` in it is for editors. */
function readModelsFile(path: string, digests?: TrustedDigests): Config["models"] {
  if (!existsSync(path)) return undefined;
  const value = readJson(path, "list of models", digests && (digests.get(realPath(disk, path)) ?? "none"));
  const { $schema: _schema, ...models } = isRecord(value) ? value : {};
  return checkModels(isRecord(value) ? models : value, { place: path, code: "bad-config" });
}
