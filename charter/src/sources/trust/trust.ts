import { aPath, checkNeeded, checkText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { type Disk, isThere, disk as usualDisk } from "../disk/disk.ts";
import { charterDigest } from "./charter-digest.ts";
import { changedFiles, type DigestLimits, type Digests, extensionDigests } from "./extension-digests.ts";
import { gatedIn } from "./gated-files.ts";
import { allRecords, readRecord, removeRecord, writeRecord } from "./trust-record.ts";

const { homedir } = process.getBuiltinModule("node:os");
const { relative, resolve, sep } = process.getBuiltinModule("node:path");

/** Whether a project is trusted. "changed": it was, but its extensions are different now. */
export type ProjectTrust = "trusted" | "untrusted" | "changed";

/**
 * Whether a person has said that what a project brings may be used. This applies to one real path, and only as long as
 * the project's extensions do not change: they run as code.
 */
export type TrustState = {
  readonly trust: ProjectTrust;
  /** The real path of the project. */
  readonly root: string;
  /** The extension files that changed, are new or are gone, by their path from the root. */
  readonly changed: readonly string[];
  /** What trust would allow. If there is nothing, nobody needs to be asked. */
  readonly gated: readonly string[];
  /** Why it is not trusted, if there is more to say. */
  readonly reason?: string;
};

/** Where a coding agent works, and the name of the project's configuration directory. */
export type ProjectPlaces = {
  readonly cwd: string;
  /** The global agent directory, where it is stored what is trusted. */
  readonly home: string;
  readonly config: string;
};

/** What the trust functions are given: the project, and the charter files that its agents use. */
export type TrustOptions = ProjectPlaces & {
  /** Its .agents/skills are the user's own; the home directory of this process, unless given. */
  readonly userHome?: string;
  /** The charter files of its agents. Those that were trusted before stay so, if they are not given. */
  readonly charters?: readonly string[];
  readonly disk?: Disk;
  readonly limits?: DigestLimits;
};

/** Says whether a project is trusted and unchanged. It never throws: what cannot be read is not trusted. */
export function projectTrust(options: TrustOptions): TrustState {
  checkPlaces("projectTrust", options);
  const { cwd, home, config, disk = usualDisk, limits } = options;
  const root = realPath(cwd, disk);
  const gated = gatedIn({ userHome: homedir(), ...options }, disk);
  if (root === undefined) return { trust: "untrusted", root: resolve(cwd), changed: [], gated };
  const record = readRecord(home, root, disk);
  if (record === undefined) return { trust: "untrusted", root, changed: [], gated };
  if ("because" in record) return { trust: "untrusted", root, changed: [], gated, reason: record.because };
  const digests = extensionDigests({ root, config }, disk, limits);
  if (isTooBig(digests)) {
    const because = `its extensions have ${digests.tooBig}, too many to see whether they are those that were trusted`;
    return { trust: "untrusted", root, changed: [], gated, reason: because };
  }
  const changed = changedFiles(record.extensions, digests);
  return { trust: changed.length === 0 ? "trusted" : "changed", root, changed, gated };
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
  const kept = before && "charters" in before ? before.charters : undefined;
  const charters = options.charters ? charterDigests(root, options) : kept;
  writeRecord(home, { version: 1, root, at, extensions, ...(charters ? { charters } : {}) });
  return { trust: "trusted", root, changed: [], gated: gatedIn({ userHome: homedir(), ...options }, disk) };
}

function charterDigests(root: string, { charters = [], disk = usualDisk, limits }: TrustOptions): Digests {
  const there = charters.map((file) => resolve(root, file)).filter((path) => isThere(disk, path));
  return Object.fromEntries(
    there.map((path) => {
      const digest = charterDigest(path, disk, limits);
      if (typeof digest === "string") return [keyOf(root, path), digest];
      throw new Problem(
        "extensions-too-big",
        `${root} cannot be trusted: what ${path} names is ${digest.tooBig}.`,
        "Let the charter's file name fewer files.",
      );
    }),
  );
}

function keyOf(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/**
 * Whether a charter's file is trusted. "new": the project is, but this file was not among those that were looked at.
 */
export type CharterTrust = ProjectTrust | "new";

/**
 * Says whether a charter's file may be run: it and the files it names are those that were there when it was trusted.
 */
export function charterTrustOf(file: string, options: TrustOptions): CharterTrust {
  checkPlaces("charterTrustOf", options);
  const { home, disk = usualDisk, limits } = options;
  const { trust, root } = projectTrust(options);
  if (trust !== "trusted") return "untrusted";
  const record = readRecord(home, root, disk);
  const path = resolve(root, file);
  const charters = record && "charters" in record ? (record.charters ?? {}) : {};
  if (!Object.hasOwn(charters, keyOf(root, path))) return "new";
  return charters[keyOf(root, path)] === charterDigest(path, disk, limits) ? "trusted" : "changed";
}

/** What the project's extensions are now, to be compared: the same words as long as none of them changed. */
export function extensionsFingerprint({ cwd, config, disk = usualDisk, limits }: TrustOptions): string {
  const root = realPath(cwd, disk);
  return JSON.stringify(root === undefined ? null : [root, extensionDigests({ root, config }, disk, limits)]);
}

/** Ends the trust in a project; false if it was not trusted. */
export function distrustProject(options: TrustOptions): boolean {
  checkPlaces("distrustProject", options);
  const { cwd, home, disk = usualDisk } = options;
  return removeRecord(home, realPath(cwd, disk) ?? resolve(cwd));
}

/** A project that is trusted, and since when. */
export type TrustedProject = {
  readonly root: string;
  readonly at: string;
  /** How many files its extensions had. */
  readonly extensions: number;
  /** How many charters' files it had. */
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
