import { type Charter, defineCharter } from "../../charter/src/prompt/charter.ts";
import { quoted } from "../../charter/src/prompt/fence.ts";
import { standingReading } from "../../charter/src/prompt/gather.ts";
import { type Part, present, type Reading, type Readings } from "../../charter/src/prompt/reading.ts";
import type { Section } from "../../charter/src/prompt/section.ts";
import {
  type Exchange,
  type Fact,
  type Inputs,
  type LayerText,
  layerSeparator,
  type Message,
  type Tool,
} from "./sovereign-turns.ts";

/** Ten layers and the state of the turn, as a charter. */
export function declare(layers: readonly LayerText[]): Charter {
  const now: Section = {
    name: "now",
    trust: "own",
    sources: [],
    stability: "state",
    reserve: { chars: 9_000, tokens: 2_400 },
  };
  return defineCharter({
    name: "fit-4000",
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
              mutability: { amendableBy: ["agent" as const], scope: "agent" as const },
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
export function createSource(charter: Charter): (inputs: Inputs) => Readings {
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
  return { text, kind: "exchange", parent: sender, source: "talk", trust: "foreign", fenced: true };
}

function factPart({ key, value }: Fact): Part {
  return { text: `- ${key}: ${value}`, id: key, kind: "fact", source: "memory" };
}

export function toolsPart(tools: readonly Tool[]): Part {
  return {
    text: `## Available Tools\n${tools.map(({ name, left }) => `${name} (${left} left)`).join(", ")}`,
    kind: "tools",
  };
}
