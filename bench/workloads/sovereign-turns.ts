import { address, cut, hex, type Random, rng, sentence, toolName } from "./rng.ts";
import type { Section } from "./section.ts";

/** sovereign-turns “sovereign”: ten layers of about 1,400 tokens, then the state of the turn. */
export type Inputs = {
  readonly layers: readonly LayerText[];
  readonly state: State;
  readonly inbox: readonly Message[];
  readonly conversations: readonly Conversation[];
  readonly facts: readonly Fact[];
  readonly tools: readonly Tool[];
};
export type LayerText = { readonly id: number; readonly content: string };
export type State = Readonly<Record<string, string | number>>;
export type Message = { readonly id: string; readonly sender: string; readonly body: string };
export type Exchange = { readonly body: string; readonly reply: string };
export type Conversation = { readonly sender: string; readonly entries: readonly Exchange[] };
export type Fact = { readonly key: string; readonly value: string };
export type Tool = { readonly name: string; readonly left: number };

/** A prioritised piece of the prompt, in prompt order; `sep` stands before it when it is not the first. */
export type Fragment = { readonly id: string; readonly sep: string; readonly text: string; readonly priority: number };

export const layerSeparator = "\n\n---\n\n";

const layerSizes: readonly [title: string, tokens: number][] = [
  ["Interpretation & Precedence", 80],
  ["Constitution - Safety & Non-Harm", 60],
  ["Survival Economics", 100],
  ["Identity & On-Chain Personhood", 80],
  ["Ethics of Cooperation & Value", 80],
  ["Operational Reality", 150],
  ["Economic Decision Loop", 120],
  ["Inbox Message Handling", 100],
  ["Memory & Learning", 80],
  ["Self-Modification & Replication", 60],
];

function layerTexts(seed: number): LayerText[] {
  const random = rng(seed);
  return layerSizes.map(([title, tokens], id) => {
    const bullets = bulletList(random, Math.round(tokens * 4.6 * 1.4));
    sentence(random);
    return { id, content: `## Layer ${id}: ${title}\n${bullets}` };
  });
}

function bulletList(random: Random, chars: number): string {
  let out = "";
  while (out.length < chars) out += `${out ? "\n" : ""}- ${sentence(random)}`;
  return cut(out, chars);
}

export type Shape = {
  seed: number;
  senders: number;
  entries: number;
  facts: number;
  tools: number;
  entryChars: number;
};

function firstInputs({ seed, senders, entries, facts, tools, entryChars }: Shape): Inputs {
  const random = rng(seed * 7919 + 13);
  const sender = Array.from({ length: senders }, () => address(random));
  return {
    layers: layerTexts(seed),
    state: {
      cycles_balance: 4_213_557_201_882,
      cycles_runway_hours: 413.2,
      survival_tier: "Normal",
      base_wallet: address(random),
      eth_balance: "0.48213",
      turn_number: 1201,
      timestamp: "2026-02-20T10:00:00.000Z",
      state: "ExecutingActions",
    },
    inbox: sender.map((from) => newMessage(random, from)),
    conversations: sender.map((from) => ({
      sender: from,
      entries: Array.from({ length: entries }, () => newExchange(random, entryChars)),
    })),
    facts: Array.from({ length: facts }, (_, index) => ({
      key: `${random.pick(["market", "config", "social", "strategy"])}.${hex(random, 4)}.${index}`,
      value: sentence(random),
    })),
    tools: Array.from({ length: tools }, (_, index) => ({ name: toolName(index), left: 1 + random.int(5) })),
  };
}

function newMessage(random: Random, sender: string): Message {
  return { id: `inbox:${hex(random, 8)}`, sender, body: cut(`${sentence(random)} ${sentence(random)}`, 120) };
}

function newExchange(random: Random, chars: number): Exchange {
  const words = () => cut(`${sentence(random)} ${sentence(random)}`, chars);
  return { body: words(), reply: words() };
}

/** sovereign-turns as it is: five counterparts of five exchanges each, 14,600 characters a turn. */
export function sovereignTurns(turns: number): Inputs[] {
  return trace(turns, { seed: 2, senders: 5, entries: 5, facts: 20, tools: 15, entryChars: 95 });
}

/** Turn after turn: time, balance, turn number, one message and one exchange are new, everything else is the same object. */
export function trace(turns: number, shape: Shape): Inputs[] {
  let inputs = firstInputs(shape);
  const random = rng(shape.seed + 99);
  const began = Date.parse("2026-02-20T10:00:00Z");
  return Array.from({ length: turns }, (_, turn) => {
    const { state, inbox, conversations } = inputs;
    const speaking = turn % conversations.length;
    inputs = {
      ...inputs,
      state: {
        ...state,
        cycles_balance: (state.cycles_balance as number) - 1_000_000 - random.int(9e6),
        cycles_runway_hours: Math.round(((state.cycles_runway_hours as number) - 0.025) * 1000) / 1000,
        turn_number: (state.turn_number as number) + 1,
        timestamp: new Date(began + turn * 90_000).toISOString(),
      },
      inbox: [...inbox.slice(1), newMessage(random, (inbox[0] as Message).sender)],
      conversations: conversations.map((one, index) =>
        index === speaking
          ? { ...one, entries: [...one.entries.slice(1), newExchange(random, shape.entryChars)] }
          : one,
      ),
    };
    return inputs;
  });
}

