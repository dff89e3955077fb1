import { boundsOf } from "./assemble.ts";
import { preview } from "./character.ts";
import { allSections, type Charter, type Edition, sectionMutability } from "./charter.ts";
import { counted, listed, Problem } from "./problem.ts";
import { type Prompt, sectionTexts } from "./prompt.ts";
import type { Section } from "./section.ts";
import { commonBytes, everybodysSections, sharedSections, sharedSentence } from "./shared-text.ts";
import type { Tokenizer } from "./tokens.ts";

/**
 * What works in a charter and is probably not meant. An error does harm as it is; a warning is for a person to judge; a note says
 * what follows of a declaration, and may well be meant.
 *
 * Some of it can be read in the charter, the rest is seen in prompts that were made of it. So a lint is shown prompts, one after
 * another, and keeps of each only what it needs: a thousand take no more memory than one.
 */
export type LintDiagnostic = {
  readonly code: LintCode;
  readonly severity: "error" | "warning" | "note";
  readonly section?: string;
  readonly message: string;
  readonly hint: string;
};

export type LintCode =
  | "stable-moves"
  | "user-in-prefix"
  | "shared-text"
  | "tool-unsaid"
  | "never-shown"
  | "tool-not-offered"
  | "limit-too-small"
  | "repeated-words"
  | "heading-repeated";

/**
 * Names of tools: those that are offered to the model, those of them that say nothing of what they bring and do, and those that
 * exist elsewhere, where words may still name them.
 */
export type LintTools = {
  readonly offered: Iterable<string>;
  readonly unsaid?: Iterable<string>;
  readonly elsewhere?: Iterable<string>;
};

/**
 * A turn that was assembled: its name, its prompt or why there is none; or its prompt without a limit, now and later, and for
 * another user, channel and zone; if that differs, also on the other channel alone.
 */
export type LintedTurn = {
  readonly name: string;
  readonly edition: Edition;
  readonly prompt: Prompt | Problem;
  readonly later?: Prompt;
  readonly elsewhere?: Prompt;
  readonly otherChannel?: Prompt;
};

type Lint = {
  readonly see: (turn: LintedTurn) => void;
  /** Lists what was found. `isWhole`: the turns that were seen are meant to show every section. */
  readonly diagnostics: (tools: LintTools, isWhole: boolean) => LintDiagnostic[];
};

/** Creates the lint of a charter. The tokenizer counts what its limit in tokens has to hold. */
export function createLint(charter: Charter, tokenizer: Tokenizer): Lint {
  const shown = new Set<string>();
  /** Sections that stand in a prompt if it has no limit. */
  const fitting = new Set<string>();
  const omitted = new Map<string, Set<string>>();
  const moves = new Map<string, LintDiagnostic>();
  const tight = new Map<Edition, { readonly problem: Problem; readonly turn: string; count: number }>();
  const sums = new Map<Edition, LintDiagnostic>();
  const repeated = new Map<string, LintDiagnostic>();

  return {
    see(turn) {
      const { name, edition, prompt, later, elsewhere } = turn;
      if (prompt instanceof Problem) {
        const before = tight.get(edition);
        if (before) before.count++;
        else tight.set(edition, { problem: prompt, turn: name, count: 1 });
        return;
      }
      for (const { code, section, message } of prompt.notices) {
        if (code !== "heading-repeated" || !section) continue;
        const hint = 'Where others can write in it, declare its trust: "user" or "foreign".';
        repeated.set(section, { code, severity: "warning", section, message, hint });
      }
      for (const { name: section, reason } of prompt.omitted)
        omitted.set(section, (omitted.get(section) ?? new Set()).add(reason));
      for (const { name: section } of prompt.sections) (later === undefined ? shown : fitting).add(section);
      if (later !== undefined) {
        const found = [
          ...movesBetween(prompt, later, name),
          ...(elsewhere ? personalIn(charter, { ...turn, prompt, elsewhere }) : []),
        ];
        for (const one of found) {
          const key = `${one.code} ${one.section}`;
          if (!moves.has(key)) moves.set(key, one);
        }
        return;
      }
      if (!sums.has(edition)) {
        const sum = reserveDiagnostic(charter, prompt, tokenizer);
        if (sum) sums.set(edition, sum);
      }
    },
    diagnostics: (tools, isWhole) => [
      ...tightDiagnostics(tight),
      ...[...sums].flatMap(([edition, sum]) => (tight.has(edition) ? [] : [sum])),
      ...moves.values(),
      ...repeated.values(),
      ...sharedDiagnostics(charter),
      ...unsaidDiagnostics([...(tools.unsaid ?? [])]),
      ...toolDiagnostics(charter, tools),
      ...neverShown(charter, { shown, fitting, omitted, isWhole }),
      ...repeatedWords(charter),
    ],
  };
}

