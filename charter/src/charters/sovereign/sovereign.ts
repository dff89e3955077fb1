import type { Declaration } from "../../agent/declaration.ts";
import { checkOptions, isFunction, optional } from "../../prompt/argument.ts";
import { countCharacters, preview } from "../../prompt/character.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { namePlain, quoted } from "../../prompt/fence.ts";
import { empty, fromText, type Part, present, type Reading, type Source, type ToolLine } from "../../prompt/reading.ts";
import { withCompactLine } from "../../prompt/rendering.ts";
import type { Layer } from "../../prompt/section.ts";
import { counterpart } from "../../store/scope.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { etherText } from "../ether.ts";
import {
  count,
  entries,
  type Fact,
  type FactFields,
  field,
  fields,
  flag,
  line,
  list,
  number,
  oneOf,
  required,
  text,
} from "../facts.ts";
import { amendableLayers, fixedLayers, type LayerWords, nowTitle, placeChoices, type SovereignPlace } from "./words.ts";

/** The sources of the three layers of `sovereign` that are not plain text. */
export type SovereignSources = {
  /** A short label, set by the operator, for layer 3: see `soulReading`. */
  readonly soul: Source;
  /** Active skills, set by the operator, for layer 5: see `inlineSkillsReading`. */
  readonly skills: Source;
  /** Layer 10, generated each turn: see `nowReading`. */
  readonly now: Source;
};

const settingsOf: Readonly<Record<string, keyof SovereignSources>> = { identity: "soul", operations: "skills" };

const aSource = [isFunction, "Give a source: a function that gives a reading."] as const;

const aChoice = (choices: readonly string[]) =>
  optional([(given) => choices.includes(given as string), `It can be ${choices.join(", ")}.`]);

/**
 * Ready-made charter: an autonomous agent with eleven numbered layers. Six are fixed, four the agent may change, one is generated
 * each turn. `place` says where and how it lives.
 */
export function sovereign(sources: SovereignSources, place: SovereignPlace = {}): Declaration {
  checkOptions("sovereign", sources, { soul: aSource, skills: aSource, now: aSource });
  checkOptions("sovereign", place, {
    runtime: aChoice(placeChoices.runtime),
    key: aChoice(placeChoices.key),
    tools: aChoice(placeChoices.tools),
  });
  const fixed = fixedLayers(place);
  const charter: Charter = defineCharter({
    name: "sovereign",
    separator: "\n\n---\n\n",
    limit: { chars: 8000, compact: { tokens: 800 } },
    layers: [
      ...fixed.map((words, number): Layer => {
        const setting = settingsOf[words.section];
        return {
          name: String(number),
          owner: "charter",
          mutability: "fixed",
          sections: [
            {
              name: words.section,
              heading: headingOf(number, words),
              words: words.words,
              ...(words.wordings === undefined ? {} : { wordings: words.wordings }),
              ...(words.short === undefined ? {} : { short: words.short, compact: "short" }),
              ...(setting === undefined ? {} : { trust: "own", sources: [sources[setting]] }),
            },
          ],
        };
      }),
      ...amendableLayers.map((words, index): Layer => {
        const number = index + fixed.length;
        return {
          name: String(number),
          owner: "agent",
          mutability: { amendableBy: ["agent", "operator"], scope: "agent" },
          sections: [
            {
              name: words.section,
              heading: headingOf(number, words),
              original: withCompactLine(words.words, words.short),
              compact: "line",
            },
          ],
        };
      }),
      {
        name: "10",
        owner: "system",
        mutability: "live",
        sections: [
          {
            name: "now",
            heading: headingOf(10, { title: nowTitle }),
            trust: "own",
            sources: [sources.now],
            stability: "state",
            reserve: { chars: 1400, tokens: 260 },
          },
        ],
      },
    ],
    givesWay: [
      { section: "now", parts: "fact", from: "end", told: "(older facts cut: {missing})" },
      {
        section: "now",
        parts: "older-exchange",
        from: "start",
        to: "short",
        told: "(older exchanges shortened: {missing})",
      },
      { section: "now", parts: "older-exchange", from: "start", told: "(older exchanges cut: {missing})" },
      { section: "now", parts: "counterpart", from: "end", keep: 5, told: "(conversations cut: {missing})" },
      {
        section: "now",
        parts: "obligation",
        from: "end",
        to: "short",
        told: "(obligation previews cut: {missing})",
      },
      { section: "now", parts: "exchange", from: "end", to: "short", told: "(exchanges shortened: {missing})" },
      { section: "now", parts: "exchange", from: "end", told: "(exchanges cut: {missing})" },
      { section: "now", parts: "counterpart", from: "end", told: "(conversations cut: {missing})" },
      { section: "now", parts: "obligation", from: "end", keep: 1, told: "(obligations cut: {missing})" },
      { section: "now", parts: "tool", from: "end", told: "(tools cut: {missing})" },
      ...amendableLayers.toReversed().map(({ section }) => ({
        section,
        edition: "compact" as const,
        from: "end" as const,
        told: "(in force; cut here)",
      })),
    ],
  });
  return {
    charter,
    needs: ["inbox", "conversations", "notes"],
    rules: async () => (await import("../rules.ts")).sovereignRules(charter),
    tools: async () => {
      const { forgetMemory, readMemory, readPrompt, saveMemory, updateMemory, updatePromptLayer } = await import(
        "../../agent/tools/index.ts"
      );
      const inbox = true;
      const notes = [readMemory({ inbox }), saveMemory({ inbox }), updateMemory({ inbox }), forgetMemory({ inbox })];
      return [updatePromptLayer(charter), ...notes, readPrompt(charter)];
    },
    fault: (_section, words) => {
      const characters = countCharacters(words.trim());
      return characters >= 1 && characters <= 4000
        ? undefined
        : `it has ${characters} characters, and 1 to 4000 may stand.`;
    },
  };
}

