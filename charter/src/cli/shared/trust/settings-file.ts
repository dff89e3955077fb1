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

/** A file that says where words and keys go: whether it counts, and what it and those it names say. */
export type LookedAt = TrustedFiles & { readonly file: string };

export type UntrustedFile = {
  readonly file: string;
  readonly trust: Exclude<CharterTrust, "trusted">;
  readonly changed: readonly string[];
};

/** What files said when they were trusted, by their real paths: one that says another thing by now is not used. */
type TrustedDigests = ReadonlyMap<string, string>;

/** The names of those files here. */
export function settingsHere(): readonly string[] {
  return settingsIn(".", disk);
}

/** Each as the record of this place has it; all count where the project still makes the fingerprint that was said. */
export function lookAt(names: readonly string[], places: ProjectPlaces, fingerprint?: string): LookedAt[] {
  const isSaid = fingerprint !== undefined && fingerprint === projectFingerprint(places);
  return trustedFiles(names, places).map((one) => ({ ...one, ...(isSaid ? { trust: "trusted" } : {}) }));
}

/** Another text when one of the files, or of those they name, was written since. */
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

/** Why a settings file is not used, or a charter's file: `place` is what was trusted. */
export function whyUntrusted(
  { trust, changed }: Pick<SettingsFile, "trust" | "changed">,
  place = "the directory",
): string {
  if (trust === "new") return `it was not there when ${place} was trusted`;
  if (trust !== "changed") return `${place} is not trusted`;
  if (changed.length === 0) return "it names more files than can be compared";
  return `it is not what it was when it was trusted (changed, new or gone: ${listed(changed.map(pathLine))})`;
}

/** The text of a .env; of one that is trusted, if it is still what it was. */
export function readEnvironment(path: string, digests?: TrustedDigests): string {
  return readText(path, "environment file", digests && (digests.get(realPath(disk, resolve(path))) ?? "none"));
}

/**
 * The settings of whoever runs a command: the configuration file that was named, else the one that lies here, and
 * `models.json` beside it. Every command reads them with this, and with nothing else. The first is code, and is run.
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
