import { checkNeeded } from "../prompt/argument.ts";
import { preview, visible } from "../prompt/character.ts";
import type { HeldCall } from "../store/turns/held-calls.ts";
import { askedOf, isPermission, permissionOf, useText } from "./turn/permission.ts";

/** The question a person is asked about a call, in words, the same at every door. */
export type Question = {
  /** The action with its arguments, its place, and the text it is because of. */
  readonly sentence: string;
  /** Lines of details that are too long for a sentence. Together with the sentence they say all that would be done. */
  readonly details: readonly string[];
};

type AskedCall = Pick<HeldCall, "tool" | "input" | "reason"> & { readonly place?: string | null | undefined };

/** Makes the question about a held call. Invisible characters are written out in it, and nothing in it is JSON. */
export function questionOf(call: AskedCall): Question {
  const aText = [isText, "Give a held call: { tool, input, reason }."] as const;
  checkNeeded<AskedCall>("questionOf", call, { tool: aText, reason: aText });
  const { what, details } = wishOf(call);
  const wish = `The agent wants to ${what}${whereText(call)}`;
  const sentence = `${/[.!?]$/.test(wish) ? wish : `${wish}.`} ${call.reason}`;
  return { sentence, details: shortened(details) };
}

type Wish = { readonly what: string; readonly details: readonly string[] };

function wishOf(call: AskedCall): Wish {
  const asked = permissionOf(call);
  if (asked) {
    const files = asked.paths.flatMap((path) => argumentLines(path, "files"));
    return { what: useOf(asked), details: [...files, ...argumentLines(asked.input)] };
  }
  const { tool, input } = call;
  return fileWish(tool, input) ?? reminderWish(tool, input) ?? usualWish(tool, input);
}

/** Names a use by kind and title. A title may be as long as a command. */
function useOf({ kind, title }: Parameters<typeof useText>[0]): string {
  const use = visible(useText({ kind, title }));
  const verb = useText({ kind, title: "" });
  return staysInside(use) ? use : `${verb}: ${asCode(use.slice(verb.length + 2))}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Describes a call of a directory's tool in plain words. One with unknown arguments is described like any other call. */
function fileWish(tool: string, input: unknown): Wish | undefined {
  const { command, path, content, oldText, newText, ...others } = fieldsOf(input);
  const more = argumentLines(others);
  const only = (...names: string[]) => Object.keys(fieldsOf(input)).every((name) => names.includes(name));
  if (tool === "bash" && isText(command) && only("command", "timeout")) {
    const line = visible(command);
    if (isShort(line)) return { what: `run ${asCode(line)}`, details: more };
    return { what: "run these lines", details: [...linesOf(command, "  "), ...more] };
  }
  if (!isText(path) || !isShort(visible(path))) return undefined;
  if (tool === "write" && isText(content) && only("path", "content"))
    return { what: `write the file ${asCode(visible(path))}`, details: linesOf(content, "+ ") };
  if (tool === "edit" && isText(oldText) && isText(newText) && only("path", "oldText", "newText"))
    return {
      what: `change the file ${asCode(visible(path))}`,
      details: [...linesOf(oldText, "- "), ...linesOf(newText, "+ ")],
    };
  return undefined;
}

/** Describes a reminder, at one time or by a cron line. Its text stands by itself. */
function reminderWish(tool: string, input: unknown): Wish | undefined {
  const { text, at, cron, ...others } = fieldsOf(input);
  if (tool !== "set_reminder" || !isText(text) || Object.keys(others).length > 0) return undefined;
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::00)?$/.exec(String(at)) ?? [];
  if (date !== undefined && cron === undefined)
    return { what: `remind you on ${date} at ${time}`, details: linesOf(text, "") };
  if (at !== undefined || !isText(cron) || !isShort(visible(cron))) return undefined;
  return { what: `remind you repeatedly (${visible(cron)})`, details: linesOf(text, "") };
}

function usualWish(tool: string, input: unknown): Wish {
  const lines = argumentLines(input);
  const short = lines.join(", ");
  if (lines.length === 0) return { what: `use “${visible(tool)}”`, details: [] };
  // Values have a line each where one could be taken for the next argument, or for the rest of the sentence.
  const isPlain = (lines.length === 1 || lines.every((line) => !/^ |:$|,/.test(line))) && lines.every(staysInside);
  if (isPlain && isShort(short)) return { what: `use “${visible(tool)}” with ${short}`, details: [] };
  return { what: `use “${visible(tool)}”`, details: lines };
}

/** Writes each value after the names that lead to it: `to.name: Bo`. A value of several lines stands below its name. */
function argumentLines(value: unknown, name = ""): string[] {
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return name === "" ? [] : [`${name}: nothing`];
    return entries.flatMap(([one, inner]) =>
      argumentLines(inner, name === "" ? nameText(one) : `${name}.${nameText(one)}`),
    );
  }
  if (value === undefined || (value === null && name === "")) return [];
  const words = value === null ? "nothing" : String(value);
  const label = name === "" ? "input" : name;
  return words.includes("\n") ? [`${label}:`, ...linesOf(words, "  ")] : [`${label}: ${visible(words)}`];
}

/** Quotes a name that could be taken for a line, a value or several names. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? name : JSON.stringify(visible(name));
}

/** Tells whether nobody takes these words for a sentence of ours, and an editor, which reads Markdown, shows them whole. */
function staysInside(words: string): boolean {
  return !/[.!?…。！？]["'”’)]*\s|[<>[\]*`~|&]/u.test(words);
}

