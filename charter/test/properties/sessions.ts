import fc from "fast-check";
import type { Baseline } from "../../src/delivery/baseline.ts";
import { type PastTurn, stepMessages } from "../../src/delivery/history.ts";
import type { Message, ToolOffer } from "../../src/delivery/model.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import type { Charter, Layer, Reading, Readings, Section, Tokenizer } from "../../src/index.ts";
import { amendableFromInside } from "../../src/prompt/section.ts";
import type { StepResult } from "../../src/prompt/step-result.ts";
import { anthropicLike, createTalk, type Said } from "../delivery/talk.ts";
import { type Given, given, hostile, type Options, sectionsOf } from "./generate.ts";

// Sessions: a charter, a receiver, and what happens between one request and the next.

export type Kind =
  | "state"
  | "words"
  | "vanish"
  | "away"
  | "operator"
  | "tools"
  | "cold"
  | "compacted"
  | "upgrade"
  | "nothing";

export type Move = {
  readonly kind: Kind;
  readonly at: number;
  readonly words: string;
  readonly input: string;
  /** Does the model call tools, so that the next request is a step of the same turn? */
  readonly calls: number;
};

export type Asked = {
  readonly move: Move;
  /** Does it open a turn, and is no step of the one before? */
  readonly opens: boolean;
  readonly charter: Charter;
  readonly readings: Readings;
  readonly said: Said;
  /** In which second of the session. */
  readonly at: number;
  /** The messages after its answer, and what a store would have of them. */
  readonly past: readonly Message[];
  readonly turns: readonly PastTurn[];
  readonly baseline: Baseline | null;
};

export type SessionOptions = Options & {
  readonly kinds?: readonly Kind[];
  readonly inputs?: fc.Arbitrary<string>;
  readonly receivers?: fc.Arbitrary<Receiver>;
};

const kinds: readonly Kind[] = [
  "state",
  "state",
  "state",
  "words",
  "words",
  "vanish",
  "away",
  "operator",
  "tools",
  "cold",
  "compacted",
  "upgrade",
  "nothing",
];

export const layered: fc.Arbitrary<Receiver> = fc
  .record({
    voice: fc.constantFrom("user" as const, "system" as const),
    binds: fc.boolean(),
    kind: fc.constantFrom("none" as const, "prefix" as const, "breakpoint" as const, "breakpoint" as const),
    maxBreakpoints: fc.integer({ min: 1, max: 4 }),
    implicit: fc.boolean(),
    lookback: fc.constantFrom(null, 0, 3, 20),
    min: fc.constantFrom(0, 60, 300),
    granularity: fc.constantFrom(1, 16),
  })
  .map(({ voice, binds, kind, maxBreakpoints, implicit, lookback, min, granularity }): Receiver => {
    const ttlSeconds = 300;
    const cache =
      kind === "none"
        ? { kind }
        : kind === "prefix"
          ? { kind, min, granularity, ttlSeconds }
          : { kind, min, maxBreakpoints, implicit, lookback, ttlSeconds };
    return { ...anthropicLike, voice, cache, ...(binds ? { binds } : {}) };
  });

export const anyReceiver: fc.Arbitrary<Receiver> = fc.oneof(
  { weight: 4, arbitrary: layered },
  { weight: 1, arbitrary: layered.map((receiver): Receiver => ({ ...receiver, slots: "one-string" })) },
);

export type Session = { readonly start: Given; readonly receiver: Receiver; readonly moves: readonly Move[] };

export function sessions(options: SessionOptions): fc.Arbitrary<Session> {
  const move = fc.record({
    kind: fc.constantFrom(...(options.kinds ?? kinds)),
    at: fc.nat(30),
    words: options.words,
    input: options.inputs ?? hostile,
    calls: fc.constantFrom(0, 0, 1, 2),
  });
  return fc.record({
    start: given(options),
    receiver: options.receivers ?? layered,
    moves: fc.array(move, { minLength: 2, maxLength: 9 }),
  });
}

const offers: readonly ToolOffer[][] = [[], [{ name: "look", description: "Looks.", input: {} }]];

