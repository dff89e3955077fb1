import { readyMade } from "../../agent/bare-declaration.ts";
import type { Declaration } from "../../agent/declaration.ts";
import { checkOptions, type FieldChecks, isFunction, isObject, isText, optional } from "../../prompt/argument.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { empty, fromText, type Reading, unavailable } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { Source } from "../../prompt/source.ts";
import type { CoreMemory } from "../../sources/core-memory/core-memory.ts";
import { coreSlug } from "../../sources/core-memory/slug.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { type Fact, field, oneOf, text } from "../facts.ts";
import { type FactFields, fields } from "../known-facts.ts";
import { memorySettingsOf } from "./memory-settings.ts";

/** What an agent reads of itself when nobody has told it who it is, and its core memory is confirmed empty. */
export const newcomerWords = `You are new here. Nobody has told you yet who you are, and your core memory is empty.
Introduce yourself briefly, ask what you are needed for, and listen.`;

/** The same for one that can write to its core memory. */
export const newcomerWithMemory = `${newcomerWords}
When you learn who you are, for whom you work and how they want things done, write it to your core memory with update_core_memory: it is the one memory you will always be given.`;

/**
 * The host's and the operator's text, and the agent's core memory: a source of your own, which it cannot change, or one
 * on relays, which it can.
 */
export type ResidentOptions = {
  readonly base?: string;
  readonly operator?: string;
  readonly core: Source | CoreMemory;
};

const checks: FieldChecks<ResidentOptions> = {
  base: optional([isText, "Give the host's words."]),
  operator: optional([isText, "Give the operator's words."]),
  core: [
    (value) => isFunction(value) || (isObject(value) && isFunction((value as Partial<CoreMemory>).source)),
    "Give a source, a function that gives a reading of its core memory; or what openCoreMemory gives.",
  ],
};

/**
 * Ready-made charter: an agent whose identity is what the host says, what the operator says, and what the agent
 * remembers of itself. The text for newcomers is used only if there is no operator text and core memory is really
 * empty.
 */
export function resident(options: ResidentOptions): Declaration {
  checkOptions("resident", options, checks);
  const { core } = options;
  const memory = typeof core === "function" ? undefined : core;
  if (memory === undefined) {
    const charter = residentCharter(options, newcomerWords);
    return readyMade({ charter, rules: async () => (await import("../../agent/usual-rules.ts")).usualRules(charter) });
  }
  const declared = (words: string): Declaration => {
    const charter = residentCharter(options, words);
    return { charter, rules: async () => (await import("./rules.ts")).residentRules(charter, memory) };
  };
  let withoutTools: Declaration | undefined;
  return readyMade({
    ...declared(newcomerWithMemory),
    tools: async () => [(await import("../../agent/tools/index.ts")).updateCoreMemory({ section: coreSlug })],
    withoutTools: () => {
      withoutTools ??= readyMade(declared(newcomerWords));
      return withoutTools;
    },
  });
}

function residentCharter({ base = "", operator = "", core }: ResidentOptions, newcomer: string): Charter {
  const byOperator = { amendableBy: ["operator" as const] };
  const remembered: Section =
    typeof core === "function"
      ? { name: coreSlug, mutability: "live", trust: "user", sources: [core] }
      : { name: coreSlug, mutability: { amendableBy: ["agent", "operator"] }, trust: "user", sources: [core.source] };
  return defineCharter({
    name: "resident",
    layers: [
      { name: "base", owner: "host", mutability: byOperator, sections: [{ name: "base", original: base }] },
      {
        name: "identity",
        owner: "operator",
        mutability: byOperator,
        sections: [{ name: "operator", original: operator }, remembered],
        fallback: [{ name: "newcomer", mutability: "live", words: newcomer }],
      },
    ],
  });
}

/** What one that is made on the spot is set up with. */
export const residentDemo = { base: "You live in a terminal and help whoever sits at it." };

/** What it is told. */
export const residentFacts: FactFields = {
  ...fields("base operator"),
  core: fields("status text"),
  memory: fields("relays owner key"),
};

/** Words are only said to be missing where someone has looked: a core memory that nobody set up is unavailable. */
export function residentFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const base = text(field(facts, "base")) ?? "";
  const operator = text(field(facts, "operator")) ?? "";
  const place = memorySettingsOf(facts);
  const core = fixedCore(field(facts, "core"));
  if (place && core) throw twoCores();
  const withMemory = (memory: CoreMemory) => resident({ base, operator, core: memory });
  const unread = place
    ? unavailable("nobody has asked its relays")
    : unavailable("no core memory is set up: give the setting “memory”");
  const declaration = resident({ base, operator, core: () => core ?? unread });
  return declaredTurnOf(place ? { ...declaration, memory: place, withMemory } : declaration, facts, clock);
}

/** A fixed identity, or a test's. */
function fixedCore(core: Fact): Reading | undefined {
  if (core.value === undefined) return undefined;
  const words = text(field(core, "text"));
  const status = oneOf(field(core, "status"), ["present", "empty", "unavailable"]);
  if (status === "empty") return empty;
  if (status === "present" || (status === undefined && words !== undefined))
    return fromText(words, { source: "core-memory" });
  return unavailable("core memory is out of reach");
}

function twoCores(): Problem {
  return new Problem(
    "bad-facts",
    "The facts “core” and “memory” are both given, and a core memory is one of them.",
    "Give “memory” where it is kept on relays, or “core” where it never changes.",
  );
}
