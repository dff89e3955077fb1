import { assemble } from "../../charter/src/prompt/assemble.ts";
import { quoted } from "../../charter/src/prompt/fence.ts";
import { type Peers, priomptAbsent } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, inSteps, ratioOf, timeOf } from "../rounds.ts";
import { o200k } from "../tokenizers.ts";
import { fit4000Budget, fit4000Turns } from "../workloads/fit-4000.ts";
import { createSource, declare, toolsPart } from "../workloads/sovereign-charter.ts";
import {
  type Fragment,
  fragmentsOf,
  type Inputs,
  joinFragments,
  layerSeparator,
} from "../workloads/sovereign-turns.ts";

const steps = 20;

/** 200 turns of one agent: the text, its exact number of tokens, fitted into 4,000. */
export async function fit4000(peers: Peers, rounds: number): Promise<Report> {
  const turns = fit4000Turns();
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
          const text = flat(await promptTsx(chunks, fit4000Budget, o200k));
          if (o200k.count(text) > fit4000Budget) throw new Error("prompt-tsx left more than fits");
        }),
    });
  const times = await inRounds(contenders, rounds);
  const row = (what: string, name: string, base: string, target?: number, note?: string): Row => ({
    case: "fit-4000",
    what,
    time: timeOf(times, name),
    ratio: { ...ratioOf(times, name, base), of: base },
    ...(target === undefined ? {} : { target }),
    ...(note === undefined ? {} : { note }),
  });
  return {
    title: "fit-4000  one turn of 200: text, exact count, fit into 4,000 tokens",
    about: "floor = concatenate the fitted text and tokenise it once; limit = count only what changed, greedy, join",
    rows: [
      { case: "fit-4000", what: "floor", time: timeOf(times, "floor") },
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
        : { case: "fit-4000", what: "@vscode/prompt-tsx", note: `absent: ${peers.absent}` },
      { case: "fit-4000", what: "Priompt", note: priomptAbsent },
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
      if (whole !== tokens || whole > fit4000Budget)
        wrong.push(`fit-4000, ${name}, turn ${index}: counted ${tokens}, has ${whole}, may have ${fit4000Budget}.`);
    }
  return wrong;
}

function floorTurn(kept: readonly Fragment[]): void {
  o200k.count(flat(joinFragments(kept)));
}

function naiveTurn(fragments: readonly Fragment[]): void {
  let kept = greedy(fragments);
  while (o200k.count(flat(joinFragments(kept))) > fit4000Budget) {
    const least = Math.min(...kept.map(({ priority }) => priority));
    kept = kept.filter(({ priority }) => priority > least);
  }
}

/** What counting every fragment and taking the most important first leaves, in prompt order. */
function greedy(fragments: readonly Fragment[]): Fragment[] {
  let left = fit4000Budget;
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
  const room = { tokens: fit4000Budget, tokenizer: o200k };
  return (inputs) => {
    const prompt = assemble(charter, read(inputs), room);
    return { text: prompt.text, tokens: prompt.tokens(o200k).total };
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
    for (let left = factPlaces.length; left > 5 && size > fit4000Budget; left--) drop(factPlaces[left - 1] as number);
    for (let rank = 0; size > fit4000Budget; rank++)
      for (const places of exchangePlaces) if (size > fit4000Budget) drop(places[rank] as number);
    let text = "";
    for (const one of all) if (one) text += one.text;
    return { text, tokens: size };
  };
}
