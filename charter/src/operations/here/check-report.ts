import { counted, grouped } from "../../prompt/problem.ts";
import { colours, columns, edgeOf, type OutputSize, oneLine, painted } from "../print/columns.ts";
import { wrapText } from "../print/plain-text.ts";
import type { CheckAnswer } from "./check.ts";

type Diagnostic = CheckAnswer["diagnostics"][number];
type Charter = CheckAnswer["charters"][number];

/** Prints a check for a terminal: what is wrong first, then the tokens of each charter. */
export function checkLines(answer: CheckAnswer, output: OutputSize): string[] {
  const paint = colours(output);
  const told = answer.diagnostics.flatMap((one) => {
    const word = `${one.severity} ${one.code}`;
    const place = placeOf(one);
    const head = { error: paint.red, warning: paint.yellow, note: paint.dim }[one.severity](word);
    return [
      `${head}${place === "" ? "" : `  ${paint.bold(oneLine(place))}`}`,
      ...wrapText(oneLine(one.message), edgeOf(output), "  "),
      ...wrapText(oneLine(one.hint), edgeOf(output), "  ").map(paint.dim),
    ];
  });
  const words = answer.charters.flatMap(({ words: changed }) =>
    changed.flatMap(({ section, what, diff }) => [
      "",
      `${section} was ${what}`,
      ...painted(diffLines(diff).map((line) => oneLine(line))),
    ]),
  );
  const tables = answer.charters.flatMap((charter) => [
    "",
    titleOf(charter, answer),
    ...columns(...tableOf(charter, answer), output),
  ]);
  const updated = answer.updated.map((path) => `updated ${path}`);
  const shown = [...told, ...words, ...tables];
  return [...shown.slice(shown[0] === "" ? 1 : 0), "", ...updated, summaryOf(answer), noteOf(answer)];
}

/** Most rows of findings, and characters of a difference, that a comment has: GitHub takes 65,536 characters in all. */
const maxRows = 50;
const maxDiffCharacters = 8_000;
const maxCharacters = 60_000;

/** Formats a check as Markdown, for a pull request. Words that were checked cannot format, link or mention anybody in it. */
export function checkMarkdown(answer: CheckAnswer): string {
  const { diagnostics, charters } = answer;
  const rows = diagnostics.slice(0, maxRows).map(
    (one) =>
      `| ${one.severity} | ${[placeOf(one), one.code]
        .filter((text) => text !== "")
        .map(code)
        .join("<br>")} | ${inert(one.message)}<br>**${inert(one.hint)}** |`,
  );
  const more =
    diagnostics.length > maxRows
      ? [`\n${diagnostics.length - maxRows} more are in the output of \`charter check\`.`]
      : [];
  const findings =
    rows.length === 0 ? [] : ["", "| | where | what, and what to do |", "| --- | --- | --- |", ...rows, ...more];
  const words = charters.flatMap(({ words: changed }) => changed.flatMap(wordsMarkdown));
  const tables = charters.flatMap((charter) => {
    const [names, cells] = tableOf(charter, answer);
    const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
    return [
      "",
      `### ${inert(titleOf(charter, answer))}`,
      "",
      line(names),
      line(names.map((_, at) => (at === 0 ? "---" : "--:"))),
      ...cells.map(([name = "", ...others]) => line([code(name), ...others])),
    ];
  });
  const head = [`## Charter check: ${summaryOf(answer)}`, ...findings];
  const foot = ["", inert(noteOf(answer)), ""];
  const whole = [...head, ...words, ...tables, ...foot].join("\n");
  if (whole.length <= maxCharacters) return whole;
  const short = [
    ...head,
    "",
    "The words and tables are too long for a comment; they are in the output of `charter check`.",
    ...foot,
  ].join("\n");
  return short.length <= maxCharacters ? short : `${short.slice(0, short.lastIndexOf("\n", maxCharacters))}\n`;
}

function wordsMarkdown({ section, what, diff }: Charter["words"][number]): string[] {
  const lines = diffLines(diff).join("\n");
  const shown = lines.length > maxDiffCharacters ? `${lines.slice(0, maxDiffCharacters)}\n…` : lines;
  const fence = "`".repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return ["", `### Fixed text of ${code(section)} was ${what}`, "", `${fence}diff`, shown, fence];
}