/** The requests of a session, each with what led to it. */
export function lived({ start, receiver, moves }: Session, tokenizer?: Tokenizer): Asked[] {
  const original: Charter = { ...start.charter, givesWay: [], layers: start.charter.layers.map(withUsers) };
  const talk = createTalk(original, receiver, tokenizer ? { tokenizer } : {});
  const now: Record<string, Reading> = { ...start.readings };
  let charter = original;
  let [time, tools] = [0, 0];
  let answered = true;
  /** What an operator took out, until it is gone. */
  const removed = new Set<string>();
  let turns: readonly PastTurn[] = [];
  return moves.map((move, index) => {
    const target = sectionsOf(original)[move.at % sectionsOf(original).length]?.section as Section;
    if (move.kind === "state")
      for (const { section, mutability } of sectionsOf(charter))
        if (section.stability === "state" && mutability !== "fixed")
          now[section.name] = told(charter, section, move, index);
    if (move.kind === "words" || move.kind === "operator" || move.kind === "cold")
      now[target.name] = told(original, target, move, index);
    if (move.kind === "vanish") now[target.name] = { status: "empty" };
    if (move.kind === "away") now[target.name] = { status: "unavailable", reason: "it is away" };
    if (move.kind === "operator") removed.add(target.name);
    if (move.kind === "tools") tools = 1 - tools;
    if (move.kind === "upgrade") charter = charter === original ? upgraded(original, target) : original;
    time += move.kind === "cold" ? 301 : 10;
    const shown = new Set(sectionsOf(charter).map(({ section }) => section.name));
    const readings = Object.fromEntries(Object.entries(now).filter(([name]) => shown.has(name)));
    const said = talk.ask(readings, {
      charter,
      offers: offers[tools] as ToolOffer[],
      cold: move.kind === "cold",
      removed: [...removed],
      ...(move.kind === "compacted" ? { anew: "the history was compacted" } : {}),
      ...(answered ? { input: move.input } : {}),
    });
    if (said.delivery.prefixChange.how === "folded") removed.clear();
    const result = { ...(answered ? { input: move.input } : {}), ...answerTo(move, index, receiver) };
    const opens = answered;
    const last = answered ? newTurn(`t${turns.length + 1}`, move.input) : (turns.at(-1) as PastTurn);
    answered = move.calls === 0;
    const steps = [...last.steps, { step: last.steps.length + 1, result }];
    const others = turns.filter(({ id }) => id !== last.id);
    // One that still runs is told as one that was answered.
    turns = [...others, { ...last, steps, state: "answered" }];
    talk.answer(...stepMessages(result));
    const { past, baseline } = talk;
    return { move, opens, charter, readings, said, at: time, past, turns, baseline };
  });
}

/** Every other section that agents or users can amend is each user's own. */
function withUsers(layer: Layer): Layer {
  const { mutability } = layer;
  if (typeof mutability !== "object" || !amendableFromInside(mutability)) return layer;
  const sections = layer.sections.map(
    (section): Section =>
      Number(section.name.slice(1)) % 2 === 0 ? section : { ...section, mutability: { ...mutability, scope: "user" } },
  );
  return { ...layer, sections };
}

function newTurn(id: string, input: string): PastTurn {
  return { id, input, state: "running", tainted: false, steps: [] };
}

/** Own and fixed words are tame: they stand as they are, whatever they are. `W3W` says in which request they were new. */
function told(charter: Charter, section: Section, { words }: Move, index: number): Reading {
  const mutability = sectionsOf(charter).find((one) => one.section === section)?.mutability;
  const tame = mutability === "fixed" || section.trust === "own";
  const text = `${tame ? `Be kind, for the ${index}th time.` : words} W${section.name}x${index}W`;
  return { status: "present", parts: [{ text, id: `${section.name}p0` }] };
}

function answerTo({ calls, words }: Move, index: number, { name }: Receiver): StepResult {
  const ids = Array.from({ length: calls }, (_, at) => `c${index}.${at}`);
  const answer = {
    text: calls === 0 ? "So be it." : "",
    calls: ids.map((id) => ({ id, name: "look", input: "{}" })),
    native: { model: name, content: [{ type: "reasoning", text: `Thought ${index}.` }] },
  };
  const output = words.replaceAll(/W\w+W/g, "");
  return { answer, results: ids.map((call) => ({ call, name: "look", output })) };
}

/** A new release of the charter: a section left out, its layer turned round, or its words of another stability. */
function upgraded(charter: Charter, { name }: Section): Charter {
  const how = Number(name.slice(1)) % 3;
  const layers = charter.layers.map((layer) => {
    const has = layer.sections.some((section) => section.name === name);
    if (!has || layer.mutability === "fixed") return layer;
    if (how === 0 && layer.sections.length > 1)
      return { ...layer, sections: layer.sections.filter((section) => section.name !== name) };
    if (how === 1) return { ...layer, sections: layer.sections.toReversed() };
    const moved = (section: Section): Section => {
      if (section.name !== name) return section;
      const { reserve: _, ...rest } = section;
      return section.stability === "state" ? { ...rest, stability: "stable" } : { ...rest, stability: "state" };
    };
    return { ...layer, sections: layer.sections.map(moved) };
  });
  return { ...charter, layers };
}
