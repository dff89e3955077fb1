import { anyLineEnd } from "../prompt/character.ts";
import type { ModelRequest, ToolResult } from "./model.ts";

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

/** Lines that a message may tell a change of: a part's, by name, or all of a section. */
export type StandingPart = { readonly name: string | null; readonly lines: readonly string[] };

const json = '"(?:[^"\\\\]|\\\\.)*"';
const opening = /^(?:\[system [0-9a-f]{8}\] )?Your prompt has changed in “.+”:\n/;
const replaced = new RegExp(
  `^(?:Of (?<part>${json}), )?[Ll]ines? (?<first>\\d+)(?:–(?<last>\\d+))? \\((?<was>${json})(?: … (?<until>${json}))?\\) (?:now reads?:|(?:is|are) gone\\.)$`,
);
const inserted = new RegExp(
  `^(?:Of (?<part>${json}), )?(?<place>[Bb]efore|[Aa]fter) line (?<first>\\d+) \\((?<was>${json})\\) comes?:$`,
);
const whole = new RegExp(
  `^(?<part>${json}) (?:(?<gone>is gone\\.)|now reads:|(?<fresh>is new), (?:before the others|after (?<after>${json})):)$`,
);

const barred = new RegExp(`(${anyLineEnd.source})\\| `, "g");

type Edit = { readonly part: string | null; readonly from: number; readonly count: number; readonly lines: string[] };

/**
 * Reads a message that tells of changed lines and parts, and makes the changes: the parts as they are from then on.
 * Undefined where it is no such message, or the lines it names are not these.
 */
export function withChange(message: string, before: readonly StandingPart[]): readonly StandingPart[] | undefined {
  const start = opening.exec(message)?.[0].length;
  if (start === undefined) return undefined;
  const parts = before.map(({ name, lines }) => ({ name, lines: [...lines] }));
  const edits: Edit[] = [];
  const rows = message.slice(start).split("\n");
  for (let row = 0; row < rows.length; ) {
    const says = rows[row++] as string;
    let end = row;
    while (rows[end]?.startsWith("| ")) end++;
    const lines = end === row ? [] : toldLines(rows.slice(row, end).join("\n"));
    row = end;
    const { groups: edit } = replaced.exec(says) ?? inserted.exec(says) ?? {};
    const { groups: change } = whole.exec(says) ?? {};
    if (edit) {
      const part = edit.part === undefined ? null : nameOf(edit.part);
      const at = parts.findIndex(({ name }) => name === part);
      const found = parts[at];
      if (!found) return undefined;
      const lead =
        part === null
          ? 0
          : Math.max(
              0,
              found.lines.findIndex((line) => line !== ""),
            );
      const first = Number(edit.first) - 1 + lead;
      const last = edit.last === undefined ? first : Number(edit.last) - 1 + lead;
      const isThat = (line: number, text: string | undefined) =>
        text === undefined || isBeginning(found.lines[line], text);
      if (!isThat(first, edit.was) || !isThat(last, edit.until)) return undefined;
      const from = edit.place?.toLowerCase() === "after" ? first + 1 : first;
      edits.push({ part, from, count: edit.place === undefined ? last - first + 1 : 0, lines });
    } else if (change?.part !== undefined) {
      const name = nameOf(change.part);
      const at = parts.findIndex((one) => one.name === name);
      if (change.fresh !== undefined) {
        const behind = change.after === undefined ? null : nameOf(change.after);
        const place = parts.findIndex((one) => (behind === null ? one.name !== null : one.name === behind));
        parts.splice(behind === null ? (place === -1 ? parts.length : place) : place + 1, 0, { name, lines });
      } else if (at === -1) return undefined;
      else parts.splice(at, 1, ...(change.gone === undefined ? [{ name, lines }] : []));
    } else return undefined;
  }
  for (const { part, from, count, lines } of edits.toReversed())
    parts.find(({ name }) => name === part)?.lines.splice(from, count, ...lines);
  return parts;
}

function toldLines(block: string): string[] {
  return block.slice("| ".length).replaceAll(barred, "$1").split("\n");
}

function nameOf(label: string): string {
  return JSON.parse(label) as string;
}

/** Is it what the line begins with, white space aside? */
function isBeginning(line: string | undefined, excerpt: string): boolean {
  const words = (JSON.parse(excerpt) as string).replace(/…$/, "").trimEnd();
  return (
    line
      ?.replaceAll(/[\s\u0085]+/gu, " ")
      .trim()
      .startsWith(words) ?? false
  );
}

export type Call = { readonly name: string; readonly input: string };

/** What the stand-in does next: calls, or sentences that end the turn. */
export type StandInMove = { readonly calls: readonly Call[] } | { readonly says: readonly string[] };

export type StandInRule = {
  readonly when: RegExp;
  /** It holds only where one of these tools is offered. */
  readonly offered?: readonly string[];
  readonly move: (words: readonly (string | undefined)[], view: StandInView) => StandInMove | undefined;
};

type Offers = Readonly<Record<string, object | undefined>>;

/** One call, to the first of these tools that is offered; then nothing more. */
export function once(
  calls: (words: readonly (string | undefined)[], view: StandInView) => Offers,
): StandInRule["move"] {
  return (words, view) => (view.steps.length > 0 ? undefined : callOffered(view, calls(words, view)));
}

export function callOffered({ offers }: StandInView, calls: Offers): StandInMove {
  const [name, input] = Object.entries(calls).find(([tool, asked]) => asked && offers.has(tool)) ?? [];
  if (name !== undefined) return { calls: [{ name, input: JSON.stringify(input) }] };
  return { says: [`I would call ${Object.keys(calls).join(" or ")} for that, but no such tool is offered to me.`] };
}
