import type { Need } from "../agent/declaration.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { type DeclaredTurn, declaredTurnOf } from "../charters/declared-turn.ts";
import { type Fact, type FactFields, factsOf, settingPaths, unknownFactNotices } from "../charters/facts.ts";
import type { openFolderCharter } from "../charters/folder.ts";
import { isRecord, kindOf } from "../prompt/argument.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Lock } from "../prompt/lock.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { NamedSources } from "../sources/charter-folder/charter-files.ts";
import { existsSync, readJson } from "../sources/input-file.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import { builtIn, builtInCalled, builtInNames } from "./built-in.ts";
import type { GivenCharter, OwnCharter } from "./own-charter.ts";

/** Charters of a program or a configuration, by the names that agents use. A text is the path of a folder, as in ./tally. */
export type HostCharters = Readonly<Record<string, GivenCharter | string>>;

/** A charter that was loaded, as a function from facts. */
export type LoadedCharter = {
  readonly given: (facts: Fact, clock: () => Date, channels?: Channels) => Promise<DeclaredTurn>;
  /** Shows that it depends on its settings alone, and so is the same for every user, turn after turn. */
  readonly ofSettings: boolean;
  /** Facts it reads besides those of every charter; undefined for a user's own file, which does not declare them. */
  readonly facts: FactFields | undefined;
  /** Reason why turns are not taken here: its functions are in another program. */
  readonly elsewhere?: Problem;
  /** Of a folder: changes whenever what is used of it does. */
  readonly version?: string;
};

/** Checks whether a charter is a file of the user's own, and therefore code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** Checks whether a charter is a folder: its name has a slash, and no ending of a file. */
export function isCharterFolder(name: string): boolean {
  return (/[/\\]/.test(name) || name === "." || name === "..") && !isCharterFile(name);
}

/** Checks whether a charter is found by a path: a file, or a folder. */
export function isCharterPath(name: string): boolean {
  return isCharterFile(name) || isCharterFolder(name);
}

/** Checks whether a name stands for the same charter everywhere: it is ready-made, or a path. */
export function isFoundByName(name: string): boolean {
  return builtInCalled(name) !== undefined || isCharterPath(name);
}

/**
 * Checks that own charters do not have the name of a ready-made one or a file. The charters themselves are checked when they are
 * used.
 */
export function checkCharterNames(
  charters: object,
  { place, code }: { readonly place: string; readonly code: string },
): void {
  for (const [name, given] of Object.entries(charters)) {
    const nameKind = builtInCalled(name)
      ? "a ready-made charter"
      : isCharterFile(name)
        ? "a file"
        : isCharterFolder(name)
          ? "a folder"
          : undefined;
    if (nameKind !== undefined)
      throw new Problem(
        code,
        `The charter “${name}” in ${place} is called like ${nameKind}.`,
        "Give it a name of its own.",
      );
    if (typeof given === "string" ? !isCharterFolder(given) : typeof given !== "function" && !isRecord(given))
      throw new Problem(
        code,
        `The charter “${name}” in ${place} is ${kindOf(given)}.`,
        "Give a charter, a declaration, a function from facts to either, or the path of a folder, as in ./tally.",
      );
  }
}

/** Places that a charter is loaded from by its name. */
export type CharterSources = {
  readonly charters?: HostCharters | undefined;
  /** Sources that folders may name. */
  readonly sources?: (() => Promise<NamedSources>) | undefined;
  /** Path of the lock file, if it is not the usual one. A folder that has changed is not used against it. */
  readonly lock?: string | undefined;
  /** Shows a folder as it is now, though it may be against the lock. */
  readonly anew?: boolean;
};

/** The folder that a name stands for, if it does. */
export function folderOf(name: string, charters: HostCharters = {}): string | undefined {
  const own = Object.hasOwn(charters, name) ? charters[name] : undefined;
  if (typeof own === "string") return own;
  return own === undefined && isCharterFolder(name) ? name : undefined;
}

/** Loads a charter by its name: an own one, a ready-made one, or one from a file or a folder. */
export async function loadCharter(name: string, places: CharterSources = {}): Promise<LoadedCharter> {
  const { charters = {} } = places;
  const folder = folderOf(name, charters);
  if (folder !== undefined) return loadedFolder(name, folder, places);
  const own = Object.hasOwn(charters, name) ? (charters[name] as GivenCharter) : undefined;
  if (own) return loadedOwn(name, await (await import("./own-charter.ts")).givenCharter(name, own));
  const known = builtInCalled(name);
  if (known) {
    const { fromFacts, facts: ownFacts } = await known.load();
    return {
      ofSettings: true,
      facts: ownFacts,
      given: async (facts, ...more) => withUnknown({ name, own: ownFacts }, fromFacts(facts, ...more), facts),
    };
  }
  if (isCharterFile(name)) return loadedOwn(name, await (await import("./own-charter.ts")).ownCharter(name));
  throw new Problem(
    "unknown-charter",
    `There is no charter “${name}”.`,
    existsSync(join(name, "charter.yaml"))
      ? `For the folder write ./${name}.`
      : `Name ${[...Object.keys(charters), ...builtInNames].join(", ")}, a file that ends in .ts or .js, or a folder, as in ./tally.`,
  );
}

