import type { RulesFor } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { declaredTurnOf, type Fact, unknownFacts } from "../charters/facts.ts";
import { type Charter, defineCharter } from "../prompt/charter.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { existsSync } from "../sources/input-file.ts";

/** Facts to a declaration and a turn. `channels`: those a host registers besides the usual ones. */
export type FromFacts = (facts: Fact, clock: () => Date, channels?: Channels) => DeclaredTurn;

type BuiltIn = { readonly says: string; readonly load: () => Promise<FromFacts> };

const builtIn: Readonly<Record<string, BuiltIn>> = {
  artifact: {
    says: "An agent that edits its own prompt: one section, whose opening is protected.",
    load: async () => (await import("../charters/artifact/artifact.ts")).artifactFromFacts,
  },
  assistant: {
    says: "An assistant on the web, on Telegram and on schedules, with a memory and instructions for each user.",
    load: async () => (await import("../charters/assistant/assistant.ts")).assistantFromFacts,
  },
  sovereign: {
    says: "An agent of its own: six fixed layers, four it may amend itself, and one that tells it what is going on.",
    load: async () => (await import("../charters/sovereign/sovereign.ts")).sovereignFromFacts,
  },
  coder: {
    says: "A coding agent in a directory: its prompt comes from files, skills and tools.",
    load: async () => (await import("../charters/coder/coder.ts")).coderFromFacts,
  },
  resident: {
    says: "An identity made of what the host says, what the operator says and what the agent remembers of itself.",
    load: async () => (await import("../charters/resident/resident.ts")).residentFromFacts,
  },
};

export const builtInNames = Object.keys(builtIn);

/** The charters there are, in a sentence each. */
export const builtInCharters = Object.entries(builtIn).map(([name, { says }]) => ({ name, says }));

/** Is it a file of the user's own? Then it is code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** A charter by its name, or from a file of the user's own. */
export async function loadCharter(name: string): Promise<FromFacts> {
  const known = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (known) return known.load();
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
    const charter = defineCharter(charterMadeBy(module.default, facts, path));
    if (builtInNames.includes(charter.name))
      throw unusable(path, `a built-in charter is called “${charter.name}”`, "Give it a name of its own.");
    const own = module.rules;
    const rules = async () => own ?? (await import("../agent/usual-rules.ts")).usualRules(charter);
    return declaredTurnOf({ charter, rules, ...(tools ? { tools: async () => tools } : {}) }, facts, clock);
  };
}

function charterMadeBy(made: unknown, facts: Fact, path: string): Charter {
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

/** A charter of the user's own may be told anything; the built-in ones say what they do not know. */
export function withUnknownFacts(given: DeclaredTurn, facts: Fact): DeclaredTurn {
  const unknown = builtInNames.includes(given.charter.name) ? unknownFacts(facts) : [];
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}
