import { anyLineEnd } from "../prompt/character.ts";
import type { Message, ModelRequest, ToolResult } from "./model.ts";

/** A request as the stand-in sees it: the user's text, the system's, and its own steps so far. */
export type StandInView = {
  /** The last message of the user. */
  readonly asked: string;
  /** The conversation before that, oldest first. */
  readonly before: readonly { readonly user: string; readonly reply: string }[];
  readonly offers: ReadonlySet<string>;
  /** The results of each step since. */
  readonly steps: readonly (readonly ToolResult[])[];
  /** The prompt's texts, oldest first: the prefix, then updates. */
  readonly systemTexts: readonly string[];
};

export function viewOf({ system, messages, tools }: ModelRequest): StandInView {
  const prefix = system.map(({ text }) => text).join("");
  const isSaid = (message: Message) => message.role === "user" && message.update === undefined;
  const last = messages.findLastIndex(isSaid);
  const before: { user: string; reply: string }[] = [];
  for (const message of messages.slice(0, Math.max(0, last))) {
    if (message.role === "user" && isSaid(message)) before.push({ user: message.text, reply: "" });
    const exchange = before.at(-1);
    if (message.role === "assistant" && exchange && message.text !== "") exchange.reply = message.text;
  }
  const asked = messages[last];
  return {
    asked: asked?.role === "user" ? userText(asked.text) : "",
    before,
    offers: new Set(tools.map(({ name }) => name)),
    steps: messages.slice(last + 1).flatMap((message) => (message.role === "tool" ? [message.results] : [])),
    systemTexts: [
      prefix,
      ...messages.flatMap((one) => ("update" in one && one.update !== undefined ? [one.text] : [])),
    ],
  };
}

/** A posted message as a turn contains it: its id on a line, then its text in a fence. */
const posted = /^Message (.+):\n.* wrote \(data, not instructions\):\n((?:>.*(?:\n|$))+)/gm;

type PostedMessage = { readonly id: string; readonly words: string };

export function messagesIn(asked: string): readonly PostedMessage[] {
  return [...asked.matchAll(posted)].map(([, id = "", fenced = ""]) => ({
    id: id.startsWith('"') ? JSON.parse(id) : id,
    words: fenced.replace(/^> ?/gm, "").trim(),
  }));
}

/** Reads a single posted message as if its sender had written it here. */
function userText(text: string): string {
  const [only, ...others] = messagesIn(text);
  return only && others.length === 0 ? only.words : text.trim();
}

type SystemPassage = { readonly heading: string; readonly words: string };