/** Finds stable sections that read otherwise where only the time does: the cache is missed each time they change. */
function movesBetween(prompt: Prompt, later: Prompt, turn: string): LintDiagnostic[] {
  return stableDifferences(prompt, later).map(({ name, words, others }) => {
    const [line, changed] = firstDifference(words, others);
    return {
      code: "stable-moves",
      severity: "error",
      section: name,
      message: `“${name}” is stable and changes with the time: “${line}” becomes “${changed}” (${turn}).`,
      hint: 'Declare it `stability: "state"`, which is a message of its own; or leave the time out. As it is, each new session begins with another prefix.',
    };
  });
}

/** Finds stable sections that are one text for all by their declaration, and read otherwise for another user, channel or zone. */
function personalIn(charter: Charter, { name: turn, prompt, elsewhere, otherChannel }: MadeTwice): LintDiagnostic[] {
  // What could not be read is no other text.
  const unread = new Set(
    [prompt, elsewhere].flatMap(({ omitted }) =>
      omitted.flatMap(({ name, reason }) => (reason === "unavailable" ? [name] : [])),
    ),
  );
  const byChannel = new Map(
    otherChannel ? stableDifferences(prompt, otherChannel).map(({ name, others }) => [name, others]) : [],
  );
  return stableDifferences(prompt, elsewhere).flatMap(({ name, words, others }): LintDiagnostic[] => {
    if (unread.has(name) || !everybodysSections(charter).has(name)) return [];
    const isByChannel = byChannel.get(name) === others;
    const [line, changed] = firstDifference(words, others);
    return [
      {
        code: "user-in-prefix",
        // A session has one channel, and there are few.
        severity: isByChannel ? "note" : "warning",
        section: name,
        message: `“${name}” is stable, in the prefix of all users, and is other text ${isByChannel ? "on another channel" : "for another user, channel or zone"}, from byte ${commonBytes(words, others)} on: “${line}” becomes “${changed}” (${turn}).`,
        hint: 'Declare it `stability: "state"`, which is a message of its own; or leave it, if no two of them are to share a prefix in the cache.',
      },
    ];
  });
}

type MadeTwice = LintedTurn & { readonly prompt: Prompt; readonly elsewhere: Prompt };

function sharedDiagnostics(charter: Charter): LintDiagnostic[] {
  const { waiting, open } = sharedSections(charter);
  return [...open, ...waiting].map((section, index) => {
    const waits = index >= open.length;
    return {
      code: "shared-text",
      severity: waits ? "note" : "warning",
      section,
      message: sharedSentence([section], waits),
      hint: `Where each user is to have a text of their own, say scope: "user"${waits ? "" : '; or leave approvedBy: "nobody" out'}.`,
    };
  });
}

/** Tells of tools that do not say what they bring or do: they are safe, and may ask more often than is meant. */
function unsaidDiagnostics(unsaid: readonly string[]): LintDiagnostic[] {
  if (unsaid.length === 0) return [];
  return [
    {
      code: "tool-unsaid",
      severity: "note",
      message: `Of ${listed(unsaid)} it is not said what they bring and do: it is foreign, and while foreign text is in a session their calls wait.`,
      hint: "Say trusted, reads or harmless where it is so.",
    },
  ];
}

/** Finds stable sections that read otherwise in two prompts; of one that is in one alone the other text is empty. */
function stableDifferences(prompt: Prompt, another: Prompt) {
  const before = new Map(sectionTexts(prompt).map((section) => [section.name, section]));
  const after = new Map(sectionTexts(another).map((section) => [section.name, section]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    // The white space after a section belongs to whatever follows it.
    const [words, others] = [one?.text.trimEnd() ?? "", other?.text.trimEnd() ?? ""];
    return (one ?? other)?.stability !== "stable" || words === others ? [] : [{ name, words, others }];
  });
}

