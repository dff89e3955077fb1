import { Problem, reasonOf } from "../../prompt/problem.ts";
import { type Disk, isThere } from "../disk/disk.ts";
import { createFiles, isAbsence } from "../disk/file.ts";
import type { Digests } from "./extension-digests.ts";

const fs = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");

/** That a person trusted a project: where it is, when that was, and what its extensions and charters said then. */
type TrustRecord = {
  readonly version: 1;
  /** The project's real path. */
  readonly root: string;
  /** An ISO 8601 instant. */
  readonly at: string;
  readonly extensions: Digests;
  /** Of its agents' charters and its settings, by their path from the root: what each said, and each file it names. */
  readonly charters?: Readonly<Record<string, Digests>>;
};

/** Twenty thousand long paths fit. */
const max = 16_000_000;

/** One file for each project, so that two that are trusted at once never overwrite each other. */
function recordPath(home: string, root: string): string {
  return join(folderIn(home), `${process.getBuiltinModule("node:crypto").hash("sha256", root, "hex")}.json`);
}

function folderIn(home: string): string {
  return join(home, "trust");
}

/** The record of a project; nothing where there is none, and why where there is one that cannot be believed. */
export function readRecord(
  home: string,
  root: string,
  disk: Disk,
): TrustRecord | { readonly because: string } | undefined {
  // Hashing costs a fifth of a Node start, and most users have never trusted anything.
  if (!isThere(disk, folderIn(home))) return undefined;
  const path = recordPath(home, root);
  const state = createFiles(disk, () => 0).read(path, max);
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

/** Kept whole or not at all: written beside its place and renamed into it. Only its owner can read it. */
export function writeRecord(home: string, record: TrustRecord): void {
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
    // It was not there.
  }
}

/** Was there one? */
export function removeRecord(home: string, root: string): boolean {
  try {
    fs.unlinkSync(recordPath(home, root));
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw notKept(`The trust in ${root} could not be taken back: ${reasonOf(error)}`, home);
  }
}

/** Every record that can be believed, by path. */
export function allRecords(home: string, disk: Disk): TrustRecord[] {
  const files = createFiles(disk, () => 0);
  return namesIn(folderIn(home), disk)
    .flatMap((name) => {
      const path = join(folderIn(home), name);
      const state = files.read(path, max);
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
