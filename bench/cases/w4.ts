import { assemble } from "../../charter/src/prompt/assemble.ts";
import { type Charter, defineCharter } from "../../charter/src/prompt/charter.ts";
import { quoted } from "../../charter/src/prompt/fence.ts";
import { standingReading } from "../../charter/src/prompt/gather.ts";
import type { Part } from "../../charter/src/prompt/part.ts";
import { present, type Reading } from "../../charter/src/prompt/reading.ts";
import type { Section } from "../../charter/src/prompt/section.ts";
import type { Readings } from "../../charter/src/prompt/source.ts";
import { type Peers, priomptAbsent } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, inSteps, ratioOf, timeOf } from "../rounds.ts";
import { o200k } from "../tokenizers.ts";
import {
  type Exchange,
  type Fact,
  type Fragment,
  fragmentsOf,
  type Inputs,
  joinFragments,
  type LayerText,
  layerSeparator,
  type Message,
  type Tool,
} from "../workloads/w2.ts";
import { w4Budget, w4Turns } from "../workloads/w4.ts";

const steps = 20;

/** 200 turns of one agent: the text, its exact number of tokens, fitted into 4,000. */
export async function w4(peers: Peers, rounds: number): Promise<Report> {
  const turns = w4Turns();
  const wrong = check(turns);
  const fragments = turns.map(fragmentsOf);
  const kept = fragments.map((all) => greedy(all));
  const contenders: Contender[] = [
    { name: "floor", units: turns.length, prepare: () => inSteps(kept, steps, floorTurn) },
    { name: "limit", units: turns.length, prepare: () => overTurns(turns, createLimit()) },
    { name: "charter", units: turns.length, prepare: () => overTurns(turns, createCharter(turns[0] as Inputs)) },
    { name: "naive", units: turns.length, prepare: () => inSteps(fragments, steps, naiveTurn) },
  ];
  const { promptTsx } = peers;
  const few = fragments
    .slice(0, 8)
    .map((all) => all.map(({ sep, text, priority }) => ({ text: sep + text, priority })));
  if (promptTsx)
    contenders.push({
      name: "prompt-tsx",
      units: few.length,
      prepare: () =>
        few.map((chunks) => async () => {
          const text = flat(await promptTsx(chunks, w4Budget, o200k));
          if (o200k.count(text) > w4Budget) throw new Error("prompt-tsx left more than fits");
        }),
    });
  const times = await inRounds(contenders, rounds);
  const row = (what: string, name: string, base: string, target?: number, note?: string): Row => ({
    case: "w4",
    what,
    time: timeOf(times, name),
    ratio: { ...ratioOf(times, name, base), of: base },
    ...(target === undefined ? {} : { target }),
    ...(note === undefined ? {} : { note }),
  });
  return {
    title: "W4  one turn of 200: text, exact count, fit into 4,000 tokens",
    about: "floor = concatenate the fitted text and tokenise it once; limit = count only what changed, greedy, join",
    rows: [
      { case: "w4", what: "floor", time: timeOf(times, "floor") },
      row("limit", "limit", "floor"),
      row(
        "Charter",
        "charter",
        "floor",
        0.25,
        ratioOf(times, "charter", "floor").median <= 0.15 ? "stretch (0.15) too" : undefined,
      ),
      row("Charter", "charter", "limit", 2.5),
      row("naive count and fit", "naive", "floor"),
      promptTsx
        ? row("@vscode/prompt-tsx", "prompt-tsx", "floor")
        : { case: "w4", what: "@vscode/prompt-tsx", note: `absent: ${peers.absent}` },
      { case: "w4", what: "Priompt", note: priomptAbsent },
    ],
    wrong,
  };
}

type Turn = (inputs: Inputs) => { readonly text: string; readonly tokens: number };

function overTurns(turns: readonly Inputs[], turn: Turn): (() => unknown)[] {
  return inSteps(turns, steps, (inputs) => flat(turn(inputs).text));
}

/** Every turn, by both: the count is that of the whole text, and it fits. */
function check(turns: readonly Inputs[]): string[] {
  const wrong: string[] = [];
  for (const [name, run] of [
    ["Charter", createCharter(turns[0] as Inputs)],
    ["limit", createLimit()],
  ] as const)
    for (const [index, inputs] of turns.entries()) {
      const { text, tokens } = run(inputs);
      const whole = o200k.count(text);
      if (whole !== tokens || whole > w4Budget)
        wrong.push(`W4, ${name}, turn ${index}: counted ${tokens}, has ${whole}, may have ${w4Budget}.`);
    }
  return wrong;
}