function headingOf(number: number, { title }: Pick<LayerWords, "title">): string {
  return `## Layer ${number}: ${title}`;
}

/** Makes the reading of the sovereign's soul, for layer 3. */
export function soulReading(soul: string | undefined): Reading {
  return soul === undefined ? empty : fromText(`You are \`${soul}\`.`, { source: "soul", short: "" });
}

/** Makes the reading of the sovereign's active skills, for layer 5: short instructions, each on a line. */
export function inlineSkillsReading(
  skills: readonly { readonly name: string; readonly instructions: string }[],
): Reading {
  if (skills.length === 0) return empty;
  const lines = skills.map(({ name, instructions }) => ({
    text: `- ${name}: ${instructions}`,
    id: name,
    source: "skills",
  }));
  return { status: "present", parts: [{ text: "### Active Skills", source: "skills" }, ...lines] };
}

/** Settings of an agent that is made for a demo. */
export const sovereignDemo = { soul: "demo" };

/** Facts this charter reads. */
export const sovereignFacts: FactFields = {
  ...fields("soul waiting reserve"),
  skills: [fields("name instructions")],
  place: fields(Object.keys(placeChoices).join(" ")),
  state: fields("cycles_balance burn_per_hour survival_tier base_wallet eth_balance turn_number state"),
  inbox: [fields("id sender body")],
  conversations: { "*": [fields("sender_body agent_reply")] },
  memory: [fields("key value tainted")],
};

export function sovereignFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const soul = soulReading(soulLabel(field(facts, "soul")));
  const skills = inlineSkillsReading(
    list(field(facts, "skills")).map((skill) => ({
      name: required(field(skill, "name"), line(field(skill, "name"), 64)),
      instructions: required(field(skill, "instructions"), line(field(skill, "instructions"), 500)),
    })),
  );
  // The reserve of a grant is used where survival is measured; here it is only checked.
  count(field(facts, "reserve"));
  const known = nowFromFacts(facts);
  const now: Source = ({ now: timestamp, tools, callsLeft, phase = known.state.state }) =>
    nowReading({ ...known, state: { ...known.state, state: phase }, timestamp, tools, callsLeft });
  const declaration = sovereign({ soul: () => soul, skills: () => skills, now }, placeOf(field(facts, "place")));
  return declaredTurnOf(declaration, facts, clock);
}

function placeOf(fact: Fact): SovereignPlace {
  const runtime = oneOf(field(fact, "runtime"), placeChoices.runtime);
  const key = oneOf(field(fact, "key"), placeChoices.key);
  const tools = oneOf(field(fact, "tools"), placeChoices.tools);
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(key === undefined ? {} : { key }),
    ...(tools === undefined ? {} : { tools }),
  };
}

function soulLabel(fact: Fact): string | undefined {
  return line(fact, 80)?.replaceAll("`", "'");
}