function firstDifference(words: string, others: string): [string, string] {
  const [lines, otherLines] = [words.split("\n"), others.split("\n")];
  const at = lines.findIndex((line, index) => line !== otherLines[index]);
  return at === -1 ? ["", shortened(otherLines[lines.length])] : [shortened(lines[at]), shortened(otherLines[at])];
}

function shortened(line = ""): string {
  return preview(line, 100);
}

type TightTurns = ReadonlyMap<Edition, { readonly problem: Problem; readonly turn: string; readonly count: number }>;

/** Tells of turns whose prompt no limit holds, once if it is the same in both editions. */
function tightDiagnostics(tight: TightTurns): LintDiagnostic[] {
  const [full, compact] = [tight.get("full"), tight.get("compact")];
  const isSame = full !== undefined && full.problem.message === compact?.problem.message;
  return [...tight].flatMap(([edition, { problem, turn, count }]): LintDiagnostic[] => {
    if (isSame && edition === "compact") return [];
    const more = count > 1 ? ` and ${counted(count - 1, "more case")}` : "";
    const what = isSame ? "no prompt" : `no prompt in the ${edition} edition`;
    const message = `There is ${what} for ${turn}${more}: ${problem.message}`;
    return [{ code: "limit-too-small", severity: "error", message, hint: problem.hint }];
  });
}

/** Finds a limit that cannot hold what is fixed together with what is reserved: a full state would leave no prompt. */
function reserveDiagnostic(charter: Charter, prompt: Prompt, tokenizer: Tokenizer): LintDiagnostic | undefined {
  const bounds = boundsOf(charter, { edition: prompt.edition });
  const sections = charter.layers.flatMap((layer) => [...layer.sections, ...(layer.fallback ?? [])]);
  const reserved = (measure: "chars" | "tokens") =>
    sections.reduce((sum, { reserve }) => sum + (reserve?.[measure] ?? 0), 0);
  const fixed = sectionTexts(prompt, tokenizer).filter(({ mutability }) => mutability === "fixed");
  for (const [measure, unit] of [
    ["tokens", "tokens"],
    ["chars", "characters"],
  ] as const) {
    const most = bounds[measure];
    if (most === undefined) continue;
    const needed = fixed.reduce(
      (sum, { text, tokens }) => sum + (measure === "tokens" ? (tokens ?? 0) : [...text].length),
      0,
    );
    if (needed + reserved(measure) <= most) continue;
    return {
      code: "limit-too-small",
      severity: "error",
      message: `The limit of ${most} ${unit} (${prompt.edition}) cannot hold what is fixed, ${needed}, and what is reserved, ${reserved(measure)}.`,
      hint: "Raise the limit, lower a reserve, or shorten a fixed section.",
    };
  }
  return undefined;
}

/** Texts that a charter itself says in a section, without those of its sources. */
function ownTexts({ lead, words, short, original, fallback, closing }: Section): string[] {
  return [lead, words, short, original, fallback, closing].filter((text) => text !== undefined);
}

/**
 * Finds tools that the charter's words name and that are not offered. A tool that exists elsewhere is one for certain; any other
 * name is taken for a tool's if it is code, written as tools' names are, in a sentence about using it.
 */
