import { aPath, checkNeeded, checkText } from "../../prompt/argument.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { type Disk, isThere, repository, disk as usualDisk } from "../disk/disk.ts";
import { codeOf, createFiles, isAbsence } from "../disk/file.ts";
import {
  changedFiles,
  type DigestLimits,
  type Digests,
  extensionDigests,
  type FileDigests,
  namedDigests,
} from "./digests.ts";

const { homedir } = process.getBuiltinModule("node:os");
const { join, relative, resolve, sep } = process.getBuiltinModule("node:path");

/** Trust in a project. "changed": it was trusted, but its extensions are different now. */
export type ProjectTrust = "trusted" | "untrusted" | "changed";

/**
 * Decision of a person whether what a project brings may be used. It applies to one real path, and only as long as the project's
 * extensions do not change, since they run as code.
 */
export type TrustState = {
  readonly trust: ProjectTrust;
  /** Real path of the project. */
  readonly root: string;
  /** Extension files that changed, are new or are gone, by their path from the root. */
  readonly changed: readonly string[];
  /** Files that trust would allow. If there are none, nobody needs to be asked. */
  readonly gated: readonly string[];
  /** Configuration, models and environment of the project, if they exist: each is used only unchanged since it was trusted. */
  readonly settings: readonly SettingsFile[];
  /** Reason why it is not trusted, if there is more to say. */
  readonly reason?: string;
};

/** A file that says where text and keys are sent, by its name, and whether it is trusted. */
export type SettingsFile = {
  readonly file: string;
  readonly trust: CharterTrust;
  /** Files that changed, are new or are gone: itself, or files that it names, by their path from the root. */
  readonly changed: readonly string[];
};

/** Working directory of a coding agent, and the name of the project's configuration directory. */
export type ProjectPlaces = {
  readonly cwd: string;
  /** Global agent directory, which stores what is trusted. */
  readonly home: string;
  readonly config: string;
};

/** Options of the trust functions: the project, and the charter files that its agents use. */
export type TrustOptions = ProjectPlaces & {
  /** Home directory whose .agents/skills are the user's own; by default that of this process. */
  readonly userHome?: string;
  /** Charter files of its agents. If left out, those that were trusted before stay so. */
  readonly charters?: readonly string[];
  readonly disk?: Disk;
  readonly limits?: DigestLimits;
};

/** Determines whether a project is trusted and unchanged. It never throws: what cannot be read is not trusted. */
export function projectTrust(options: TrustOptions): TrustState {
  checkPlaces("projectTrust", options);
  const { disk = usualDisk } = options;
  const { trust, root, changed, reason, known } = judged(options);
  const settings = settingsIn(root, disk).map((file) => {
    if (trust !== "trusted") return { file, trust: "untrusted", changed: [] } as const;
    const { trust: own, changed } = compared(file, root, options, known);
    return { file, trust: own, changed };
  });
  const gated = gatedIn({ userHome: homedir(), ...options }, disk);
  return { trust, root, changed, gated, settings, ...(reason === undefined ? {} : { reason }) };
}

/** Trust in a project without its settings, and the stored digests of its charters and settings. */
type Judged = Pick<TrustState, "trust" | "root" | "changed" | "reason"> & { readonly known: Known };
type Known = Readonly<Record<string, Digests>>;

function judged({ cwd, home, config, disk = usualDisk, limits }: TrustOptions): Judged {
  const untrusted = { trust: "untrusted", changed: [], known: {} } as const;
  const root = realPath(cwd, disk);
  if (root === undefined) return { ...untrusted, root: resolve(cwd) };
  const record = readRecord(home, root, disk);
  if (record === undefined) return { ...untrusted, root };
  if ("because" in record) return { ...untrusted, root, reason: record.because };
  const digests = extensionDigests({ root, config }, disk, limits);
  if (isTooBig(digests)) {
    const reason = `its extensions have ${digests.tooBig}, too many to see whether they are those that were trusted`;
    return { ...untrusted, root, reason };
  }
  const changed = changedFiles(record.extensions, digests);
  return { trust: changed.length === 0 ? "trusted" : "changed", root, changed, known: record.charters ?? {} };
}