/** A message the turn has taken, to be answered in it. */
type InboxEntry = {
  readonly id: string;
  readonly sender: string;
  readonly body: string;
  /** The amount paid with it on its chain, in wei. */
  readonly paid?: string | null | undefined;
};

/** A message and the reply to it. */
type PastExchange = { readonly sender_body: string; readonly agent_reply: string };

/** A fact the agent remembers. Unless `tainted` is false it may contain untrusted text, and is quoted. */
type MemoryFact = { readonly key: string; readonly value: string; readonly tainted?: boolean };

/** The current state of a sovereign, from which `nowReading` makes layer 10. */
type NowFacts = {
  readonly state: Readonly<Record<string, string | number | undefined>>;
  readonly timestamp: string;
  /** The messages of this turn, and how many wait besides them, if that is known. */
  readonly inbox: readonly InboxEntry[];
  readonly waiting?: number | undefined;
  /** Exchanges by the sender's address, lower-cased and trimmed (`counterpart` in `charter/store`); oldest first. */
  readonly conversations: ReadonlyMap<string, readonly PastExchange[]>;
  /** Facts it remembers, newest first. */
  readonly memory: readonly MemoryFact[];
  readonly tools: readonly ToolLine[];
  /** Number of further calls, of all tools together, that the turn may make. */
  readonly callsLeft?: number | undefined;
};

const shownExchanges = 5;
const compactExchanges = 2;
const shownFacts = 20;

/**
 * Makes the reading of the sovereign's layer 10. Everything that others wrote is quoted, each on one line; only
 * conversations with senders of this turn's messages are included.
 */
export function nowReading(now: NowFacts): Reading {
  return present([
    { text: `### Current State\n${stateLines(now).join("\n")}`, source: "state" },
    ...titled("Pending Obligations", obligations(now)),
    ...titled("Conversation History", conversations(now)),
    ...titled("Recent Memory", now.memory.slice(0, shownFacts).map(factPart)),
    ...titled("Available Tools", tools(now)),
  ]);
}

function titled(title: string, parts: readonly Part[]): Part[] {
  const none = { text: "(none)", source: "charter" };
  return [{ text: `### ${title}`, source: "charter", apart: true }, ...(parts.length === 0 ? [none] : parts)];
}

function stateLines({ state, timestamp }: NowFacts): string[] {
  const shown = (name: string) => {
    const value = state[name];
    return value === undefined ? "unknown" : shownName(String(value));
  };
  return [
    `- cycles_balance: ${shown("cycles_balance")}`,
    `- cycles_runway_hours: ${runwayHours(state)}`,
    `- survival_tier: ${shown("survival_tier")}`,
    `- base_wallet: ${shown("base_wallet")}`,
    ...(state.eth_balance === undefined ? [] : [`- eth_balance: ${shown("eth_balance")}`]),
    ...(state.token_balance === undefined ? [] : [`- token_balance: ${shown("token_balance")}`]),
    `- turn_number: ${shown("turn_number")}`,
    `- timestamp: ${timestamp}`,
    `- state: ${shown("state")}`,
  ];
}

/** Returns the balance divided by the measured burn; unknown while nothing was measured. */
function runwayHours({ cycles_balance, burn_per_hour }: NowFacts["state"]): string {
  const balance = Number(cycles_balance ?? Number.NaN);
  const burn = Number(burn_per_hour ?? Number.NaN);
  return Number.isFinite(balance) && burn > 0 ? String(Math.round((balance / burn) * 10) / 10) : "unknown";
}

function obligations({ inbox, waiting }: NowFacts): Part[] {
  if (inbox.length === 0 && !waiting) return [];
  const counts = [
    ...(inbox.length === 0 ? [] : [`Messages in this turn: ${inbox.length}`]),
    ...(waiting === undefined ? [] : [`Messages waiting: ${waiting}`]),
  ];
  return [
    { text: counts.join("\n"), source: "inbox" },
    ...inbox.map(({ id, sender, body, paid }): Part => {
      const from = `- [${shownName(id)}] from ${shownName(counterpart(sender))}${paidText(paid)}`;
      const bodyText = quoted(preview(body, 120));
      return {
        text: `${from}: ${bodyText}`,
        short: from,
        kind: "obligation",
        id: `message:${id}`,
        source: "inbox",
        fenced: true,
      };
    }),
  ];
}