/** Places an agent's charter may be in: the host, which is asked first, or its store. */
export type CharterPlaces = CharterSources & {
  readonly store?: Pick<Store, "agents" | "turns" | "steps">;
};

/** Loads an agent's charter, by its name first, then from what was stored with the agent. */
export async function agentCharter(
  { name, charter }: Pick<AgentRecord, "name" | "charter">,
  places: CharterPlaces,
): Promise<LoadedCharter> {
  const { charters = {}, store } = places;
  const record =
    isFoundByName(charter) || Object.hasOwn(charters, charter) ? undefined : await store?.agents.charterOf(name);
  // An agent that is about to get another charter still has the old one stored.
  if (!store || record?.charter.name !== charter) return loadCharter(charter, places);
  return loadedOwn(charter, (await import("./own-charter.ts")).recordedCharter(record, { store, agent: name }));
}

function loadedOwn(
  name: string,
  { declare, ofSettings, elsewhere }: OwnCharter & Pick<LoadedCharter, "elsewhere">,
): LoadedCharter {
  return {
    ofSettings,
    facts: undefined,
    ...(elsewhere ? { elsewhere } : {}),
    given: async (facts, clock, channels = {}) => {
      const turnFacts = { now: clock().toISOString(), ...(facts.value as object) };
      const declared = declaredTurnOf(await declare(turnFacts, { channels }), facts, clock);
      const missing = elsewhere ? [{ code: elsewhere.code, message: elsewhere.message }] : [];
      const known = { ...declared, notices: [...declared.notices, ...missing] };
      return withUnknown({ name, own: undefined }, known, facts);
    },
  };
}

type OpenFolder = ReturnType<typeof openFolderCharter>;

/** Folders this process has opened, by path: as long as a change cannot be used, the last good one is. */
const folders = createBoundedMap<string, OpenFolder>(1000);

async function loadedFolder(
  name: string,
  path: string,
  { sources, lock, anew = false }: CharterSources,
): Promise<LoadedCharter> {
  const { openFolderCharter, settingsIn } = await import("../charters/folder.ts");
  const key = resolve(path);
  const open = (anew ? undefined : folders.get(key)) ?? openFolderCharter(path);
  if (!anew) folders.set(key, open);
  const { content, notices, declare } = await open({
    ...(sources ? { sources } : {}),
    check: (charter) => compareLock({ charter, from: name }, lock ?? "charter.lock", lock !== undefined),
  });
  return {
    ofSettings: true,
    facts: undefined,
    version: JSON.stringify([content.digest, notices]),
    given: async (facts, clock) => {
      const declared = declaredTurnOf(declare(settingsIn(facts.value as object)), facts, clock);
      const known = { ...declared, notices: [...declared.notices, ...notices], toolNotices: notices };
      return withUnknown({ name, own: undefined }, known, facts);
    },
  };
}

/** Adds a notice about facts that a charter does not read. */
function withUnknown(
  { name, own }: { readonly name: string; readonly own: FactFields | undefined },
  given: DeclaredTurn,
  facts: Fact,
): DeclaredTurn {
  const unknown = unknownFactNotices(name, own, facts);
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}

/** Traits a charter declares: what it must be told, and whether a service can run it. */
export type CharterTraits = { readonly needs: readonly Need[]; readonly served: boolean };

export function traitsOf({ needs = [], served = true }: Partial<CharterTraits>): CharterTraits {
  return { needs, served };
}

type CharterDescription = CharterTraits & {
  readonly name: string;
  readonly says: string;
  /** Settings for a new agent, to be edited before it is added. */
  readonly template: Readonly<Record<string, unknown>>;
  /** Settings it reads besides those all charters do. */
  readonly reads: readonly string[];
};