/** Lines of a unified diff without the two that name it. */
function diffLines(diff: string): string[] {
  return diff.trimEnd().split("\n").slice(2);
}

function placeOf({ file, line, section, charter }: Diagnostic): string {
  const at = file === undefined ? (charter ?? "") : `${file}${line === undefined ? "" : `:${line}`}`;
  return section === undefined ? at : `${at} ${section}`.trim();
}

function titleOf({ charter, tokens, before }: Charter, { model }: CheckAnswer): string {
  const price = (count: number) => (model.inputPrice === null ? "" : `, ${dollars(count, model.inputPrice)}`);
  if (before === undefined) return `${charter}: ${grouped(tokens)} tokens${price(tokens)}`;
  return `${charter}: ${grouped(before)}${price(before)} → ${grouped(tokens)} tokens${price(tokens)}${percent(tokens, before)}`;
}

function percent(tokens: number, before: number): string {
  if (before === 0 || tokens === before) return "";
  const change = Math.round(((tokens - before) / before) * 100);
  return ` (${change > 0 ? "+" : ""}${change} %)`;
}

function tableOf({ sections, before }: Charter, { model }: CheckAnswer): [string[], string[][]] {
  const { inputPrice } = model;
  const isCompared = before !== undefined;
  const names = [
    "section",
    ...(isCompared ? ["before"] : []),
    "tokens",
    ...(isCompared ? ["change"] : []),
    ...(inputPrice === null ? [] : ["price"]),
  ];
  const rows = sections.map(({ name, tokens, before: past }) => [
    name,
    ...(isCompared ? [past == null ? "–" : grouped(past)] : []),
    tokens === null ? "–" : grouped(tokens),
    ...(isCompared ? [changeText((tokens ?? 0) - (past ?? 0))] : []),
    ...(inputPrice === null ? [] : [tokens === null ? "–" : dollars(tokens, inputPrice)]),
  ]);
  return [names, rows];
}

function changeText(change: number): string {
  return change === 0 ? "" : `${change > 0 ? "+" : "−"}${grouped(Math.abs(change))}`;
}

/** Price of a thousand requests with so many tokens. */
function dollars(tokens: number, price: number): string {
  const amount = (tokens * price) / 1000;
  return `$${amount >= 0.1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}

function summaryOf({ diagnostics, unchecked, cases, charters }: CheckAnswer): string {
  const number = (severity: Diagnostic["severity"]) => diagnostics.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [number("error"), number("warning")];
  const found = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  const missing = unchecked > 0 ? ` ${counted(unchecked, "thing")} could not be checked.` : "";
  return `${found.length === 0 ? "all is well" : found.join(", ")} in ${counted(charters.length, "charter")} with ${counted(cases, "case")}.${missing}`;
}

/** Says what the figures are of. */
function noteOf({ base, model }: CheckAnswer): string {
  const by =
    model.tokenizer === "estimate"
      ? "Tokens are estimated"
      : `Tokens are counted by ${model.tokenizer}${model.exact ? "" : ", which is an estimate"}`;
  const price =
    model.inputPrice !== null
      ? `; prices are of 1,000 requests to ${model.name}, without its cache`
      : model.name === null
        ? "; name a model with --model to see prices"
        : `; the price of ${model.name} is not known`;
  const compared = base === null ? "" : ` Compared with ${base.name} (${base.commit.slice(0, 8)}).`;
  return `${by}, on average over the cases${price}.${compared}`;
}

function code(text: string): string {
  const words = oneLine(text).replaceAll("|", "\\|");
  const fence = "`".repeat(Math.max(1, ...[...words.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return fence.length === 1 ? `\`${words}\`` : `${fence} ${words} ${fence}`;
}

/** Makes words harmless in Markdown: they link nothing, mention nobody, and format nothing but what is between backticks. */
function inert(text: string): string {
  return oneLine(text)
    .split(/(`[^`]+`)/)
    .map((piece, at) => (at % 2 === 1 ? code(piece.slice(1, -1)) : inertPiece(piece)))
    .join("");
}

function inertPiece(words: string): string {
  return words
    .replace(/[\\`*_{}[\]<>|~#!&]/g, "\\$&")
    .replaceAll("@", "@<!-- -->")
    .replace(/\\#(?=\d)/g, "\\#<!-- -->")
    .replaceAll("://", ":<!-- -->//")
    .replace(/\bwww\./gi, "www<!-- -->.");
}
