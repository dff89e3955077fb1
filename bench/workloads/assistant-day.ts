import { prose, rng, toolName } from "./rng.ts";
import type { Section } from "./section.ts";

/** assistant-day “assistant”: identity, a soul of 1.2 KB, channel, time, memory, instructions of 2 KB, 20 tools. 4.4 KB. */
export type Inputs = {
  readonly identity: { readonly name: string; readonly description: string; readonly vibe: string };
  readonly soul: string;
  readonly channel: Channel;
  readonly now: string;
  readonly timezone: string;
  readonly instructions: string;
  readonly toolNames: readonly string[];
};
export type Channel = keyof typeof channels;

const channels = {
  web: "- web: User is on the web app. Markdown formatting is supported.",
  telegram: "- telegram: User is on Telegram. Keep responses concise. No complex markdown.",
  scheduled:
    "- scheduled: This is an automated scheduled run. No one is waiting for a response.\n  Be thorough but don't ask follow-up questions: just do the work and report results.",
};

const memoryWords = `You have long-term memory via the read_memory and save_memory tools.
IMPORTANT: Before answering any question about the user's preferences, past conversations,
ongoing projects, or anything you were previously told to remember, call read_memory FIRST.
Do not guess from the conversation. Check your memory.
When the user tells you something to remember, call save_memory immediately.`;

const instructionsClosing = `The user can change these by telling you things like "always do X" or "never do Y".
When they do, use the update_instructions tool to persist the change.`;

export function assistantDayInputs(seed = 1): Inputs {
  const random = rng(seed);
  return {
    identity: { name: "Ada", description: "a personal operations assistant", vibe: "Calm, direct, a little dry." },
    soul: prose(random, 1200),
    channel: "web",
    now: "2026-02-18T09:00:00.000Z",
    timezone: "Europe/Berlin",
    instructions: prose(random, 2000, 3),
    toolNames: Array.from({ length: 20 }, (_, index) => toolName(index)),
  };
}

export type Changes = { readonly channelEvery: number; readonly instructionsEvery: number };

/** Turn after turn: the time is new; the channel and the user's instructions seldom. */
export function assistantDayTurns(turns: number, { channelEvery, instructionsEvery }: Changes): Inputs[] {
  const visited: readonly Channel[] = ["web", "telegram", "web", "scheduled"];
  const began = Date.parse("2026-02-18T09:00:00Z");
  const first = assistantDayInputs();
  return Array.from({ length: turns }, (_, turn) => ({
    ...first,
    instructions: assistantDayInputs(1 + Math.floor(turn / instructionsEvery)).instructions,
    channel: visited[Math.floor(turn / channelEvery) % visited.length] as Channel,
    now: new Date(began + turn * 90_000).toISOString(),
  }));
}

export function assistantDaySections({
  identity,
  soul,
  channel,
  now,
  timezone,
  instructions,
  toolNames,
}: Inputs): Section[] {
  const section = (name: string, heading: string, text: string): Section => ({
    name,
    separator: "\n\n",
    heading: `## ${heading}`,
    text,
    stability: "stable",
  });
  return [
    section("identity", "Identity", `You are ${identity.name} - ${identity.description}.\n${identity.vibe}`),
    section("soul", "Soul", soul),
    section("channel", "Channel", `You are responding via ${channel}.\n${channels[channel]}`),
    { ...section("time", "Current Time", `${now} (${timezone})`), stability: "state" },
    section("memory", "Memory", memoryWords),
    {
      ...section("instructions", "User Instructions", `${instructions}\n${instructionsClosing}`),
      standing: true,
    },
    section(
      "tools",
      "Tools",
      `Available tools: ${toolNames.join(", ")}\nUse tools when they help. Don't narrate routine tool calls.`,
    ),
  ];
}
