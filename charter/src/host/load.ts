import type { Need } from "../agent/declaration.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { type DeclaredTurn, declaredTurnOf } from "../charters/declared-turn.ts";
import { type Fact, type FactFields, factsOf, settingPaths, unknownFactNotices } from "../charters/facts.ts";
import { isRecord, kindOf } from "../prompt/argument.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Lock } from "../prompt/lock.ts";
import { listed, Problem } from "../prompt/problem.ts";
import { existsSync, readJson } from "../sources/input-file.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import { builtIn, builtInCalled, builtInNames } from "./built-in.ts";
import type { GivenCharter, OwnCharter } from "./own-charter.ts";

/** Charters of a program or a configuration, by the names that agents have them by. */
export type HostCharters = Readonly<Record<string, GivenCharter>>;

/** A charter that was found: what facts make of it. */
export type LoadedCharter = {
  readonly given: (facts: Fact, clock: () => Date, channels?: Channels) => Promise<DeclaredTurn>;
  /** It is made of its settings alone, and so the same for every user, turn after turn. */
  readonly ofSettings: boolean;
  /** What it is told besides what all are; a file of the user's own does not say. */
  readonly facts: FactFields | undefined;
  /** Its functions are in another program: why turns are not taken here. */
  readonly elsewhere?: Problem;
};

/** Is it a file of the user's own? Then it is code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** Whether a name stands for a charter by itself, wherever it is asked for: it is ready-made, or a file. */
export function isFoundByName(name: string): boolean {
  return builtInCalled(name) !== undefined || isCharterFile(name);
}

/** Charters of one's own are called by names that nothing else is found by. What each is, is checked when it is used. */
export function checkCharterNames(
  charters: object,
  { place, code }: { readonly place: string; readonly code: string },
): void {
  for (const [name, given] of Object.entries(charters)) {
    const taken = builtInCalled(name) ? "a ready-made charter" : isCharterFile(name) ? "a file" : undefined;
    if (taken !== undefined)
      throw new Problem(
        code,
        `The charter “${name}” in ${place} is called like ${taken}.`,
        "Give it a name of its own.",
      );
    if (typeof given !== "function" && !isRecord(given))
      throw new Problem(
        code,
        `The charter “${name}” in ${place} is ${kindOf(given)}.`,
        "Give a charter, a declaration, or a function from facts to either.",
      );
  }
}

/** A charter by its name, given or ready-made, or from a file of the user's own. */
export async function loadCharter(name: string, charters: HostCharters = {}): Promise<LoadedCharter> {
  const given = Object.hasOwn(charters, name) ? charters[name] : undefined;
  if (given) return loadedOwn(name, await (await import("./own-charter.ts")).givenCharter(name, given));
  const known = builtInCalled(name);
  if (known) {
    const { fromFacts, facts: own } = await known.load();
    return {
      ofSettings: true,
      facts: own,
      given: async (facts, ...more) => withUnknown({ name, own }, fromFacts(facts, ...more), facts),
    };
  }
  if (isCharterFile(name)) return loadedOwn(name, await (await import("./own-charter.ts")).ownCharter(name));
  throw new Problem(
    "unknown-charter",
    `There is no charter “${name}”.`,
    `Name ${[...Object.keys(charters), ...builtInNames].join(", ")}, or a file that ends in .ts or .js.`,
  );
}

/** Where an agent's charter may be: with the host, which is asked first, or in its store. */
export type CharterPlaces = {
  readonly charters?: HostCharters | undefined;
  readonly store?: Pick<Store, "agents" | "turns" | "steps">;
};

/** An agent's charter, wherever it is: what it is called by is looked for first, then what was kept with it. */
export async function agentCharter(
  { name, charter }: Pick<AgentRecord, "name" | "charter">,
  { charters = {}, store }: CharterPlaces,
): Promise<LoadedCharter> {
  const kept =
    isFoundByName(charter) || Object.hasOwn(charters, charter) ? undefined : await store?.agents.charterOf(name);
  // An agent that is to have another charter still has the one it has.
  if (!store || kept?.charter.name !== charter) return loadCharter(charter, charters);
  return loadedOwn(charter, (await import("./own-charter.ts")).recordedCharter(kept, { store, agent: name }));
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
      const told = { now: clock().toISOString(), ...(facts.value as object) };
      const declared = declaredTurnOf(await declare(told, { channels }), facts, clock);
      const missing = elsewhere ? [{ code: elsewhere.code, message: elsewhere.message }] : [];
      const known = { ...declared, notices: [...declared.notices, ...missing] };
      return withUnknown({ name, own: undefined }, known, facts);
    },
  };
}