function paidText(paid: InboxEntry["paid"]): string {
  return /^\d+$/.test(paid ?? "") ? `, paid ${etherText(BigInt(paid as string))} ETH` : "";
}

function conversations({ inbox, conversations: known }: NowFacts): Part[] {
  const active = [...new Set(inbox.map(({ sender }) => counterpart(sender)))].sort();
  return active.flatMap((address) => {
    const exchanges = (known.get(address) ?? []).slice(-shownExchanges);
    if (exchanges.length === 0) return [];
    const parent = `conversation:${address}`;
    const heading = {
      text: `#### Conversation with ${shownName(address)}`,
      kind: "counterpart",
      id: parent,
      source: "conversations",
    };
    return [
      heading,
      ...exchanges.map((exchange, index): Part => {
        const age = exchanges.length - index;
        return {
          text: exchangeText(shownName(address), exchange, 500),
          short: exchangeText("them", exchange, 60),
          kind: age === 1 ? "exchange" : "older-exchange",
          parent,
          source: "conversations",
          fenced: true,
          ...(age > compactExchanges ? { edition: "full" as const } : {}),
        };
      }),
    ];
  });
}

function exchangeText(who: string, { sender_body, agent_reply }: PastExchange, max: number): string {
  return `  [${who}]: ${quoted(preview(sender_body, max))}\n  [you]: ${quoted(preview(agent_reply, max))}`;
}

/**
 * Makes a part of a remembered fact. It may once have been a stranger's words, so it is quoted, and counts as foreign unless it
 * is known not to be.
 */
function factPart({ key, value, tainted = true }: MemoryFact): Part {
  const words = `- ${shownName(key)}: ${quoted(preview(value, 500))}`;
  return { text: words, kind: "fact", id: `fact:${key}`, source: "memory", ...(tainted ? { fenced: true } : {}) };
}

function tools({ tools: known, callsLeft }: NowFacts): Part[] {
  const left = { text: `Calls left in this turn: ${callsLeft}`, source: "tools" };
  return [...(known.length === 0 || callsLeft === undefined ? [] : [left]), ...known.map(toolPart)];
}

function toolPart({ name, left }: ToolLine): Part {
  return {
    text: left === undefined ? `- ${name}` : `- ${name} (${left} left)`,
    kind: "tool",
    id: `tool:${name}`,
    source: "tools",
  };
}

/** Writes a name others chose, on its line and shortened: nobody stops the agent by having a long one. */
function shownName(name: string): string {
  return namePlain(name.length > 80 ? preview(name, 80) : name);
}

/** Reads the state in the facts. The time, the tools and the calls left are those of each of a turn's steps. */
function nowFromFacts(facts: Fact): Omit<NowFacts, "timestamp" | "tools" | "callsLeft"> {
  const state = field(facts, "state");
  const conversationLists = new Map<string, PastExchange[]>();
  for (const [address, log] of entries(field(facts, "conversations"))) {
    const exchanges = list(log).map((exchange) => ({
      sender_body: text(field(exchange, "sender_body")) ?? "",
      agent_reply: text(field(exchange, "agent_reply")) ?? "",
    }));
    const key = counterpart(address);
    conversationLists.set(key, [...(conversationLists.get(key) ?? []), ...exchanges]);
  }
  return {
    state: Object.fromEntries(stateFields.map((name) => [name, textOrNumber(field(state, name))])),
    inbox: list(field(facts, "inbox")).map((message, index) => ({
      id: String(textOrNumber(field(message, "id")) ?? index + 1),
      sender: required(field(message, "sender"), text(field(message, "sender"))),
      body: text(field(message, "body")) ?? "",
      paid: text(field(message, "paid")),
    })),
    waiting: count(field(facts, "waiting")),
    conversations: conversationLists,
    memory: list(field(facts, "memory")).map((fact) => ({
      key: required(field(fact, "key"), text(field(fact, "key"))),
      value: required(field(fact, "value"), text(field(fact, "value"))),
      tainted: flag(field(fact, "tainted")) ?? true,
    })),
  };
}

const stateFields = [
  "cycles_balance",
  "burn_per_hour",
  "survival_tier",
  "base_wallet",
  "eth_balance",
  "token_balance",
  "turn_number",
  "state",
];

function textOrNumber(fact: Fact): string | number | undefined {
  return typeof fact.value === "number" ? number(fact) : text(fact);
}
