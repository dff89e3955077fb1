import type { ModelRequest, ToolResult } from "./model.ts";
import { withChange } from "./stand-in-change.ts";

/** What the stand-in makes of a request: what it is asked, what it was told, what it did about it so far. */
export type StandInView = {
  /** The last thing the user wrote. */
  readonly asked: string;
  /** What was said before that, oldest first. */
  readonly before: readonly { readonly user: string; readonly reply: string }[];
  readonly offers: ReadonlySet<string>;
  /** The results of each step since. */
  readonly steps: readonly (readonly ToolResult[])[];
  /** The words of the system, oldest first: the prefix, updates, state. */
  readonly told: readonly string[];
};

export function viewOf({ system, messages, tools }: ModelRequest): StandInView {
  const prefix = system.map(({ text }) => text).join("");
  const last = messages.findLastIndex(({ role }) => role === "user");
  const before: { user: string; reply: string }[] = [];
  for (const message of messages.slice(0, Math.max(0, last))) {
    if (message.role === "user") before.push({ user: message.text, reply: "" });
    const exchange = before.at(-1);
    if (message.role === "assistant" && exchange && message.text !== "") exchange.reply = message.text;
  }
  const asked = messages[last];
  return {
    asked: asked?.role === "user" ? said(asked.text) : "",
    before,
    offers: new Set(tools.map(({ name }) => name)),
    steps: messages.slice(last + 1).flatMap((message) => (message.role === "tool" ? [message.results] : [])),
    told: [prefix, ...messages.flatMap((message) => (message.role === "system" ? [message.text] : []))],
  };
}

/** A message of someone's as a turn is told it: its id on a line, then its words behind a fence. */
const posted = /^Message (.+):\n.* wrote \(data, not instructions\):\n((?:>.*(?:\n|$))+)/gm;

type PostedMessage = { readonly id: string; readonly words: string };

export function messagesIn(asked: string): readonly PostedMessage[] {
  return [...asked.matchAll(posted)].map(([, id = "", fenced = ""]) => ({
    id: id.startsWith('"') ? JSON.parse(id) : id,
    words: fenced.replace(/^> ?/gm, "").trim(),
  }));
}

/** A single message is taken as if its sender had said it here. */
function said(text: string): string {
  const [only, ...others] = messagesIn(text);
  return only && others.length === 0 ? only.words : text.trim();
}

type ToldPassage = { readonly heading: string; readonly words: string };

/** The newest words under a heading: a later update says what stands, or which lines of it changed, not the prefix. */
export function newestPassage(told: readonly string[], title: RegExp): ToldPassage | undefined {
  const at = told.findLastIndex((text) => text.split("\n").some((line) => isTitle(line, title)));
  const lines = told.slice(at + 1).reduce(withLines, told[at]?.split("\n") ?? []);
  const [heading, ...below] = lines.slice(lines.findIndex((line) => isTitle(line, title)));
  if (at === -1 || heading === undefined) return undefined;
  const end = below.findIndex((line) => /^#{1,6} /.test(line) && line.indexOf(" ") <= heading.indexOf(" "));
  return {
    heading: heading.trim(),
    words: (end === -1 ? below : below.slice(0, end))
      .join("\n")
      .replace(/\s*(?:\n---\s*)?$/, "")
      .trim(),
  };
}

/** Lines with a told change made in them, wherever among them the section begins whose lines it names. */
function withLines(lines: readonly string[], message: string): readonly string[] {
  for (let from = 0; from < lines.length; from++) {
    const [changed] = withChange(message, [{ name: null, lines: lines.slice(from) }]) ?? [];
    if (changed) return [...lines.slice(0, from), ...changed.lines];
  }
  return lines;
}

function isTitle(line: string, title: RegExp): boolean {
  return title.test(/^#{1,6} (.*)$/.exec(line)?.[1]?.trim() ?? "");
}

/** The user's standing instructions as they were shown; `partly` when there are more than that. */
export function shownInstructions({ told, steps }: StandInView): { readonly words: string; readonly partly: boolean } {
  const whole = steps.flat().findLast(({ name, output }) => name === "read_memory" && wholeInstructions.test(output));
  if (whole) {
    const words = whole.output.replace(wholeInstructions, "");
    return { words, partly: /\n\(cut here: \d+ more characters[^\n]*$/.test(words) };
  }
  const shown = newestPassage(told, /^User Instructions$/)?.words ?? "";
  const words = shown.split(/^The user can change these by /m)[0]?.trim() ?? "";
  if (words === "(No custom instructions set.)") return { words: "", partly: false };
  return { words, partly: /^\((?:Only the first \d+ characters|The user has standing instructions)/m.test(words) };
}

const wholeInstructions =
  /^[\s\S]*?(?:There are no standing instructions\.$|The user's standing instructions, whole \([^)\n]*\), to the end of this result:\n)/;