/** Describes each charter in a sentence, with its traits; the host's own come first. */
export async function describeCharters(places: CharterSources): Promise<CharterDescription[]> {
  const described = async ([name, { says, load }]: [string, (typeof builtIn)[string]]) => {
    const { fromFacts, facts, demo: template = {} } = await load();
    return { name, says, ...traitsOf(fromFacts(factsOf({}), () => new Date(0))), template, reads: settingPaths(facts) };
  };
  const own = async (name: string) => {
    const { given } = await loadCharter(name, places);
    const traits = traitsOf(await given(factsOf({}), () => new Date(0)));
    return { name, says: "A charter of your own.", ...traits, template: {}, reads: [] };
  };
  return Promise.all([...Object.keys(places.charters ?? {}).map(own), ...Object.entries(builtIn).map(described)]);
}

const { statSync } = process.getBuiltinModule("node:fs");
const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/** A charter, and the name or the file it was asked for by. */
type NamedCharter = { readonly charter: Charter; readonly from: string };

/** Checks that the fixed texts are those that were pinned. A missing lock pins nothing, unless it was asked for by name. */
export async function compareLock({ charter, from }: NamedCharter, path: string, demanded: boolean): Promise<void> {
  if (!demanded && !existsSync(path)) return;
  const lock = readLock(path);
  checkFile(lock, path, { charter, from });
  if (!builtInCalled(charter.name) && !Object.hasOwn(lock.charters, charter.name))
    return checkLooks(lock, { charter, from });
  const [{ plainSha256 }, { checkLock }] = await Promise.all([
    import("../prompt/digest.ts"),
    import("../prompt/lock.ts"),
  ]);
  checkLock(lock, charter, plainSha256);
}

/** Creates a lock check for many turns: a charter is compared again only when the file has changed or has appeared. */
export function createLockCheck(named: string | undefined): (asked: NamedCharter) => Promise<void> {
  const path = named ?? "charter.lock";
  const compared = new WeakMap<Charter, string>();
  return async (asked) => {
    const stamp = stampOf(path);
    if (compared.get(asked.charter) === stamp) return;
    await compareLock(asked, path, named !== undefined);
    compared.set(asked.charter, stamp);
  };
}

/** Checks that a charter from a locked file has the name it was locked by, so that renaming it does not avoid the lock. */
function checkFile(lock: Lock, path: string, { charter, from }: NamedCharter): void {
  if (!isCharterPath(from)) return;
  const names = Object.entries(lock.files ?? {}).flatMap(([name, file]) =>
    [file, join(dirname(path), file)].some((one) => isSameFile(one, from)) ? [name] : [],
  );
  if (names.length > 0 && !names.includes(charter.name)) throw renamedProblem(from, charter.name, names);
}

export function renamedProblem(file: string, name: string, names: readonly string[]): Problem {
  return new Problem(
    "lock-mismatch",
    `The charter at ${file} is called “${name}”, and was locked as ${listed(names)}.`,
    "Give it back its name; if the change is meant, run `charter lock` and commit the file.",
  );
}

/** Checks whether two paths are the same file, by whichever link or spelling. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** Refuses an unlocked charter whose name looks like a locked one: with an extra blank, or a letter of another script. */
async function checkLooks(lock: Lock, { charter, from }: NamedCharter): Promise<void> {
  const { splitWords } = await import("../amend/override/normalise.ts");
  const foldedName = (name: string) => Array.from(splitWords(name), ({ folded }) => folded).join("");
  const ownLook = foldedName(charter.name);
  const names = new Set([...builtInNames, ...Object.keys(lock.charters)]);
  const like = [...names].filter((name) => ownLook !== "" && foldedName(name) === ownLook);
  if (like.length === 0) return;
  throw new Problem(
    "lock-mismatch",
    `“${charter.name}” is not in charter.lock, and looks like ${listed(like)}, which is.`,
    `Give it a name of its own; or, if it is meant, lock it with \`charter lock --charter ${from}\`.`,
  );
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : "none";
}

export function readLock(path: string): Lock {
  const lock = readJson(path, "lock file") as Lock;
  const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string");
  const areLines = (value: unknown) =>
    value === undefined || (Array.isArray(value) && value.every((line) => typeof line === "string"));
  const isSection = (entry: unknown) =>
    isRecord(entry) && typeof entry.words === "string" && areLines(entry.text) && areLines(entry.shortText);
  const charters = isRecord(lock?.charters) ? Object.values(lock.charters) : [undefined];
  const sound = charters.every((one) => isRecord(one) && Object.values(one).every(isSection));
  if (lock?.version === 1 && sound && (lock.files === undefined || isTexts(lock.files))) return lock;
  const hint = "Take it from version control, or delete it and run `charter lock`.";
  throw new Problem("bad-lock", `${path} is damaged, or no lock file of this version.`, hint);
}