function whereText({ place }: AskedCall): string {
  return place === undefined || place === null ? "" : ` in ${preview(visible(place), 300)}`;
}

function linesOf(words: string, before: string): string[] {
  return words.split("\n").map((line) => `${before}${visible(line)}`);
}

/** Maximum number of characters of the details, because nobody reads more where they are asked. */
const maxDetailChars = 12_000;

function shortened(lines: readonly string[]): string[] {
  const text = lines.join("\n");
  const rest = text.length - maxDetailChars;
  if (rest <= 0) return [...lines];
  return [
    ...text.slice(0, maxDetailChars).toWellFormed().split("\n"),
    `… (${rest} more characters; the list of approvals has all of it)`,
  ];
}

function isShort(line: string): boolean {
  return line.length <= 160 && !line.includes("\n");
}

/** Wraps words in backticks, more of them than the words have in a row. */
function asCode(words: string): string {
  const longestRun = Math.max(0, ...Array.from(words.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const pad = longestRun > 0 ? " " : "";
  return `${fence}${pad}${words}${pad}${fence}`;
}

function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns what the person who decided about a call says in the turn that follows: no word of it is the agent's. */
export function decisionWords({ tool }: Pick<HeldCall, "tool">, approved: boolean): string {
  if (!approved) return `I do not approve the call of “${tool}”.`;
  if (isPermission({ tool })) return "I allow once what you asked for. Ask for the same again, and go on.";
  return `I approve the call of “${tool}”. Go on.`;
}

/** A held call as it is listed: with the question a person is asked, and the permission it asks for, if that has a name. */
export type ShownCall = Omit<HeldCall, "ofPicture"> & {
  readonly asks?: string;
  readonly question: Question;
  readonly mine?: string;
};

/** The answer that approves a call and says that the picture it waits because of is the person's own, as every door puts it. */
export const mineAnswer = { word: "mine", says: "Yes, the picture is mine" } as const;

export function shownCall(call: HeldCall): ShownCall {
  const asks = askedOf(call);
  const { ofPicture, ...about } = call;
  const mine = ofPicture ? { mine: mineAnswer.says } : {};
  return { ...about, question: questionOf(call), ...(asks === undefined ? {} : { asks }), ...mine };
}