function floorTurn(kept: readonly Fragment[]): void {
  o200k.count(flat(joinFragments(kept)));
}

function naiveTurn(fragments: readonly Fragment[]): void {
  let kept = greedy(fragments);
  while (o200k.count(flat(joinFragments(kept))) > w4Budget) {
    const least = Math.min(...kept.map(({ priority }) => priority));
    kept = kept.filter(({ priority }) => priority > least);
  }
}

/** What counting every fragment and taking the most important first leaves, in prompt order. */
function greedy(fragments: readonly Fragment[]): Fragment[] {
  let left = w4Budget;
  const taken = new Set<Fragment>();
  for (const fragment of fragments.toSorted((a, b) => b.priority - a.priority)) {
    left -= o200k.count(fragment.sep + fragment.text);
    if (left < 0) break;
    taken.add(fragment);
  }
  return fragments.filter((fragment) => taken.has(fragment));
}

// ── Charter ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The charter, declared from the layers of the first turn, and the source of each turn's state. */
function createCharter(first: Inputs): Turn {
  const charter = declare(first.layers);
  const read = createSource(charter);
  const room = { tokens: w4Budget, tokenizer: o200k };
  return (inputs) => {
    const prompt = assemble(charter, read(inputs), room);
    return { text: prompt.text, tokens: prompt.tokens(o200k).total };
  };
}

function declare(layers: readonly LayerText[]): Charter {
  const now: Section = {
    name: "now",
    sources: [],
    stability: "state",
    reserve: { chars: 9_000, tokens: 2_400 },
  };
  return defineCharter({
    name: "w4",
    separator: layerSeparator,
    layers: [
      ...layers.map(({ id, content }) => {
        const [heading = "", words = ""] = [
          content.slice(0, content.indexOf("\n")),
          content.slice(content.indexOf("\n") + 1),
        ];
        return id < 6
          ? { name: `${id}`, mutability: "fixed" as const, sections: [{ name: `layer-${id}`, heading, words }] }
          : {
              name: `${id}`,
              mutability: { amendableBy: ["agent" as const] },
              sections: [{ name: `layer-${id}`, heading, original: words }],
            };
      }),
      { name: "10", mutability: "live", sections: [now] },
    ],
    givesWay: [
      { section: "now", parts: "fact", from: "end", keep: 5, told: "- (facts left out for room: {missing})" },
      { section: "now", parts: "exchange", from: "start", told: "  (older exchanges left out for room: {missing})" },
      { section: "now", parts: "message", from: "end", told: "- (messages left out for room: {missing})" },
    ],
  });
}

/** Reads a turn. What did not change since the last one comes back as the same part. */
function createSource(charter: Charter): (inputs: Inputs) => Readings {
  const standing: Record<string, Reading> = {};
  for (const { sections } of charter.layers)
    for (const section of sections)
      if (section.original !== undefined)
        standing[section.name] = standingReading(section, { text: section.original, revision: 1 });
  const parts = new WeakMap<object, Part>();
  const lines = new Map<string, Part>();
  const ofObject = <T extends object>(thing: T, make: (thing: T) => Part): Part => {
    let part = parts.get(thing);
    if (!part) {
      part = make(thing);
      parts.set(thing, part);
    }
    return part;
  };
  const ofState = (key: string, value: string | number): Part => {
    const text = `- ${key}: ${value}`;
    let part = lines.get(key);
    if (part?.text !== text) {
      part = { text, kind: "state" };
      lines.set(key, part);
    }
    return part;
  };
  const heading = (text: string): Part => ({ text });
  const [stateHeading, inboxHeading] = [heading("## Current State"), heading("## Pending Obligations")];
  const [talkHeading, memoryHeading] = [heading("## Conversation History"), heading("## Recent Memory")];
  const talks = new Map<string, Part>();
  return ({ state, inbox, conversations, facts, tools }) => {
    const now: Part[] = [stateHeading];
    for (const key in state) now.push(ofState(key, state[key] as string | number));
    now.push(inboxHeading);
    for (const message of inbox) now.push(ofObject(message, messagePart));
    now.push(talkHeading);
    for (const { sender, entries } of conversations) {
      let talk = talks.get(sender);
      if (!talk) {
        talk = { text: `### Conversation with ${sender}`, id: sender, kind: "talk" };
        talks.set(sender, talk);
      }
      now.push(talk);
      for (const entry of entries) now.push(ofObject(entry, (exchange) => exchangePart(exchange, sender)));
    }
    now.push(memoryHeading);
    for (const fact of facts) now.push(ofObject(fact, factPart));
    now.push(ofObject(tools, toolsPart));
    return { ...standing, now: present(now) };
  };
}

