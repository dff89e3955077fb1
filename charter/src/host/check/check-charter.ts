import { linesOf } from "../../agent/toolset.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import { assemble, type Room } from "../../prompt/assemble.ts";
import type { Charter } from "../../prompt/charter.ts";
import { unified } from "../../prompt/diff.ts";
import { type Check, promptChecks } from "../../prompt/expectation.ts";
import { gather, type ReadingTimeout } from "../../prompt/gather.ts";
import { createLint, type LintCode, type LintDiagnostic, type LintedTurn } from "../../prompt/lint.ts";
import { fixedTexts, type Lock, type LockedCharter, lockDifferences } from "../../prompt/lock.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Prompt, Sha256 } from "../../prompt/prompt.ts";
import type { Readings } from "../../prompt/reading.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { LoadedCharter } from "../load.ts";
import type { CheckCase } from "./case-file.ts";

/**
 * A charter checked: its lint, its cases, its fixed text against the lock, and, where there is a base, what changed since.
 *
 * Nothing here reads a file or a clock. A case that says no time has a fixed one, so that a check says tomorrow what it says
 * today, and each turn is made a second time, later, to find what moves with the time alone.
 */
export type CheckedCharter = {
  /** File or folder it was loaded from; null for one of a configuration. */
  readonly file: string | null;
  readonly given: LoadedCharter["given"];
  readonly cases: readonly (CheckCase & { readonly golden: GoldenFile | null })[];
  /** The same charter at the base; the fixed text that the base's lock has of it; what could not be read there. */
  readonly base?: {
    readonly given?: LoadedCharter["given"] | undefined;
    readonly locked?: LockedCharter | undefined;
    readonly trouble?: CheckDiagnostic | undefined;
  };
};

/** The file with a case's golden text: null where there is none yet. */
type GoldenFile = { readonly path: string; readonly text: string | null };

/** What all charters are checked with. */
export type CheckTools = {
  readonly tokenizer: Tokenizer;
  readonly sha256: Sha256;
  readonly lock?: Lock | undefined;
  /** Names of tools that exist elsewhere. */
  readonly tools: Iterable<string>;
  /** Limits how long sources are waited for. */
  readonly wait: ReadingTimeout;
  /** Runs work while every clock that it asks shows this time. */
  readonly atTime: <Result>(now: Date, work: () => Promise<Result>) => Promise<Result>;
  /** How much more a prompt may cost than at the base, in percent. */
  readonly maxIncrease: number;
  /** Says that each turn is made for another user, channel and zone as well, to find what differs by them. */
  readonly otherUser: boolean;
  /** Says that golden texts are written anew. */
  readonly update: boolean;
  readonly progress: (casesDone: number) => void;
};

export type CheckDiagnostic = {
  readonly severity: LintDiagnostic["severity"];
  readonly code:
    | LintCode
    | "case-failed"
    | "bad-case"
    | "lock-mismatch"
    | "words-changed"
    | "price-up"
    | "own-address"
    | "not-compared";
  readonly charter?: string;
  readonly section?: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  readonly hint: string;
};

/** Tokens of a section in the average of the cases, and at the base: null where it is not in the prompts there. */
type SectionTokens = { readonly name: string; readonly tokens: number | null; readonly before?: number | null };

type CharterReport = {
  readonly charter: string;
  readonly file: string | null;
  readonly cases: number;
  readonly tokens: number;
  readonly before?: number;
  readonly sections: readonly SectionTokens[];
  /** Fixed sections whose words are not those of the base, or else of the lock, as a unified diff. */
  readonly words: readonly {
    readonly section: string;
    readonly what: "changed" | "added" | "removed";
    readonly diff: string;
  }[];
  readonly diagnostics: readonly CheckDiagnostic[];
  /** Golden texts to write. */
  readonly updates: readonly { readonly path: string; readonly text: string }[];
};

/** The time of a turn whose facts have none, and a time that differs from it in year, month, day, weekday, hour and minute. */
const usualNow = "2026-01-01T12:00:00.000Z";
const laterMs = 400 * 86_400_000 + 3_661_000;