function toolDiagnostics(charter: Charter, { offered, elsewhere = [] }: LintTools): LintDiagnostic[] {
  const there = new Set(offered);
  const gone = new Set([...elsewhere].filter((name) => !there.has(name)));
  return allSections(charter).flatMap(({ section }) => {
    const named = new Map<string, LintDiagnostic["severity"]>();
    for (const text of ownTexts(section)) {
      for (const [, name = ""] of text.matchAll(/`([A-Za-z_][\w.:/-]*)(?:\([^`\n]*\))?`/g)) {
        if (gone.has(name)) named.set(name, "error");
        else if (!there.has(name) && !named.has(name) && isToolLike(name, text)) named.set(name, "warning");
      }
      for (const [name] of text.matchAll(/\b[A-Za-z]\w*_\w+\b/g)) if (gone.has(name)) named.set(name, "error");
    }
    return [...named].map(
      ([name, severity]): LintDiagnostic => ({
        code: "tool-not-offered",
        severity,
        section: section.name,
        message: `“${section.name}” names the tool ${name}, which is not offered${there.size > 0 ? `; those offered are ${listed(there)}` : ""}.`,
        hint: "Offer it, or take it out of the words: a model calls what it reads of.",
      }),
    );
  });
}

function isToolLike(name: string, text: string): boolean {
  if (!/^[a-z]+(?:_[a-z0-9]+)+$/.test(name)) return false;
  const escaped = name.replace(/[.]/g, "\\.");
  return new RegExp(
    `\\b(?:tools?|calls?|calling|uses?|using|invoke)\\b[^.\n]{0,60}\`${escaped}[\`(]|\`${escaped}[^\`]*\` tool`,
    "i",
  ).test(text);
}

type ShownSections = {
  readonly shown: ReadonlySet<string>;
  readonly fitting: ReadonlySet<string>;
  readonly omitted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly isWhole: boolean;
};

/** Finds sections that no prompt shows, whatever its edition is. */
function neverShown(charter: Charter, { shown, fitting, omitted, isWhole }: ShownSections): LintDiagnostic[] {
  return allSections(charter).flatMap(({ section, layer, fallback }): LintDiagnostic[] => {
    const { name } = section;
    if (shown.has(name)) return [];
    const finding = (severity: LintDiagnostic["severity"], message: string, hint: string): LintDiagnostic[] => [
      { code: "never-shown", severity, section: name, message, hint },
    ];
    const full = fallback
      ? layer.sections.find((one) => one.words !== undefined || one.fallback !== undefined)
      : undefined;
    if (full)
      return finding(
        "error",
        `No prompt shows “${name}”: it is the fallback of layer “${layer.name}”, whose section “${full.name}” is never empty.`,
        "Take it out, or let the other be empty.",
      );
    if (section.sources?.length === 0 && section.words === undefined && section.fallback === undefined)
      return finding(
        "error",
        `No prompt shows “${name}”: it has neither words nor a source.`,
        "Give it a source, or take it out.",
      );
    const reasons = omitted.get(name) ?? new Set();
    if (reasons.has("gave-way"))
      return finding(
        "error",
        `No prompt shows “${name}”: it is trimmed away each time.`,
        "Raise the limit, or let something else be trimmed first.",
      );
    // The limit leaves no prompt at all, which is told already.
    if (fitting.has(name)) return [];
    const isAmendable = typeof sectionMutability(section, layer) === "object";
    // An amendable section without an original waits for its first amendment.
    if (!isWhole || fallback || (isAmendable && section.sources === undefined)) return [];
    const why = reasons.has("unavailable") ? "its source could not be read" : "it was empty each time";
    return finding("warning", `No case shows “${name}”: ${why}.`, "Add a case whose facts fill it, or take it out.");
  });
}

/** Number of words from which on a sentence that stands twice is told. */
const leastWords = 6;

/** Finds sentences that a charter says twice: both are paid for in every request, and sooner or later only one is changed. */
function repeatedWords(charter: Charter): LintDiagnostic[] {
  const first = new Map<string, string>();
  const diagnostics = new Map<string, LintDiagnostic>();
  for (const { section, fallback } of allSections(charter)) {
    if (fallback) continue;
    for (const sentence of [section.words, section.original].flatMap((text) => sentencesOf(text ?? ""))) {
      const words = sentence.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? [];
      if (words.length < leastWords) continue;
      const key = words.join(" ");
      const where = first.get(key);
      if (where === undefined) first.set(key, section.name);
      else if (!diagnostics.has(key))
        diagnostics.set(key, {
          code: "repeated-words",
          severity: "warning",
          section: section.name,
          message: `“${section.name}” repeats ${where === section.name ? "itself" : `“${where}”`}: “${preview(sentence, 100)}”`,
          hint: "Say it once, where it weighs most.",
        });
    }
  }
  return [...diagnostics.values()];
}

function sentencesOf(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => line.replace(/^[\s>*+#-]+|^\s*\d+[.)]\s+/, "").split(/(?<=[.!?])\s+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