/** What a charter is not told, it says. */
function withUnknown(
  { name, own }: { readonly name: string; readonly own: FactFields | undefined },
  given: DeclaredTurn,
  facts: Fact,
): DeclaredTurn {
  const unknown = unknownFactNotices(name, own, facts);
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}

/** What a charter says about itself: what it must be told, and whether a service can run it. */
export type CharterTraits = { readonly needs: readonly Need[]; readonly served: boolean };

export function traitsOf({ needs = [], served = true }: Partial<CharterTraits>): CharterTraits {
  return { needs, served };
}

type CharterDescription = CharterTraits & {
  readonly name: string;
  readonly says: string;
  /** Settings for a new agent, to be changed before it is added. */
  readonly template: Readonly<Record<string, unknown>>;
  /** The settings it reads besides those all charters do. */
  readonly reads: readonly string[];
};

/** The charters there are, in a sentence each, and what they say of themselves: the host's own first. */
export async function describeCharters(charters: HostCharters): Promise<CharterDescription[]> {
  const described = async ([name, { says, load }]: [string, (typeof builtIn)[string]]) => {
    const { fromFacts, facts, demo: template = {} } = await load();
    return { name, says, ...traitsOf(fromFacts(factsOf({}), () => new Date(0))), template, reads: settingPaths(facts) };
  };
  const own = async (name: string) => {
    const { given } = await loadCharter(name, charters);
    const traits = traitsOf(await given(factsOf({}), () => new Date(0)));
    return { name, says: "A charter of your own.", ...traits, template: {}, reads: [] };
  };
  return Promise.all([...Object.keys(charters).map(own), ...Object.entries(builtIn).map(described)]);
}

const { statSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

/** A charter, and the name or the file it was asked for by. */
type NamedCharter = { readonly charter: Charter; readonly from: string };

/** The fixed words are those that were pinned; a lock that is not there pins nothing, unless it was asked for by name. */
export async function compareLock({ charter, from }: NamedCharter, path: string, demanded: boolean): Promise<void> {
  if (!demanded && !existsSync(path)) return;
  const lock = readLock(path);
  checkFile(lock, path, { charter, from });
  if (!builtInCalled(charter.name) && !Object.hasOwn(lock.charters, charter.name))
    return checkLooks(lock, { charter, from });
  const [{ sha256 }, { checkLock }] = await Promise.all([
    import("../store/texts/packing.ts"),
    import("../prompt/lock.ts"),
  ]);
  checkLock(lock, charter, sha256);
}

/** The same for many turns: a charter that was compared is compared again when the file is another, or is there at last. */
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

/** What came from a file that was locked is compared under the name it was locked by: another name is no way out. */
function checkFile(lock: Lock, path: string, { charter, from }: NamedCharter): void {
  if (!isCharterFile(from)) return;
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

/** One file, by whichever path, link or spelling. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** A charter nobody locked may not pass for one that is: a blank more, a letter of another script. */
async function checkLooks(lock: Lock, { charter, from }: NamedCharter): Promise<void> {
  const { splitWords } = await import("../amend/override/normalise.ts");
  const looks = (name: string) => Array.from(splitWords(name), ({ folded }) => folded).join("");
  const look = looks(charter.name);
  const names = new Set([...builtInNames, ...Object.keys(lock.charters)]);
  const like = [...names].filter((name) => look !== "" && looks(name) === look);
  if (like.length === 0) return;
  throw new Problem(
    "lock-mismatch",
    `“${charter.name}” is not in charter.lock, and looks like ${listed(like)}, which is.`,
    `Give it a name of its own; or, if it is meant, lock it with \`charter lock --charter ${from}\`.`,
  );
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "none";
}

export function readLock(path: string): Lock {
  const lock = readJson(path, "lock file") as Lock;
  const isRecord = (value: unknown): value is Record<string, { words?: unknown }> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string");
  const sections = isRecord(lock?.charters) ? Object.values(lock.charters) : [undefined];
  const sound = sections.every(
    (one) => isRecord(one) && Object.values(one).every((entry) => typeof entry?.words === "string"),
  );
  if (lock?.version === 1 && sound && (lock.files === undefined || isTexts(lock.files))) return lock;
  const hint = "Take it from version control, or delete it and run `charter lock`.";
  throw new Problem("bad-lock", `${path} is damaged, or no lock file of this version.`, hint);
}