/** Checks one charter. What is wrong with its cases is in the report; only a charter that cannot be declared throws. */
export async function checkCharter(checked: CheckedCharter, tools: CheckTools): Promise<CharterReport> {
  const { cases, file, base } = checked;
  const turns: readonly CheckCase[] = cases.length > 0 ? cases : [emptyTurn];
  const diagnostics: CheckDiagnostic[] = [];
  const updates: { path: string; text: string }[] = [];
  const [now, before] = [createCount(), createCount()];
  const [offered, unsaid] = [new Set<string>(), new Set<string>()];
  const baseTools = new Set<string>();
  const seen = await declareTurn(checked.given, turns[0] as CheckCase, tools).catch(() =>
    declareTurn(checked.given, emptyTurn, tools),
  );
  const { charter } = seen;
  const lint = createLint(charter, tools.tokenizer);
  let baseCharter: Charter | undefined;
  let baseProblem: Problem | undefined;
  for (const [index, one] of turns.entries()) {
    const isReal = one !== emptyTurn;
    const result = await runCase(checked.given, one, tools);
    if ("problem" in result) diagnostics.push(badFacts(one, result.problem));
    else {
      for (const name of result.offered) offered.add(name);
      for (const name of result.unsaid) unsaid.add(name);
      for (const linted of result.linted) lint.see(linted);
      const { prompt, whole } = result;
      now.add(prompt instanceof Problem ? whole : prompt, tools.tokenizer);
      if (!(prompt instanceof Problem)) {
        if (isReal) diagnostics.push(...judge(one as CheckedCharter["cases"][number], prompt, { ...tools, updates }));
      } else if (result.linted.every((linted) => !(linted.prompt instanceof Problem)))
        // A limit of the charter itself is a finding of the lint.
        diagnostics.push(caseFailed(one, ["room"], prompt.message, prompt.hint));
    }
    if (base?.given) {
      const past = await runBase(base.given, one, tools);
      if (past instanceof Problem) baseProblem ??= past;
      else {
        baseCharter = past.charter;
        for (const name of past.offered) baseTools.add(name);
        before.add(past.prompt, tools.tokenizer);
      }
    }
    tools.progress(index + 1);
  }
  diagnostics.push(
    ...lint.diagnostics({ offered, unsaid, elsewhere: [...tools.tools, ...baseTools] }, cases.length > 0),
  );
  const words = changedWords(charter, {
    lock: tools.lock,
    base: baseCharter ? fixedTexts(baseCharter) : textsOf(base?.locked),
    hasBase: base !== undefined,
  });
  diagnostics.push(...lockDiagnostics(charter, words, tools, base !== undefined));
  if (base?.trouble) diagnostics.push(base.trouble);
  if (baseProblem)
    diagnostics.push(notCompared(`At the base its prompt cannot be made: ${baseProblem.message}`, baseProblem.hint));
  const total = now.average();
  const totalBefore = before.average();
  const isCompared = before.count() > 0 && now.count() > 0;
  if (isCompared) diagnostics.push(...priceUp(total.all, totalBefore.all, tools));
  const names = orderedNames(total.sections, totalBefore.sections);
  return {
    charter: charter.name,
    file,
    cases: cases.length,
    tokens: total.all,
    ...(isCompared ? { before: totalBefore.all } : {}),
    sections: names.map((name) => ({
      name,
      tokens: total.sections.get(name) ?? null,
      ...(isCompared ? { before: totalBefore.sections.get(name) ?? null } : {}),
    })),
    words,
    diagnostics: diagnostics.map((one) => ({ charter: charter.name, ...(file === null ? {} : { file }), ...one })),
    updates,
  };
}

const emptyTurn: CheckCase = {
  file: "",
  charter: undefined,
  facts: {},
  room: {},
  expectations: [],
  hasGolden: false,
  lineOf: () => 1,
};

function nameOf({ file }: CheckCase): string {
  return file === "" ? "a turn without facts" : file;
}

type GivenTurn = DeclaredTurn & {
  readonly offered: readonly string[];
  /** Tools of its charter that say nothing of what they bring and do. */
  readonly unsaid: readonly string[];
  readonly readings: Readings;
};