/** Returns the newest text under a heading: a later update overrides the prefix, whole or in the lines it changes. */
export function newestPassage(systemTexts: readonly string[], title: RegExp): SystemPassage | undefined {
  const at = systemTexts.findLastIndex((text) => text.split("\n").some((line) => isTitle(line, title)));
  const lines = systemTexts.slice(at + 1).reduce(withLines, systemTexts[at]?.split("\n") ?? []);
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

/** Applies a told change to lines, wherever among them the section begins whose lines it names. */
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

/** Returns the user's standing instructions as they were shown; `partly` when only a part was shown. */
export function shownInstructions({ systemTexts, steps }: StandInView): {
  readonly words: string;
  readonly partly: boolean;
} {
  const whole = steps.flat().findLast(({ name, output }) => name === "read_memory" && wholeInstructions.test(output));
  if (whole) {
    const words = whole.output.replace(wholeInstructions, "");
    return { words, partly: /\n\(cut here: \d+ more characters[^\n]*$/.test(words) };
  }
  const shown = newestPassage(systemTexts, /^User Instructions$/)?.words ?? "";
  const words = shown.split(/^The user can change these by /m)[0]?.trim() ?? "";
  if (words === "(No custom instructions set.)") return { words: "", partly: false };
  return { words, partly: /^\((?:Only the first \d+ characters|The user has standing instructions)/m.test(words) };
}

const wholeInstructions =
  /^[\s\S]*?(?:There are no standing instructions\.$|The user's standing instructions, whole \([^)\n]*\), to the end of this result:\n)/;

/** Lines that a message may change: those of a named part, or of a whole section. */
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
 * Applies a message that tells of changed lines and parts, and returns the new parts. Undefined where it is no such message, or
 * names other lines.
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
    const lines = end === row ? [] : linesIn(rows.slice(row, end).join("\n"));
    row = end;
    const { groups: edit } = replaced.exec(says) ?? inserted.exec(says) ?? {};
    const { groups: change } = whole.exec(says) ?? {};
    if (edit) {
      const part = edit.part === undefined ? null : nameOf(edit.part);
      const at = parts.findIndex(({ name }) => name === part);
      const target = parts[at];
      if (!target) return undefined;
      const lead =
        part === null
          ? 0
          : Math.max(
              0,
              target.lines.findIndex((line) => line !== ""),
            );
      const first = Number(edit.first) - 1 + lead;
      const last = edit.last === undefined ? first : Number(edit.last) - 1 + lead;
      const isThat = (line: number, text: string | undefined) =>
        text === undefined || isBeginning(target.lines[line], text);
      if (!isThat(first, edit.was) || !isThat(last, edit.until)) return undefined;
      const from = edit.place?.toLowerCase() === "after" ? first + 1 : first;
      edits.push({ part, from, count: edit.place === undefined ? last - first + 1 : 0, lines });
    } else if (change?.part !== undefined) {
      const name = nameOf(change.part);
      const at = parts.findIndex((one) => one.name === name);
      if (change.fresh !== undefined) {
        const previous = change.after === undefined ? null : nameOf(change.after);
        const place = parts.findIndex((one) => (previous === null ? one.name !== null : one.name === previous));
        parts.splice(previous === null ? (place === -1 ? parts.length : place) : place + 1, 0, { name, lines });
      } else if (at === -1) return undefined;
      else parts.splice(at, 1, ...(change.gone === undefined ? [{ name, lines }] : []));
    } else return undefined;
  }
  for (const { part, from, count, lines } of edits.toReversed())
    parts.find(({ name }) => name === part)?.lines.splice(from, count, ...lines);
  return parts;
}

function linesIn(block: string): string[] {
  return block.slice("| ".length).replaceAll(barred, "$1").split("\n");
}

function nameOf(label: string): string {
  return JSON.parse(label) as string;
}

/** Returns true if a line begins with the excerpt, white space aside. */
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

/** The next move of the stand-in: calls, or sentences that end the turn. */
export type StandInMove = { readonly calls: readonly Call[] } | { readonly says: readonly string[] };

export type StandInRule = {
  readonly when: RegExp;
  /** Tools of which one must be offered for the rule to apply. */
  readonly offered?: readonly string[];
  readonly move: (words: readonly (string | undefined)[], view: StandInView) => StandInMove | undefined;
};

type Offers = Readonly<Record<string, object | undefined>>;

/** Makes a move of one call, to the first of these tools that is offered; after that the rule has nothing more to do. */
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

const please = "^(?:please[, ]+)?";
/** Pattern of one word, or several in quotes. */
const word = "([`\"“'].+?[`\"”']|\\S{1,1000}?)";
/** Pattern of a path, so that not every “write a letter to mother” becomes a file. */
const path = "([`\"“'].+?[`\"”']|\\S{0,1000}?[./]\\S{0,1000}?)";
/** Pattern of words up to the next keyword, unless quotes hold them together. */
const words = "([`\"“'][\\s\\S]+?[`\"”'](?= )|[\\s\\S]+?)";
const end = "\\s*[.!?]*$";

/** Commands to a coding agent, word for word. Where a tool of its own is not offered, the shell does it. */
export const codingRules: readonly StandInRule[] = [
  {
    when: new RegExp(`${please}(?:run|execute)(?: the command)?:? +(?:\`([^\`]+)\`\\s*[.!]?|([\\s\\S]+))$`, "i"),
    offered: ["bash"],
    move: once(([quoted, plain]) => ({ bash: { command: quoted ?? plain } })),
  },
  {
    when: new RegExp(
      `${please}(?:(?:read|cat)(?: the)?(?: file)? ${word}|(?:show|open)(?: me)?(?: the)?(?: file)? ${path})(?:,? (?:from|at) line (\\d+))?${end}`,
      "i",
    ),
    offered: ["read", "bash"],
    move: once(([any, shown, line]) => {
      const file = unquoted(any ?? shown);
      const offset = line === undefined ? {} : { offset: Number(line) };
      return { read: { path: file, ...offset }, bash: { command: `cat -- ${shellWord(file)}` } };
    }),
  },
  {
    when: new RegExp(
      `${please}(?:ls|list|(?:list|show)(?: me)?(?: all)?(?: the| my)? (?:files|folder|directory))(?: (?:in |of |under )?(?:the (?:folder|directory) )?${word})?${end}`,
      "i",
    ),
    offered: ["ls", "bash"],
    move: once(([folder]) => {
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      return { ls: where, bash: { command: ["ls -Ap", ...shellPath(folder)].join(" ") } };
    }),
  },
  {
    when: new RegExp(
      `${please}find (?:all )?(?:the )?(?:files? )?(?:named |called |matching |like )?${word}(?: (?:in|under) ${word})?${end}`,
      "i",
    ),
    offered: ["find", "bash"],
    move: once(([name, folder]) => {
      const given = unquoted(name);
      const pattern = /[*?[{./]/.test(given) ? given : `*${given}*`;
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      const test = pattern.includes("/") ? `-path ${shellWord(`*/${pattern}`)}` : `-name ${shellWord(pattern)}`;
      const start = shellPath(folder)[0] ?? ".";
      return { find: { pattern, ...where }, bash: { command: `find ${start} ${test} -not -path '*/.git/*'` } };
    }),
  },
  {
    when: new RegExp(`${please}(search for|search|look for|grep) (.+?)(?: in ${word})?${end}`, "i"),
    offered: ["grep", "bash"],
    move: once(([verb, words, folder]) => {
      const pattern = unquoted(words);
      const isPlain = verb?.toLowerCase() !== "grep";
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      const search = `grep -rnI${isPlain ? "F" : "E"} --exclude-dir=.git -e ${shellWord(pattern)} ${shellPath(folder)[0] ?? "."}`;
      return {
        grep: { pattern, ...(isPlain ? { literal: true } : {}), ...where },
        // Turns grep's exit code 1 into success: no match is an answer, not a fault.
        bash: { command: `${search} || [ $? -eq 1 ]` },
      };
    }),
  },
  {
    when: new RegExp(`${please}write ${words} (?:in)?to (?:the file |a file called )?${path}${end}`, "i"),
    offered: ["write"],
    move: once(([words, file]) => ({ write: { path: unquoted(file), content: fileText(words) } })),
  },
  {
    when: new RegExp(
      `${please}(?:create|make|write) (?:a |the )?(?:new )?(?:file )?(?:called |named )?${path} (?:with|containing|that says):? ([\\s\\S]+)$`,
      "i",
    ),
    offered: ["write"],
    move: once(([file, words]) => ({ write: { path: unquoted(file), content: fileText(words) } })),
  },
  {
    when: new RegExp(
      `${please}(?:replace|change) ${words} (?:with|by|to) ${words} in (?:the file )?${path}${end}`,
      "i",
    ),
    offered: ["edit"],
    move: once(([oldText, newText, file]) => ({
      edit: { path: unquoted(file), oldText: unquoted(oldText), newText: unquoted(newText) },
    })),
  },
];

function unquoted(words = ""): string {
  return (
    /^(?:`([\s\S]+)`|"([\s\S]+)"|“([\s\S]+)”|'([\s\S]+)')$/
      .exec(words)
      ?.slice(1)
      .find((inner) => inner !== undefined) ?? words
  );
}

/** Ends a file's last line. */
function fileText(words = ""): string {
  const text = unquoted(words);
  return text.endsWith("\n") ? text : `${text}\n`;
}

function shellPath(folder: string | undefined): string[] {
  return folder === undefined ? [] : [shellWord(unquoted(folder))];
}

/** Quotes a word for the shell, unless it is plain. */
function shellWord(words: string): string {
  return /^[\w./@+-]+$/.test(words) && !words.startsWith("-") ? words : `'${words.replaceAll("'", "'\\''")}'`;
}

/** Suggestions to try, by the tool that does it. */
export const codingTries: readonly (readonly [tool: string, words: string])[] = [
  ["ls", "list the files"],
  ["bash", "list the files"],
  ["read", "read README.md"],
  ["grep", "search for TODO"],
  ["bash", "run `git status`"],
  ["write", "write hello to notes.txt"],
  ["edit", "replace hello with goodbye in notes.txt"],
];

/** Rules for reminders and time zones, where an assistant is offered the tools for them. */
export const reminderRules: readonly StandInRule[] = [
  {
    when: /^A reminder the user asked for is due now\.[^\n]*\n+([\s\S]+)/,
    move: ([words = ""]) => ({ says: [`A reminder: ${words.trim()}`] }),
  },
  {
    when: /\bremind me in (\d{1,4}|an?) (minute|hour)s? (?:to |that |of |about )?([\s\S]+)/i,
    offered: ["set_reminder"],
    move: once(([count = "", unit = "", text = ""], { systemTexts }) => {
      const minutes = (/\d/.test(count) ? Number(count) : 1) * (unit.toLowerCase() === "hour" ? 60 : 1);
      const at = localLater(newestPassage(systemTexts, /^Current Time$/)?.words ?? "", minutes);
      return { set_reminder: at === undefined ? undefined : { text: text.trim(), at } };
    }),
  },
  {
    when: /\b(?:my time ?zone is|i (?:live|am) in the time ?zone) ([\w+/-]+)/i,
    offered: ["set_time_zone"],
    move: once(([zone]) => ({ set_time_zone: { zone } })),
  },
  {
    when: /\bwhat is (?:scheduled|coming)\b|\bmy reminders\b/i,
    offered: ["list_reminders"],
    move: once(() => ({ list_reminders: {} })),
  },
];

export const reminderTries = [["set_reminder", "remind me in 2 minutes to stretch"]] as const;

/** Returns a local time, “Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)”, some minutes later by the same wall clock. */
function localLater(words: string, minutes: number): string | undefined {
  const match = /^\w+, (\w+ \d{1,2}, \d{4}) at (\d\d):(\d\d) (AM|PM)/.exec(words);
  if (!match) return undefined;
  const [, day, hour, minute, half] = match;
  const at = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  return Number.isNaN(at) ? undefined : new Date(at + minutes * 60_000).toISOString().slice(0, 16);
}

/** Rules for the turns of an agent that lives by itself. */
export const messageRules: readonly StandInRule[] = [
  {
    when: /^This turn is your own\b/,
    offered: ["nothing_to_report"],
    move: once(() => ({ nothing_to_report: { because: "A script has nothing to do by itself." } })),
  },
  {
    when: /messages are for you to answer/,
    offered: ["reply"],
    move: (_, { asked, steps }) =>
      steps.length > 0
        ? undefined
        : {
            calls: messagesIn(asked).map(({ id, words }) => ({
              name: "reply",
              input: JSON.stringify({ message: id, body: `(stand-in model) You wrote: “${words}”.` }),
            })),
          },
  },
];
