import type { Field } from "../../operations/field.ts";
import { fieldsAt, type Operation, shownCommand } from "../../operations/operation.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { optionName, spoken, wordsOf } from "./parse-command.ts";

/** Maximum width of a help page, in columns; a narrower terminal wraps it once more. */
const pageWidth = 120;
/** Column at which descriptions of options begin. */
const descriptionColumn = 29;

/** Help page of a command, made from its operations: what to type, its options, and notes. */
export function commandHelp(command: string, says: string, operations: readonly Operation[]): string {
  const listed = operations.filter((one) => operations.length === 1 || !one.hasOwnPage);
  const parts = [
    [`charter ${command}: ${lowered(says)}`],
    exampleLines(operations),
    listed.length === 1 ? paragraphs(listed[0]?.about?.replaceAll("`", "") ?? "") : [],
    [...optionLines(listed), ...usualOptionLines(listed)],
    unique(listed.flatMap(({ notes = [] }) => notes)).flatMap(paragraphs),
  ];
  return parts
    .map((lines) => lines.join("\n"))
    .filter((part) => part.trim() !== "")
    .join("\n\n");
}

/** Wraps text; indented lines, which belong to tables, stay as they are. */
function paragraphs(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("  ") ? [line] : wrapText(line, pageWidth)));
}

function lowered(says: string): string {
  return `${says.charAt(0).toLowerCase()}${says.slice(1)}`;
}

function exampleLines(operations: readonly Operation[]): string[] {
  const lines = operations.flatMap((one): NonNullable<Operation["examples"]> => {
    if (!one.hasOwnPage || operations.length === 1)
      return one.examples ?? [`charter ${shownCommand(one.command ?? "")}`];
    return [[`charter ${shownCommand(one.command ?? "")}`, `${lowered(one.says)}: charter ${spoken(one)} --help`]];
  });
  const aligned = 4 + Math.max(0, ...lines.map((line) => (typeof line === "string" ? 0 : line[0].length)));
  return lines.map((line) => (typeof line === "string" ? `  ${line}` : `  ${line[0].padEnd(aligned)}${line[1]}`));
}

/** Lists every option once, with the operations it is for, if not for all. */
function optionLines(operations: readonly Operation[]): string[] {
  const names = unique(operations.flatMap((one) => optionsOf(one).map(([name]) => name)));
  return names.flatMap((name) => {
    const having = operations.filter((one) => optionsOf(one).some(([own]) => own === name));
    const [, field] = optionsOf(having[0] as Operation).find(([own]) => own === name) as [string, Field<unknown>];
    const verbs = having.map(verbOf);
    const which = having.length === operations.length ? "" : `${unique(verbs).join(", ")}: `;
    return optionLine(name, field, which);
  });
}

/** Name of an operation within its command: its words; without any, “list”, or its field. */
function verbOf(one: Operation): string {
  const [, second = "list"] = one.command?.split(" ") ?? [];
  return spoken(one).split(" ").slice(1).join(" ") || second.replaceAll(/[[\].?]/g, "");
}

/** Fields that are given as options, which excludes those that are always words. */
export function optionsOf(one: Operation): (readonly [string, Field<unknown>])[] {
  const words = new Set(wordsOf(one).flatMap((word) => ("field" in word && !word.isOptional ? [word.field] : [])));
  return Object.entries(fieldsAt(one.input, "command")).filter(([name]) => !words.has(name));
}

function optionLine(name: string, { kind, more }: Field<unknown>, which: string): string[] {
  const choice = kind.is === "one-of" ? kind.values.join("|") : undefined;
  const word = more.word ?? (kind.is === "object" || kind.is === "record" || kind.is === "anything" ? "json" : "text");
  const value = kind.is === "flag" ? "" : choice === undefined ? ` <${word}>` : ` ${choice}`;
  const letter = more.letter === undefined ? "      " : `  -${more.letter}, `;
  const file = more.hasFile ? `; or --${optionName(name)}-file <file|->` : "";
  const unnamed = more.isOnlyOne ? "the only one there is" : more.usual;
  const usual = unnamed === undefined || unnamed === 0 ? "" : ` (default: ${unnamed})`;
  const repeated = kind.is === "list" ? "; may be repeated" : "";
  const says = `${which}${lowered((more.says ?? "").replaceAll("`", "").replace(/\.$/, ""))}${usual}${repeated}${file}`;
  const head = `${letter}--${optionName(name)}${more.isNegatable ? `, --no-${optionName(name)}` : ""}${value}`;
  const indent = " ".repeat(descriptionColumn);
  const lines = wrapText(says, pageWidth, indent);
  if (says === "") return [head];
  if (head.length + 2 > descriptionColumn) return [head, ...lines];
  return [head.padEnd(descriptionColumn) + (lines[0] ?? "").slice(descriptionColumn), ...lines.slice(1)];
}

/** Options that every command has, as far as one of these operations has them. */
function usualOptionLines(operations: readonly Operation[]): string[] {
  const all = operations.map(({ usualOptions = {} }) => usualOptions);
  const json = all.find((one) => one.json !== false)?.json ?? "print one JSON document";
  return [
    ...(all.some(({ database }) => database !== false)
      ? [
          "  -d, --database <file|url>  a SQLite file or postgres://… (default: CHARTER_DATABASE, else .charter/charter.db)",
        ]
      : []),
    ...(all.some((one) => one.json !== false) ? [`      --json                 ${json}`] : []),
  ];
}

function unique<One>(all: readonly One[]): One[] {
  return [...new Set(all)];
}

/**
 * Wraps a help page for a narrower terminal; descriptions continue below themselves. A line to be typed is never broken, so that
 * it can be copied.
 */
export function wrapHelp(page: string, width: number): string {
  return page
    .split("\n")
    .flatMap((line) => (line.length <= width ? [line] : wrapHelpLine(line, width)))
    .join("\n");
}

function wrapHelpLine(line: string, width: number): string[] {
  const [, indent = "", name = "", rest = ""] = /^( *)(?:(\S+(?: \S+)* {2,}))?(.*)$/.exec(line) ?? [];
  if (name === "") return indent === "" || indent.length >= 20 ? wrapText(rest, width, indent) : [line];
  const room = indent.length + name.length;
  if (room + 20 <= width) {
    const [first = "", ...others] = wrapText(rest, width, " ".repeat(room));
    return [indent + name + first.slice(room), ...others];
  }
  return [`${indent}${name}`.trimEnd(), ...wrapText(rest, width, `${indent}    `)];
}