/** The same turns, in which the agent learns: every so many, one of its own layers has a line more from there on. */
export function withAmendments(turns: readonly Inputs[], every: number): Inputs[] {
  const random = rng(2020);
  let lines: ReadonlyMap<number, string> = new Map();
  return turns.map((inputs, turn) => {
    if (turn > 0 && turn % every === 0) {
      const id = 6 + ((turn / every) % 4);
      const line = `${lines.get(id) ?? ""}\n- Learned in turn ${turn}: ${sentence(random)}`;
      lines = new Map([...lines, [id, line]]);
    }
    const layers = inputs.layers.map(({ id, content }) => ({ id, content: content + (lines.get(id) ?? "") }));
    return { ...inputs, layers };
  });
}

/** Who is active, turn by turn: the counterpart who has just spoken and any others, one to all of them. */
export function activeSenders(turns: readonly Inputs[]): ReadonlySet<string>[] {
  const random = rng(2021);
  return turns.map(({ conversations }, turn) => {
    const senders = conversations.map(({ sender }) => sender);
    const [speaking = ""] = senders.splice(turn % senders.length, 1);
    const active = new Set([speaking]);
    for (let others = random.int(senders.length + 1); others > 0; others--)
      active.add(senders.splice(random.int(senders.length), 1)[0] as string);
    return active;
  });
}

/** The whole prompt of a turn as prioritised fragments: what a library that fits by priority is given. */
export function fragmentsOf({ layers, state, inbox, conversations, facts, tools }: Inputs): Fragment[] {
  const out: Fragment[] = [];
  const add = (id: string, sep: string, priority: number, text: string) => out.push({ id, sep, text, priority });
  for (const { id, content } of layers)
    add(`layer${id}`, id === 0 ? "" : layerSeparator, id < 6 ? 10_000 - id : 5_000 - id, content);
  const lines = Object.entries(state).map(([key, value]) => `- ${key}: ${value}`);
  add("state", layerSeparator, 9_000, `## Current State\n${lines.join("\n")}`);
  add("inbox", "\n\n", 8_900, "## Pending Obligations");
  for (const [index, { id, sender, body }] of inbox.entries())
    add(`inbox.${id}`, "\n", 8_800 - index, `- [${id}] from ${sender}: ${body}`);
  add("talk", "\n\n", 7_001, "## Conversation History");
  for (const [place, { sender, entries }] of conversations.entries()) {
    add(`talk.${place}`, "\n", 7_000 - place, `### Conversation with ${sender}`);
    for (const [index, { body, reply }] of entries.entries()) {
      const priority = 4_000 - (entries.length - index) * 10 - place;
      add(`talk.${place}.${index}`, "\n", priority, `  [${sender}]: ${body}\n  [you]: ${reply}`);
    }
  }
  add("memory", "\n\n", 6_001, "## Recent Memory");
  for (const [index, { key, value }] of facts.entries())
    add(`memory.${index}`, "\n", 6_000 - index * 120, `- ${key}: ${value}`);
  const list = tools.map(({ name, left }) => `${name} (${left} left)`).join(", ");
  add("tools", "\n\n", 8_500, `## Available Tools\n${list}`);
  return out;
}

/** The fragments of a name put together: ten layers, then what stands in layer 10, which is made afresh each turn. */
export function sovereignSections(inputs: Inputs, active?: ReadonlySet<string>): Section[] {
  const shown = inputs.conversations.filter(({ sender }) => active?.has(sender) ?? true);
  const narrowed = active && talkOf(fragmentsOf({ ...inputs, conversations: shown }));
  const groups = Map.groupBy(fragmentsOf(inputs), ({ id }) => id.split(".")[0] as string);
  return [...groups].map(([name, fragments]): Section => {
    const words = joinFragments(fragments);
    const heading = words.slice(0, words.indexOf("\n"));
    const section = { name, separator: (fragments[0] as Fragment).sep, heading, text: words.slice(heading.length + 1) };
    if (name.startsWith("layer"))
      return { ...section, stability: "stable", ...(Number(name.slice(5)) < 6 ? {} : { standing: true }) };
    if (name === "talk" && narrowed !== undefined) return { ...section, stability: "state", active: narrowed };
    return { ...section, stability: "state" };
  });
}

function talkOf(fragments: readonly Fragment[]): string {
  const [, ...talk] = fragments.filter(({ id }) => id.split(".")[0] === "talk");
  return joinFragments(talk);
}

export function joinFragments(fragments: readonly Fragment[]): string {
  let text = "";
  for (const [index, fragment] of fragments.entries()) text += (index > 0 ? fragment.sep : "") + fragment.text;
  return text;
}