/** Stores that a person trusts the project as it is now. */
export function trustProject(options: TrustOptions, at: string): TrustState {
  checkPlaces("trustProject", options);
  const { cwd, home, config, disk = usualDisk, limits } = options;
  const root = realPath(cwd, disk);
  if (root === undefined)
    throw new Problem("no-such-directory", `There is no directory at ${resolve(cwd)}.`, "Check the path.");
  const extensions = extensionDigests({ root, config }, disk, limits);
  if (isTooBig(extensions))
    throw new Problem(
      "extensions-too-big",
      `${root} cannot be trusted: its extensions in ${config}/extensions have ${extensions.tooBig}.`,
      "Move what is no extension (build results, data) out of that directory, or name the extension with --extension.",
    );
  const before = options.charters ? undefined : readRecord(home, root, disk);
  const formerCharters = before && "charters" in before ? before.charters : undefined;
  const settingsFiles = settingsIn(root, disk);
  const charters = {
    ...formerCharters,
    ...charterDigests(root, { ...options, charters: [...(options.charters ?? []), ...settingsFiles] }),
  };
  writeRecord(home, { version: 1, root, at, extensions, ...(Object.keys(charters).length > 0 ? { charters } : {}) });
  const settings = settingsFiles.map((file) => ({ file, trust: "trusted", changed: [] }) as const);
  return { trust: "trusted", root, changed: [], gated: gatedIn({ userHome: homedir(), ...options }, disk), settings };
}

function charterDigests(root: string, { charters = [], disk = usualDisk, limits }: TrustOptions): Known {
  const there = charters.map((file) => resolve(root, file)).filter((path) => isThere(disk, path));
  return Object.fromEntries(
    there.map((path) => {
      const files = namedDigests(path, disk, limits);
      if (!isTooBig(files)) return [keyOf(root, path), digestsFrom(root, files)];
      throw new Problem(
        "extensions-too-big",
        `${root} cannot be trusted: what ${path} names is ${files.tooBig}.`,
        "Let the charter's file name fewer files.",
      );
    }),
  );
}

/** Digests by path from the root, so that a file which a link now finds elsewhere counts as another. */
function digestsFrom(root: string, files: FileDigests): Digests {
  return Object.fromEntries([...files].map(([path, digest]) => [keyOf(root, path), digest]));
}

