import { listed, Problem } from "../../prompt/problem.ts";
import { empty, fromText } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { Source } from "../../prompt/source.ts";

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
 * Which channel a turn comes by, and how to write there. Where one session has them all it changes from turn to turn, and
 * is no part of the prefix.
 */
export function channelSection(channels: Channels, across = false): Section {
  const about = { name: "channel", heading: "## Channel", sources: [channelSource(channels)] };
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
