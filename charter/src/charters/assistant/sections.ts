import { listed, Problem } from "../../prompt/problem.ts";
import { empty, fromText, present, type Reading, type Source, unavailable } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";

/** Makes the identity line of `{ name, vibe, description }`; empty when all of it is blank. */
export function identityReading(standing: string): Reading {
  const fault = identityFault(standing);
  if (fault !== undefined) return unavailable(`it ${fault}`);
  const { name, description, vibe } = parseIdentity(standing);
  if (!name && !description && !vibe) return empty;
  const line = `You are ${name || "an AI assistant"} — ${description || "a personal assistant"}.`;
  return fromText(vibe ? `${line}\n${vibe}` : line);
}

/** The identity of an assistant: `You are <name> — <description>.`, and a line about its manner. */
export type Identity = { readonly name?: string; readonly vibe?: string; readonly description?: string };
export const identityKeys = ["name", "vibe", "description"];

function parseIdentity(standing: string): Identity {
  if (standing.trim() === "" || standing.trim() === "null") return {};
  const value = JSON.parse(standing) as Record<string, unknown>;
  return Object.fromEntries(identityKeys.map((key) => [key, typeof value[key] === "string" ? value[key].trim() : ""]));
}

/** Says what is wrong with a standing identity: it is amended by a rewrite with `{ name, vibe, description }` as JSON. */
export function identityFault(standing: string): string | undefined {
  if (standing.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(standing);
  } catch {
    return "must be JSON: { name, vibe, description }.";
  }
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return "must be a JSON object: { name, vibe, description }.";
  const unknown = Object.keys(value).filter((key) => !identityKeys.includes(key));
  if (unknown.length > 0) return `has no ${listed(unknown)}: only name, vibe and description.`;
  const wrong = Object.entries(value).filter(([, words]) => words !== null && typeof words !== "string");
  return wrong.length > 0 ? `must have text in ${listed(wrong.map(([key]) => key))}.` : undefined;
}

/** The kind of a soul's parts that can be left out: its paragraphs after the first. */
export const soulPart = "paragraph";

/**
 * Splits a soul into paragraphs, so that the last of them can be left out where room is short, and all but the first in the
 * compact edition. A text that means something across blank lines (code, markup, lists) stays in one piece. Joined again, the
 * paragraphs are the text, letter by letter.
 */
export function soulReading(standing: string): Reading {
  const paragraphs = standing.split("\n\n");
  if (paragraphs.length < 2 || !paragraphs.every(isPlain)) return fromText(standing);
  return present(
    paragraphs.map((text, index) =>
      index === 0 ? { text } : { text, kind: soulPart, apart: true, edition: "full" as const },
    ),
  );
}

/**
 * Tells whether a paragraph means the same wherever it stands: no line is indented, none opens a block that goes on after a blank
 * line.
 */
function isPlain(paragraph: string): boolean {
  return (
    /^\S/.test(paragraph) &&
    !/\s$/.test(paragraph) &&
    !/^\s|^(?:`{3}|~{3}|<|\d+[.)]\s)|\r|[\u2028\u2029]/m.test(paragraph)
  );
}

/** The guidance for each channel, by channel name. A turn on a channel without guidance is a Problem. */
export type Channels = Readonly<Record<string, string>>;

export const usualChannels: Channels = {
  web: "User is on the web app. Markdown formatting is supported.",
  telegram: "User is on Telegram. Keep responses concise. No complex markdown.",
  scheduled:
    "This is an automated scheduled run. No one is waiting for a response.\nBe thorough but don't ask follow-up questions — just do the work and report results.",
  terminal: "User is in a terminal. Plain text, short lines.",
  editor: "User is in a code editor. Markdown formatting is supported.",
};

/**
 * Makes the section on the channel of a turn, and how to write there. Where one session has all channels it changes from turn to
 * turn, and is no part of the prefix.
 */
export function channelSection(channels: Channels, across = false): Section {
  const about = { name: "channel", heading: "## Channel", trust: "own" as const, sources: [channelSource(channels)] };
  if (!across) return about;
  const sizes = Object.entries(channels).map(([name, guidance]) => channelText(name, guidance).length);
  const chars = Math.max(...sizes) + "## Channel\n\n\n".length;
  return { ...about, stability: "state", reserve: { chars, tokens: Math.ceil(chars / 2) } };
}

function channelText(channel: string, guidance: string): string {
  return `You are responding via ${channel}.\n${guidance}`;
}

function channelSource(channels: Channels): Source {
  return ({ channel }) => {
    if (channel === undefined || channel === "") return empty;
    const guidance = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
    if (guidance !== undefined) return fromText(channelText(channel, guidance), { source: "channel" });
    throw new Problem(
      "unknown-channel",
      `There is no channel “${channel}”.`,
      `The channels are ${listed(Object.keys(channels))}; register others with the charter.`,
    );
  };
}