function keyOf(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** Trust in a charter's file. "new": the project is trusted, but this file was not among those that were. */
export type CharterTrust = ProjectTrust | "new";

/** Determines whether a charter's file may be run: it and the files it names are unchanged since they were trusted. */
export function charterTrustOf(file: string, options: TrustOptions): CharterTrust {
  const [found] = trustedFiles([file], options);
  return found?.trust ?? "untrusted";
}

/** Trust in a file, with the digests of it and the files it names. */
export type TrustedFiles = Omit<SettingsFile, "file"> & { readonly files: FileDigests };

/**
 * Determines the trust in several files, with one look at the project. The digests let whoever runs or reads a file check that it
 * is still the same.
 */
export function trustedFiles(
  names: readonly string[],
  options: TrustOptions,
): (TrustedFiles & { readonly file: string })[] {
  checkPlaces("charterTrustOf", options);
  const { trust, root, known } = judged(options);
  return names.map((file) => {
    const comparison = compared(file, root, options, known);
    return { file, ...comparison, ...(trust === "trusted" ? {} : { trust: "untrusted", changed: [] }) };
  });
}

function compared(file: string, root: string, { disk = usualDisk, limits }: TrustOptions, known: Known): TrustedFiles {
  const path = resolve(root, file);
  const files = namedDigests(path, disk, limits);
  if (isTooBig(files)) return { trust: "changed", changed: [], files: new Map() };
  const key = keyOf(root, path);
  const before = Object.hasOwn(known, key) ? known[key] : undefined;
  if (before === undefined) return { trust: "new", changed: [], files };
  const changed = changedFiles(before, digestsFrom(root, files));
  return { trust: changed.length === 0 ? "trusted" : "changed", changed, files };
}

/** Fingerprint of the project's extensions and settings: the same text as long as none of them changes. */
export function projectFingerprint(options: TrustOptions): string {
  const { cwd, config, disk = usualDisk, limits } = options;
  const root = realPath(cwd, disk);
  if (root === undefined) return "null";
  const files = [...(options.charters ?? []), ...settingsIn(root, disk)];
  const digests = files.map((file) => {
    const fileDigests = namedDigests(resolve(root, file), disk, limits);
    return [file, isTooBig(fileDigests) ? fileDigests : [...fileDigests]];
  });
  return JSON.stringify([root, extensionDigests({ root, config }, disk, limits), digests]);
}

/** Ends the trust in a project; false if it was not trusted. */
export function distrustProject(options: TrustOptions): boolean {
  checkPlaces("distrustProject", options);
  const { cwd, home, disk = usualDisk } = options;
  return removeRecord(home, realPath(cwd, disk) ?? resolve(cwd));
}

/** A trusted project, and since when. */
export type TrustedProject = {
  readonly root: string;
  readonly at: string;
  /** Number of files its extensions had. */
  readonly extensions: number;
  /** Number of charter files it had. */
  readonly charters: number;
};

/** Lists the trusted projects of a global agent directory, by path. */
export function trustedProjects(home: string, disk: Disk = usualDisk): TrustedProject[] {
  checkText("trustedProjects", home);
  return allRecords(home, disk).map(({ root, at, extensions, charters = {} }) => ({
    root,
    at,
    extensions: Object.keys(extensions).length,
    charters: Object.keys(charters).length,
  }));
}

function checkPlaces(name: string, options: TrustOptions): void {
  checkNeeded<TrustOptions>(name, options, { cwd: aPath, home: aPath, config: aPath });
}

function realPath(cwd: string, disk: Disk): string | undefined {
  try {
    const root = disk.realpathSync(cwd);
    return disk.statSync(root).isDirectory() ? root : undefined;
  } catch {
    return undefined;
  }
}

function isTooBig(digests: object): digests is { readonly tooBig: string } {
  return "tooBig" in digests;
}

const fs = process.getBuiltinModule("node:fs");

/** Stored decision that a project is trusted: its path, the time, and the digests of its extensions and charters then. */
type TrustRecord = {
  readonly version: 1;
  /** Real path of the project. */
  readonly root: string;
  /** An ISO 8601 instant. */
  readonly at: string;
  readonly extensions: Digests;
  /** Digests of its agents' charters and its settings, by path from the root; each with those of the files it names. */
  readonly charters?: Readonly<Record<string, Digests>>;
};

/** Maximum size of a record in bytes: twenty thousand long paths fit. */
const maxRecordBytes = 16_000_000;

/** Path of a project's record. Each project has its own file, so that two trusted at once never overwrite each other. */
function recordPath(home: string, root: string): string {
  return join(folderIn(home), `${process.getBuiltinModule("node:crypto").hash("sha256", root, "hex")}.json`);
}

function folderIn(home: string): string {
  return join(home, "trust");
}

/** Reads the record of a project: undefined if there is none; a reason if there is one that cannot be used. */
function readRecord(home: string, root: string, disk: Disk): TrustRecord | { readonly because: string } | undefined {
  // The folder is checked first: loading the hash costs a fifth of a Node start, and most users have never trusted anything.
  if (!isThere(disk, folderIn(home))) return undefined;
  const path = recordPath(home, root);
  const state = createFiles(disk, () => 0).read(path, maxRecordBytes);
  if (state.status === "missing" && state.diagnostics.length === 0) return undefined;
  if (state.status === "unavailable") return { because: state.reason };
  const record = state.status === "present" && state.more === 0 ? recordOf(state.text) : undefined;
  if (record === undefined) return { because: `${path} is damaged, or of another version of Charter` };
  return record.root === root ? record : { because: `${path} is about another project: ${record.root}` };
}

function recordOf(text: string): TrustRecord | undefined {
  try {
    const value = JSON.parse(text) as TrustRecord | null;
    if (value?.version !== 1 || typeof value.root !== "string" || typeof value.at !== "string") return undefined;
    const { extensions, charters = {} } = value;
    if (!areDigests(extensions) || !isObject(charters)) return undefined;
    return Object.values(charters).every(areDigests) ? value : undefined;
  } catch {
    return undefined;
  }
}

function areDigests(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((digest) => typeof digest === "string");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes a record whole or not at all: beside its place, and then renamed. Only its owner can read it. */
function writeRecord(home: string, record: TrustRecord): void {
  const path = recordPath(home, record.root);
  const beside = `${path}.${process.getBuiltinModule("node:crypto").randomUUID()}.new`;
  try {
    fs.mkdirSync(folderIn(home), { recursive: true, mode: 0o700 });
    fs.chmodSync(folderIn(home), 0o700);
    fs.writeFileSync(beside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
    fs.renameSync(beside, path);
  } catch (error) {
    discard(beside);
    throw notKept(`That ${record.root} is trusted could not be remembered: ${reasonOf(error)}`, home);
  }
}

function discard(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // The temporary file did not exist.
  }
}

/** Deletes a record; false if there was none. */
function removeRecord(home: string, root: string): boolean {
  try {
    fs.unlinkSync(recordPath(home, root));
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw notKept(`The trust in ${root} could not be taken back: ${reasonOf(error)}`, home);
  }
}

/** Lists all valid records, by path. */
function allRecords(home: string, disk: Disk): TrustRecord[] {
  const files = createFiles(disk, () => 0);
  return namesIn(folderIn(home), disk)
    .flatMap((name) => {
      const path = join(folderIn(home), name);
      const state = files.read(path, maxRecordBytes);
      const record = state.status === "present" ? recordOf(state.text) : undefined;
      return record && recordPath(home, record.root) === path ? [record] : [];
    })
    .sort((one, other) => (one.root < other.root ? -1 : 1));
}

function namesIn(folder: string, disk: Disk): string[] {
  try {
    return disk.readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

function notKept(message: string, home: string): Problem {
  return new Problem("trust-not-kept", message, `See that ${folderIn(home)} is a directory you can write to.`);
}

type GatedOptions = {
  readonly cwd: string;
  readonly config: string;
  /** Global agent directory; its files are the user's own, wherever the project is. */
  readonly home?: string;
  /** Home directory of the user; its .agents/skills are the user's own too. */
  readonly userHome?: string;
  /** Charter files that its agents have. */
  readonly charters?: readonly string[];
};

/**
 * Lists what a project brings that speaks with the operator's voice, says where text and keys are sent, or runs as code, in the
 * order of the prompt. It is used only if the project is trusted.
 */
export function gatedIn({ cwd, config, home, userHome, charters = [] }: GatedOptions, disk: Disk): string[] {
  const own = resolve(cwd, config);
  const brought = own !== home;
  const shared = repository(disk, resolve(cwd)).filter((directory) => directory !== userHome);
  const files = brought ? [join(own, "SYSTEM.md"), join(own, "APPEND_SYSTEM.md")] : [];
  const folders = [
    ...(brought ? [join(own, "skills")] : []),
    ...shared.map((directory) => join(directory, ".agents", "skills")),
    ...(brought ? [join(own, "extensions")] : []),
  ];
  return [
    ...files.filter((path) => isThere(disk, path)),
    ...folders.filter((path) => holdsSomething(path, disk)),
    ...charters.map((file) => resolve(cwd, file)).filter((path) => isThere(disk, path)),
    ...settingsIn(resolve(cwd), disk).map((name) => join(resolve(cwd), name)),
  ];
}

/** Checks whether a directory contains anything that is not hidden; an unreadable one may. */
function holdsSomething(path: string, disk: Disk): boolean {
  try {
    return disk.readdirSync(path).some((name) => !name.startsWith("."));
  } catch (error) {
    return !isAbsence(error) && codeOf(error) !== "ELOOP";
  }
}

/** Name of the file with own models, for people who write no TypeScript. */
export const modelsFile = "models.json";

const configNames = ["charter.config.ts", "charter.config.js", "charter.config.mjs"];

/** Maximum bytes of a .env that are read to see what it is for. */
const maxEnvironmentBytes = 1_048_576;

/** Name of a directory's configuration file: the first that exists. It is code. */
export function configFileIn(directory: string, disk: Disk): string | undefined {
  return configNames.find((name) => isThere(disk, join(directory, name)));
}

/**
 * Names of a directory's files that say where text and keys are sent: its configuration, its models, its environment. A lone .env
 * is one only if it sets a variable that Charter reads: others are for other programs.
 */
export function settingsIn(directory: string, disk: Disk): string[] {
  const config = configFileIn(directory, disk);
  const names = [...(config ? [config] : []), ...(isThere(disk, join(directory, modelsFile)) ? [modelsFile] : [])];
  const env = join(directory, ".env");
  if (!isThere(disk, env)) return names;
  return names.length > 0 || setsOurs(env, disk) ? [...names, ".env"] : [];
}

/** Checks whether a .env sets variables of ours; an unreadable one may. */
function setsOurs(path: string, disk: Disk): boolean {
  const state = createFiles(disk, () => 0).read(path, maxEnvironmentBytes);
  if (state.status === "unavailable") return true;
  if (state.status !== "present") return false;
  return state.more > 0 || Object.keys(process.getBuiltinModule("node:util").parseEnv(state.text)).some(isOurs);
}

/** Checks whether Charter reads this variable: a key or an address of a provider, or a setting of its own. */
function isOurs(variable: string): boolean {
  return /^(?:CHARTER|TELEGRAM)_|_(?:API_KEY|BASE_URL)$/.test(variable);
}
