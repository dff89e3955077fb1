import type { RulesFor } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import { type Fact, factsOf, givenOf, unknownFacts } from "../charters/facts.ts";
import type { Given } from "../charters/given.ts";
import { type Charter, defineCharter } from "../prompt/charter.ts";
import type { Lock } from "../prompt/lock.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { existsSync, readJson } from "./input.ts";

export type FromFacts = (facts: Fact, clock: () => Date) => Given;

const builtIn: Readonly<Record<string, () => Promise<FromFacts>>> = {
  artifact: async () => (await import("../charters/artifact.ts")).artifactFromFacts,
  assistant: async () => (await import("../charters/assistant.ts")).assistantFromFacts,
  sovereign: async () => (await import("../charters/sovereign.ts")).sovereignFromFacts,
  coder: async () => (await import("../charters/coder.ts")).coderFromFacts,
  resident: async () => (await import("../charters/resident.ts")).residentFromFacts,
};

export const builtInNames = Object.keys(builtIn);

/** Is it a file of the user's own? Then it is code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** A charter by its name, or from a file of the user's own. */
export async function loadCharter(name: string): Promise<FromFacts> {
  const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (load) return load();
  if (isCharterFile(name)) return fromFile(name);
  throw new Problem(
    "unknown-charter",
    `There is no charter “${name}”.`,
    `Name ${builtInNames.join(", ")}, or a file that ends in .ts or .js.`,
  );
}

/**
 * The file's default export is a charter, or a function from the facts to one; `rules` may guard its sections, and
 * `tools` are what its agent can call.
 */
async function fromFile(path: string): Promise<FromFacts> {
  const module = await importFile(path);
  if (module.default === undefined)
    throw unusable(path, "it has no default export", "Export the charter: export default { name, layers }.");
  const { tools } = module;
  if (tools !== undefined && !Array.isArray(tools))
    throw unusable(path, "its tools are no list", "Export them as one: export const tools = [defineTool({ … })].");
  return (facts, clock) => {
    const charter = defineCharter(madeOf(module.default, facts, path));
    if (builtInNames.includes(charter.name))
      throw unusable(path, `a built-in charter is called “${charter.name}”`, "Give it a name of its own.");
    const own = module.rules;
    const rules = async () => own ?? (await import("../agent/usual-rules.ts")).usualRules(charter);
    return givenOf({ charter, rules, ...(tools ? { tools: async () => tools } : {}) }, facts, clock);
  };
}

function madeOf(made: unknown, facts: Fact, path: string): Charter {
  if (typeof made !== "function") return made as Charter;
  try {
    return made(facts.value);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw unusable(path, `its function threw: ${reasonOf(error)}`, "Mend the file.");
  }
}

function unusable(path: string, why: string, hint: string): Problem {
  return new Problem("charter-unreadable", `The charter at ${path} cannot be used: ${why}.`, hint);
}

type OwnCharter = { default?: unknown; rules?: RulesFor; tools?: readonly Tool[] };

async function importFile(path: string): Promise<OwnCharter> {
  const { resolve } = await import("node:path");
  const { pathToFileURL } = await import("node:url");
  if (!existsSync(path)) throw new Problem("no-such-file", `There is no charter at ${path}.`, "Check the path.");
  const { useSource } = await import("../../bin/resolve.js");
  useSource();
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = reasonOf(error).split("\n")[0];
    throw new Problem(
      "charter-unreadable",
      `The charter at ${path} could not be loaded: ${reason}`,
      "Mend the file; run it with node to see where it fails.",
    );
  }
}

export type PromptValues = {
  readonly charter?: string | undefined;
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
};

/** Charter and facts, with the lock looked at: what every command starts from. */
export async function loadGiven(command: string, values: PromptValues): Promise<Given> {
  if (!values.charter)
    throw new Problem(
      "usage",
      `charter ${command} needs --charter.`,
      `Name ${builtInNames.join(", ")}, or a file; or an agent of the database with --agent. See charter ${command} --help.`,
    );
  const fromFacts = await loadCharter(values.charter);
  const facts = factsOf(values.input === undefined ? {} : readJson(values.input, "facts file"));
  const given = withUnknown(
    fromFacts(facts, () => new Date()),
    facts,
  );
  await compareLock(given.charter, values.lock ?? "charter.lock", values.lock !== undefined);
  return given;
}

/** A charter of the user's own may be told anything; the built-in ones say what they do not know. */
export function withUnknown(given: Given, facts: Fact): Given {
  const unknown = builtInNames.includes(given.charter.name) ? unknownFacts(facts) : [];
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}

export async function compareLock(charter: Charter, path: string, demanded: boolean): Promise<void> {
  if (!demanded && !existsSync(path)) return;
  const lock = readLock(path);
  if (!builtInNames.includes(charter.name) && lock.charters[charter.name] === undefined) return;
  const [{ sha256 }, { checkLock }] = await Promise.all([import("../store/sha256.ts"), import("../prompt/lock.ts")]);
  checkLock(lock, charter, sha256);
}

export function readLock(path: string): Lock {
  const lock = readJson(path, "lock file") as Lock;
  const isRecord = (value: unknown): value is Record<string, { words?: unknown }> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const sections = isRecord(lock?.charters) ? Object.values(lock.charters) : [undefined];
  const sound = sections.every(
    (one) => isRecord(one) && Object.values(one).every((entry) => typeof entry?.words === "string"),
  );
  if (lock?.version === 1 && sound && (lock.files === undefined || isRecord(lock.files))) return lock;
  const hint = "Take it from version control, or delete it and run `charter lock`.";
  throw new Problem("bad-lock", `${path} is damaged, or no lock file of this version.`, hint);
}