/** Declares and gathers a turn, at its time or later. Tools that the facts do not say are those of the charter. */
async function gatherTurn(
  given: LoadedCharter["given"],
  one: CheckCase,
  { wait, atTime }: CheckTools,
  laterBy = 0,
): Promise<GivenTurn> {
  const at = timeOf(one, laterBy);
  return atTime(at, async () => {
    const declared = await given(factsOf({ ...one.facts, now: at.toISOString() }), () => at);
    const tools = (await declared.tools?.({})) ?? [];
    const own = declared.turn.tools.length > 0 ? declared.turn.tools : linesOf(tools);
    const unsaid = tools.flatMap(({ name, trusted, reads, harmless }) => (trusted || reads || harmless ? [] : [name]));
    const turn = { ...declared.turn, tools: own };
    const readings = await gather(declared.charter, turn, wait);
    const offered = [...own.map(({ name }) => name), ...(declared.toolNames ?? [])];
    return { ...declared, turn, offered, unsaid, readings };
  });
}

/**
 * Makes a turn's prompt for another user, on another channel, in another zone; if it differs, also for the other channel alone.
 * None where they cannot be made.
 */
async function promptsElsewhere(
  whole: Prompt,
  { channel, zone }: CheckCase["facts"],
  make: (facts: CheckCase["facts"]) => Promise<Prompt>,
): Promise<Pick<LintedTurn, "elsewhere" | "otherChannel">> {
  const other = { channel: channel === "telegram" ? "web" : "telegram" };
  const others = { ...other, user: "somebody-else", zone: zone === "Asia/Tokyo" ? "UTC" : "Asia/Tokyo" };
  try {
    const elsewhere = await make(others);
    return elsewhere.text === whole.text ? {} : { elsewhere, otherChannel: await make(other) };
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** Declares a turn without reading its sources. */
async function declareTurn(
  given: LoadedCharter["given"],
  one: CheckCase,
  { atTime }: CheckTools,
): Promise<DeclaredTurn> {
  const at = timeOf(one, 0);
  return atTime(at, () => given(factsOf({ ...one.facts, now: at.toISOString() }), () => at));
}

function timeOf({ facts }: CheckCase, laterBy: number): Date {
  const named = typeof facts.now === "string" ? Date.parse(facts.now) : Number.NaN;
  return new Date((Number.isNaN(named) ? Date.parse(usualNow) : named) + laterBy);
}

type CaseRun = Pick<GivenTurn, "offered" | "unsaid"> & {
  readonly prompt: Prompt | Problem;
  readonly linted: readonly LintedTurn[];
  /** Its prompt as if there were no limit. */
  readonly whole: Prompt;
};

const noLimit = { chars: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER };

/** Makes a case's prompt in its room; and for the lint in both editions, and without a limit at its time and later. */
async function runCase(
  given: LoadedCharter["given"],
  one: CheckCase,
  tools: CheckTools,
): Promise<CaseRun | { readonly problem: Problem }> {
  try {
    // Facts with a time that is none are refused here, by name.
    if (one.facts.now !== undefined) await given(factsOf(one.facts), () => new Date(usualNow));
    const { charter, readings, edition = "full", offered, unsaid } = await gatherTurn(given, one, tools);
    const late = await gatherTurn(given, one, tools, laterMs);
    const { tokenizer } = tools;
    const made = (room: Room) => prompted(() => assemble(charter, readings, { ...room, tokenizer }));
    const prompts = { full: made({ edition: "full" }), compact: made({ edition: "compact" }) };
    const unlimited = (turn: Pick<GivenTurn, "charter" | "readings">) =>
      assemble(turn.charter, turn.readings, { ...noLimit, tokenizer });
    const whole = unlimited({ charter, readings });
    const forOthers = async (facts: CheckCase["facts"]) =>
      unlimited(await gatherTurn(given, { ...one, facts: { ...one.facts, ...facts } }, tools));
    const isUsual = Object.keys(one.room).length === 0;
    const name = nameOf(one);
    return {
      ...{ offered, unsaid },
      prompt: isUsual ? prompts[edition] : made({ ...one.room, edition }),
      linted: [
        { name, edition: "full", prompt: prompts.full },
        { name, edition: "compact", prompt: prompts.compact },
        {
          name,
          edition: "full",
          prompt: whole,
          later: unlimited(late),
          ...(tools.otherUser ? await promptsElsewhere(whole, one.facts, forOthers) : {}),
        },
      ],
      whole: assemble(charter, readings, { ...noLimit, edition, tokenizer }),
    };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

async function runBase(given: LoadedCharter["given"], one: CheckCase, tools: CheckTools) {
  try {
    const { charter, readings, edition = "full", offered } = await gatherTurn(given, one, tools);
    return {
      charter,
      offered,
      prompt: assemble(charter, readings, { ...one.room, edition, tokenizer: tools.tokenizer }),
    };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function prompted(make: () => Prompt): Prompt | Problem {
  try {
    return make();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Finds the line that the facts are wrong in, by the path that the Problem names. */
function badFacts(one: CheckCase, { message, hint }: Problem): CheckDiagnostic {
  const path = /^The fact “([^”]+)”/.exec(message)?.[1];
  const names = path?.split(/[.[\]]+/).filter((name) => name !== "") ?? [];
  const indices = names.map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const place = one.file === "" ? {} : { file: one.file, line: one.lineOf(["facts", ...indices]) };
  return { severity: "error", code: "bad-case", ...place, message, hint };
}

function caseFailed(
  one: CheckCase,
  path: readonly (string | number)[],
  message: string,
  hint: string,
): CheckDiagnostic {
  return { severity: "error", code: "case-failed", file: one.file, line: one.lineOf(path), message, hint };
}

type Judging = CheckTools & { readonly updates: { path: string; text: string }[] };

/** Compares a prompt with what its case expects. */
function judge(
  one: CheckedCharter["cases"][number],
  prompt: Prompt,
  { tokenizer, update, updates }: Judging,
): CheckDiagnostic[] {
  const checks = promptChecks(prompt) as Readonly<Record<string, (...given: readonly unknown[]) => Check>>;
  const failed = one.expectations.flatMap(({ check, given: [first, second], path }): CheckDiagnostic[] => {
    const given =
      check === "within" ? [{ ...(first as object), tokenizer }] : second === undefined ? [first] : [first, second];
    const wrong = checks[check]?.(...given);
    return wrong === undefined
      ? []
      : [caseFailed(one, path, wrong, "Mend the charter, or the case if the change is meant.")];
  });
  const { golden } = one;
  if (golden === null) return failed;
  const text = `${prompt.text}\n`;
  // A checkout may have given the file other line ends.
  const kept = golden.text !== null && !prompt.text.includes("\r") ? golden.text.replaceAll("\r\n", "\n") : golden.text;
  if (kept === text) return failed;
  if (update) {
    updates.push({ path: golden.path, text });
    return failed;
  }
  const accept = "Look at the whole difference with `charter check --update` and `git diff`; commit it if it is meant.";
  if (kept === null)
    return [
      ...failed,
      caseFailed(
        one,
        ["golden"],
        `There is no golden text yet: ${golden.path}.`,
        "Write it with `charter check --update`, and read it.",
      ),
    ];
  const [lines, others] = [kept.split("\n"), text.split("\n")];
  const at = lines.findIndex((line, index) => line !== others[index]);
  const shown = (line: string | undefined) => (line === undefined ? "nothing" : `“${line.slice(0, 100)}”`);
  const message = `The prompt is not its golden text: line ${at + 1} is ${shown(others[at])}, and was ${shown(lines[at])}.`;
  return [...failed, { ...caseFailed(one, ["golden"], message, accept), file: golden.path, line: at + 1 }];
}

/** Sums tokens by section over many prompts. */
function createCount() {
  const sums = new Map<string, number>();
  let all = 0;
  let count = 0;
  return {
    add: (prompt: Prompt, tokenizer: Tokenizer) => {
      const { total, sections } = prompt.tokens(tokenizer);
      for (const [index, { name }] of prompt.sections.entries())
        sums.set(name, (sums.get(name) ?? 0) + (sections[index] ?? 0));
      all += total;
      count++;
    },
    count: () => count,
    average: () => ({
      all: count === 0 ? 0 : Math.round(all / count),
      sections: new Map([...sums].map(([name, sum]) => [name, Math.round(sum / count)])),
    }),
  };
}

/** Lists names in the order of now; those of the base alone stand behind the one they came after. */
function orderedNames(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): string[] {
  const names = [...now.keys()];
  let previous: string | undefined;
  for (const name of before.keys()) {
    if (!now.has(name)) names.splice(previous === undefined ? 0 : names.indexOf(previous) + 1, 0, name);
    previous = name;
  }
  return names;
}

type FixedTexts = ReturnType<typeof fixedTexts>;

/** Returns the fixed text that a lock shows; undefined if it keeps digests alone. */
function textsOf(locked: LockedCharter | undefined): FixedTexts | undefined {
  if (locked === undefined || Object.values(locked).some(({ text }) => text === undefined)) return undefined;
  return Object.fromEntries(
    Object.entries(locked).map(([name, { text = [], shortText }]) => [
      name,
      { words: text.join("\n"), ...(shortText === undefined ? {} : { short: shortText.join("\n") }) },
    ]),
  );
}

type WordsBefore = {
  readonly lock: Lock | undefined;
  readonly base: FixedTexts | undefined;
  readonly hasBase: boolean;
};

/** Compares the fixed text with the base's; without a base, with what the lock shows. */
function changedWords(charter: Charter, { lock, base, hasBase }: WordsBefore): CharterReport["words"] {
  const locked = lock && Object.hasOwn(lock.charters, charter.name) ? lock.charters[charter.name] : undefined;
  const before = hasBase ? base : textsOf(locked);
  if (before === undefined) return [];
  const after = fixedTexts(charter);
  const textOf = (texts: FixedTexts, name: string) => {
    const { words, short } = texts[name] ?? { words: "" };
    return short === undefined ? words : `${words}\n\n(short form)\n${short}`;
  };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((section) => {
    const [one, other] = [textOf(before, section), textOf(after, section)];
    if (one === other) return [];
    const what = !(section in before) ? "added" : !(section in after) ? "removed" : "changed";
    return [{ section, what, diff: unified(one, other, section) }];
  });
}

function lockDiagnostics(
  charter: Charter,
  words: CharterReport["words"],
  { lock, sha256 }: CheckTools,
  hasBase: boolean,
): CheckDiagnostic[] {
  const isLocked = lock !== undefined && Object.hasOwn(lock.charters, charter.name);
  const differences = isLocked ? lockDifferences(lock, charter, sha256) : [];
  const names = new Set(differences.map(({ section }) => section));
  return [
    ...differences.map(
      ({ section, what }): CheckDiagnostic => ({
        severity: "error",
        code: "lock-mismatch",
        section,
        message: `The fixed text of “${section}” was ${what}, and charter.lock does not say so.`,
        hint: "If it is meant, run `charter lock` and commit the file.",
      }),
    ),
    ...words.flatMap(({ section, what }): CheckDiagnostic[] => {
      if (names.has(section) || !hasBase) return [];
      const message = `The fixed text of “${section}” was ${what}${isLocked ? ", and the lock with it" : ""}.`;
      return [
        {
          severity: "warning",
          code: "words-changed",
          section,
          message,
          hint: "Read the difference: nobody can change it while agents run.",
        },
      ];
    }),
  ];
}

function notCompared(message: string, hint: string): CheckDiagnostic {
  return { severity: "warning", code: "not-compared", message, hint };
}

function priceUp(tokens: number, before: number, { maxIncrease }: CheckTools): CheckDiagnostic[] {
  const increase = before === 0 ? 0 : ((tokens - before) / before) * 100;
  if (increase <= maxIncrease) return [];
  return [
    {
      severity: "error",
      code: "price-up",
      message: `The prompt has ${Math.round(increase)} % more tokens than at the base: ${tokens}, and had ${before}. At most ${maxIncrease} % were allowed.`,
      hint: "Shorten what grew, or allow it with --max-increase.",
    },
  ];
}
