import { readyMade } from "../../agent/bare-declaration.ts";
import type { Declaration, MemoryPlace } from "../../agent/declaration.ts";
import { checkOptions, type FieldChecks, isFunction, isObject, isText, optional } from "../../prompt/argument.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { empty, fromText, type Reading, type Source, unavailable } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { CoreMemory } from "../../sources/core-memory/core-memory.ts";
import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import { relayFault } from "../../sources/core-memory/relay.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { entries, type Fact, type FactFields, field, fields, list, oneOf, required, text } from "../facts.ts";

/** The words for an agent whom nobody has told who it is, and whose core memory is confirmed empty. */
export const newcomerWords = `You are new here. Nobody has told you yet who you are, and your core memory is empty.
Introduce yourself briefly, ask what you are needed for, and listen.`;

/** The words for a newcomer that can write to its core memory. */
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
    return { charter, rules: async () => (await import("../rules.ts")).residentRules(charter, memory) };
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
      : {
          name: coreSlug,
          // It is the memory of its owner, whoever's turn it is.
          mutability: { amendableBy: ["agent", "operator"], scope: "agent", approvedBy: "nobody" },
          trust: "user",
          sources: [core.source],
        };
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

/** Settings of an agent that is made for a demo. */
export const residentDemo = { base: "You live in a terminal and help whoever sits at it." };

/** Facts this charter reads. */
export const residentFacts: FactFields = {
  ...fields("base operator"),
  core: fields("status text"),
  memory: fields("relays owner key"),
};

/**
 * Declares a resident from facts. A core memory that nobody set up is unavailable, not empty: emptiness is only stated where
 * someone has looked.
 */
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

/** Reads a core memory given as a fact: a fixed identity, or a test's. */
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

const memoryFields = ["relays", "owner", "key"];
const maxRelays = 20;
const hint = 'As in { "relays": ["wss://relay.example.org"], "owner": "npub1…", "key": "ada" }: docs/resident.md.';

/**
 * Reads the settings `memory` of a resident. They come over HTTP and in checkpoints, so they hold neither keys nor commands. None
 * of their values is in a Problem: it may be a secret in the wrong place.
 */
export function memorySettingsOf(facts: Fact): MemoryPlace | undefined {
  const memory = field(facts, "memory");
  if (memory.value === undefined) return undefined;
  for (const [name, { path }] of entries(memory)) {
    if (memoryFields.includes(name)) continue;
    const culprit = isKeyName(name) ? `The fact “${path}”` : `A field of the fact “${memory.path}”`;
    throw badMemory(`${culprit} is none of ${memoryFields.join(", ")}: settings hold neither keys nor commands.`);
  }
  return {
    relays: relaysOf(field(memory, "relays")),
    owner: ownerOf(field(memory, "owner")),
    key: keyNameOf(field(memory, "key")),
  };
}

function relaysOf(relays: Fact): readonly string[] {
  const all = list(relays).map((relay) => {
    const fault = relayFault(required(relay, text(relay)));
    if (fault !== undefined) throw badMemory(`The fact “${relay.path}” ${fault}.`);
    return relay.value as string;
  });
  if (all.length > 0 && all.length <= maxRelays) return all;
  throw badMemory(`The fact “${relays.path}” names ${all.length} relays, where 1 to ${maxRelays} are needed.`);
}

function ownerOf(owner: Fact): string {
  const given = required(owner, text(owner));
  const fault = ownerFault(given);
  if (fault === undefined) return given;
  throw badMemory(`The fact “${owner.path}” ${fault}.`);
}

/** Says what is wrong with an owner's public key, without repeating it. */
export function ownerFault(owner: string): string | undefined {
  if (/nsec1/i.test(owner)) return "is a secret key (nsec), where the owner's public key is needed";
  if (/^npub1[02-9ac-hj-np-z]{58}$/.test(owner) || /^[0-9a-f]{64}$/i.test(owner)) return undefined;
  return "is no public key: npub1 and 58 characters, or 64 characters of hex";
}

function keyNameOf(key: Fact): string {
  const name = required(key, text(key));
  if (isKeyName(name)) return name;
  throw badMemory(`The fact “${key.path}” ${keyNameFault}.`);
}

/** Tells whether a text can name an entry of `keys`. A key itself is longer, or says what it is. */
export function isKeyName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9_.-]{0,38}[a-z0-9])?$/i.test(name) && !/^nsec1/i.test(name);
}

export const keyNameFault =
  "is no name of a key: letters, digits, “-”, “_” and “.”, at most 40. The key itself is told where charter.config.ts says";

function badMemory(message: string): Problem {
  return new Problem("bad-facts", message, hint);
}