function messagePart({ id, sender, body }: Message): Part {
  return {
    text: `- [${id}] from ${sender}: ${quoted(body)}`,
    id,
    kind: "message",
    source: "inbox",
    trust: "foreign",
    fenced: true,
  };
}

function exchangePart({ body, reply }: Exchange, sender: string): Part {
  const text = `  [${sender}]: ${quoted(body)}\n  [you]: ${reply}`;
  return { text, kind: "exchange", under: sender, source: "talk", trust: "foreign", fenced: true };
}

function factPart({ key, value }: Fact): Part {
  return { text: `- ${key}: ${value}`, id: key, kind: "fact", source: "memory" };
}

function toolsPart(tools: readonly Tool[]): Part {
  return {
    text: `## Available Tools\n${tools.map(({ name, left }) => `${name} (${left} left)`).join(", ")}`,
    kind: "tools",
  };
}

// ── The limit ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Counted = { readonly text: string; readonly tokens: number };

/** The same job written by hand for this one prompt: nothing is counted twice, nothing is said about what is missing. */
function createLimit(): Turn {
  const known = new WeakMap<object, Counted>();
  const lines = new Map<string, Counted>();
  const counted = (text: string): Counted => ({ text, tokens: o200k.count(text) });
  const ofObject = <T extends object>(thing: T, text: (thing: T) => string): Counted => {
    let found = known.get(thing);
    if (!found) {
      found = counted(text(thing));
      known.set(thing, found);
    }
    return found;
  };
  const ofLine = (key: string, text: string): Counted => {
    let found = lines.get(key);
    if (found?.text !== text) {
      found = counted(text);
      lines.set(key, found);
    }
    return found;
  };
  return ({ layers, state, inbox, conversations, facts, tools }) => {
    const all: (Counted | undefined)[] = [];
    const factPlaces: number[] = [];
    const exchangePlaces: number[][] = [];
    all.push(ofObject(layers, (list) => list.map(({ content }) => content + layerSeparator).join("")));
    all.push(ofLine("state", "## Current State\n"));
    for (const key in state) all.push(ofLine(key, `- ${key}: ${state[key]}\n`));
    all.push(ofLine("inbox", "## Pending Obligations\n"));
    for (const message of inbox)
      all.push(ofObject(message, ({ id, sender, body }) => `- [${id}] from ${sender}: ${quoted(body)}\n`));
    all.push(ofLine("talks", "## Conversation History\n"));
    for (const { sender, entries } of conversations) {
      all.push(ofLine(sender, `### Conversation with ${sender}\n`));
      const places: number[] = [];
      for (const entry of entries) {
        places.push(all.length);
        all.push(ofObject(entry, ({ body, reply }) => `  [${sender}]: ${quoted(body)}\n  [you]: ${reply}\n`));
      }
      exchangePlaces.push(places);
    }
    all.push(ofLine("memory", "## Recent Memory\n"));
    for (const fact of facts) {
      factPlaces.push(all.length);
      all.push(ofObject(fact, ({ key, value }) => `- ${key}: ${value}\n`));
    }
    all.push(ofObject(tools, (list) => toolsPart(list).text));
    let size = 0;
    for (const one of all) size += (one as Counted).tokens;
    const drop = (place: number) => {
      size -= (all[place] as Counted).tokens;
      all[place] = undefined;
    };
    for (let left = factPlaces.length; left > 5 && size > w4Budget; left--) drop(factPlaces[left - 1] as number);
    for (let rank = 0; size > w4Budget; rank++)
      for (const places of exchangePlaces) if (size > w4Budget) drop(places[rank] as number);
    let text = "";
    for (const one of all) if (one) text += one.text;
    return { text, tokens: size };
  };
}
