/** What each door is for: a sentence or two, and the pages that explain it. */
const introductions: Readonly<Record<string, string>> = {
  charter: `The core: declare a charter, read its sources, assemble the prompt, judge changes to it. It is pure, uses no Node
modules and runs in a browser. See [declaring a charter](../charters.md), [guards](../guards.md) and the
[override screen](../override-screen.md).`,
  "charter/agent": `Agents that take turns: the loop, tools, hooks, limits, extensions. An own loop finds here the rules and tool
lists it needs. See [agents](../agent.md), [hooks](../hooks.md) and [own charters](../own-charters.md).`,
  "charter/ai": `An agent whose turns \`streamText\`, \`generateText\` or \`ToolLoopAgent\` of the AI SDK 7 run. It imports without the
SDK. See [adopting](../adopting.md).`,
  "charter/channels": `Where turns come from besides the web: schedules, Telegram, an agent's inbox, and what a channel of your own needs.
See [schedules](../schedules.md), [Telegram](../telegram.md) and [an agent that lives](../automaton.md).`,
  "charter/charters": "The ready-made charters, and what they are made from. See [charters](../seeds.md).",
  "charter/delivery": `From a prompt to a request: models, placement for prompt caching, predicted and quoted costs. See
[delivery](../delivery.md) and [models](../models.md).`,
  "charter/host": "A store's agents at work for many users, and a coding agent's directory. See [files](../files.md).",
  "charter/otel": `Turns as spans of OpenTelemetry, by the conventions for generative AI. It needs your \`@opentelemetry/api\` and loads
nothing. See [agents](../agent.md#opentelemetry).`,
  "charter/server": `The service: its configuration, and how a program starts it. It needs the package \`charter-service\`. See
[running an assistant](../assistant.md), the [HTTP API](../http.md) and [security](../security.md).`,
  "charter/session": `A turn for a loop of your own: requests, calls and results on record, judged and fenced as an agent's. See
[adopting](../adopting.md).`,
  "charter/sources": `What a directory adds to a prompt: context files, skills, extensions, and whether a project is trusted. See
[files](../files.md).`,
  "charter/store": `Everything that lasts, in SQLite or PostgreSQL: amendments, turns, receipts, notes, schedules, users. See the
[store](../store.md).`,
  "charter/testing": `For tests of what you build: a scripted model that records requests, a store in memory, a clock, and assertions about
prompts. See [testing](../testing.md).`,
  "charter/tokenizer": "Counting tokens, in Node and in browsers. See [models](../models.md).",
};

export function introductionOf(door: string): string {
  const found = introductions[door];
  if (!found) throw new Error(`“${door}” has no introduction: write one in scripts/reference/introduction.ts.`);
  return found;
}

const chapters: Readonly<Record<string, readonly string[]>> = {
  "For a loop of your own": ["charter/delivery", "charter/tokenizer"],
  "For channels of your own": ["charter/channels", "charter/host", "charter/server"],
};
const rest = "All else";

/** The chapters of the reference, in their order. */
export const chapterTitles: readonly string[] = [...Object.keys(chapters), rest];

export function chapterOf(door: string): string {
  return Object.keys(chapters).find((title) => chapters[title]?.includes(door)) ?? rest;
}
