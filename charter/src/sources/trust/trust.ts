import { Problem } from "../../prompt/problem.ts";
import { type Disk, disk as usualDisk } from "../disk/disk.ts";
import { changedFiles, type DigestLimits, extensionDigests } from "./extension-digests.ts";
import { gatedIn } from "./gated-files.ts";
import { allRecords, readRecord, removeRecord, writeRecord } from "./trust-record.ts";

const { homedir } = process.getBuiltinModule("node:os");
const { resolve } = process.getBuiltinModule("node:path");

/** "changed": it was trusted, and its extensions are other ones since. */
export type ProjectTrust = "trusted" | "untrusted" | "changed";

/**
 * Whether a person has said that what a project brings may be used. It holds for one real path, not for what is below
 * it, and as long as the project's extensions are those that were there: they run as code.
 */
export type TrustState = {
  readonly trust: ProjectTrust;
  /** The real path of the project. */
  readonly root: string;
  /** The extension files that are other ones, new or gone, by their path from the root. */
  readonly changed: readonly string[];
  /** What trust is about and is there. Where there is nothing, nobody needs to be asked. */
  readonly gated: readonly string[];
  /** Why it is not trusted, where there is more to say than that nobody said so. */
  readonly reason?: string;
};

/** Where a coding agent works, and what the project's configuration directory is called. */
export type ProjectPlaces = {
  readonly cwd: string;
  /** The global agent directory: what is trusted is remembered there. */
  readonly home: string;
  readonly config: string;
};

export type TrustOptions = ProjectPlaces & {
  /** Its .agents/skills are the user's own; the user's of this process, unless said otherwise. */
  readonly userHome?: string;
  readonly disk?: Disk;
  readonly limits?: DigestLimits;
};

/** What is remembered of a project, and whether it still holds. Never throws: what cannot be looked at is not trusted. */
export function projectTrust(options: TrustOptions): TrustState {
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

/** Remembers that a person trusts the project as it is now. */
export function trustProject(options: TrustOptions, at: string): TrustState {
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
  writeRecord(home, { version: 1, root, at, extensions });
  return { trust: "trusted", root, changed: [], gated: gatedIn({ userHome: homedir(), ...options }, disk) };
}

/** What the project's extensions are now, to be compared: the same words as long as none of them changed. */
export function extensionsFingerprint({ cwd, config, disk = usualDisk, limits }: TrustOptions): string {
  const root = realPath(cwd, disk);
  return JSON.stringify(root === undefined ? null : [root, extensionDigests({ root, config }, disk, limits)]);
}

/** Was it remembered? It is no more. */
export function distrustProject({ cwd, home, disk = usualDisk }: TrustOptions): boolean {
  return removeRecord(home, realPath(cwd, disk) ?? resolve(cwd));
}

export type TrustedProject = {
  readonly root: string;
  readonly at: string;
  /** How many files its extensions had. */
  readonly extensions: number;
};

/** All that is remembered in a global agent directory, by path. */
export function trustedProjects(home: string, disk: Disk = usualDisk): TrustedProject[] {
  return allRecords(home, disk).map(({ root, at, extensions }) => ({
    root,
    at,
    extensions: Object.keys(extensions).length,
  }));
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
