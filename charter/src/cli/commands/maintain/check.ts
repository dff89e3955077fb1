import { withTimeout } from "../../../agent/limits.ts";
import { factsOf } from "../../../charters/facts.ts";
import { loadReceiverTokenizer, receiverFacts } from "../../../delivery/receiver.ts";
import { builtInCalled, builtInNames } from "../../../host/built-in.ts";
import { type CheckCase, maxCaseCharacters, readCase } from "../../../host/check/case-file.ts";
import {
  type CheckDiagnostic,
  type CheckedCharter,
  type CheckTools,
  checkCharter,
} from "../../../host/check/check-charter.ts";
import {
  folderOf,
  type HostCharters,
  isCharterFile,
  isCharterPath,
  isFoundByName,
  type LoadedCharter,
  loadCharter,
  readLock,
} from "../../../host/load.ts";
import { ownAddresses } from "../../../host/named-source.ts";
import type { CheckAnswer, CheckInput } from "../../../operations/here/check.ts";
import { checkLines, checkMarkdown } from "../../../operations/here/check-report.ts";
import { progressOn } from "../../../operations/print/columns.ts";
import type { ReadingTimeout } from "../../../prompt/gather.ts";
import type { Lock } from "../../../prompt/lock.ts";
import { listed, Problem, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import { unavailable } from "../../../prompt/reading.ts";
import { disk } from "../../../sources/disk/disk.ts";
import { readText } from "../../../sources/input-file.ts";
import { namedDigests } from "../../../sources/trust/digests.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { createHere, isUntrusted } from "../../shared/trust/here.ts";
import { checkLocked } from "../../shared/trust/trusted-database.ts";
import { usualModel } from "../../shared/trusted-settings.ts";
import { type BaseTree, withBase } from "./base.ts";
import { pinnedElsewhere, portable } from "./lock.ts";

const { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { join, relative } = process.getBuiltinModule("node:path");
const { randomUUID } = process.getBuiltinModule("node:crypto");

/** Checks the project's charters, prints what was found, and writes golden texts if that was asked for. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const values = input as CheckInput;
  if (values.markdown && json)
    throw new Problem("usage", "Both --json and --markdown were given.", "Give one of them.");
  const answer =
    values.base === undefined
      ? await checkHere(values, undefined)
      : await withBase(values.base, (base) => checkHere(values, base));
  if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else if (values.markdown) process.stdout.write(checkMarkdown(answer));
  else process.stdout.write(`${checkLines(answer, process.stdout).join("\n")}\n`);
  return answer.unchecked > 0 ? 2 : answer.fine ? 0 : 1;
}

/** Lists what is wrong with the charters of the lock themselves, without their cases, and apart from what the lock says. */
export async function lintLocked(): Promise<CheckAnswer["diagnostics"]> {
  const { diagnostics } = await checkHere({ path: [] }, undefined);
  return diagnostics.filter(({ severity, code }) => severity === "error" && code !== "lock-mismatch");
}

/** In the order in which they are told. */
const severities = ["error", "warning", "note"];

/** A charter of the project: where it was loaded from, and by which name. */
type ProjectCharter = {
  readonly name: string;
  readonly file: string | null;
  readonly given: LoadedCharter["given"];
};

async function checkHere(values: Partial<CheckInput>, base: BaseTree | undefined): Promise<CheckAnswer> {
  const lockPath = values.lock ?? "charter.lock";
  const lock = existsSync(lockPath) ? readLock(lockPath) : undefined;
  const named = values.charter ?? [];
  const charters = await projectCharters(lock, named);
  const { cases, faults, count } = readCases(values.path);
  const model = await modelFor(values.model);
  // Settings that are not trusted are not read, and then no source of theirs is.
  const addresses = ownAddresses((await createHere().sources().catch(isUntrusted)) ?? {});
  const diagnostics: CheckDiagnostic[] = [...faults, ...addresses];
  const byCharter = await assign(cases, charters, diagnostics);
  const progress = progressOn();
  const tools: Omit<CheckTools, "progress"> = {
    ...{ tokenizer: model.tokenizer, sha256, lock, atTime, update: values.update === true },
    otherUser: values.otherUser ?? true,
    wait: limitedWait(values.timeLimit ?? 60),
    tools: await readyMadeTools(),
    maxIncrease: values.maxIncrease ?? 10,
  };
  const baseLock = base ? readBaseLock(base, lockPath, diagnostics) : undefined;
  const reports: CheckAnswer["charters"][number][] = [];
  const updated: string[] = [];
  let done = 0;
  for (const [charter, own] of byCharter) {
    const there = base ? await atBase(charter, { base, lock: baseLock, named }) : undefined;
    const total = cases.length;
    const say = (index: number) => progress.say(`case ${done + index} of ${total}`);
    const checked: CheckedCharter = {
      file: charter.file,
      given: charter.given,
      cases: own,
      ...(there ? { base: there } : {}),
    };
    const { diagnostics: found, updates, ...report } = await checkCharter(checked, { ...tools, progress: say });
    done += own.length;
    diagnostics.push(...found.map(withLine));
    for (const { path, text } of updates) {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
      updated.push(path);
    }
    reports.push(report);
  }
  progress.end();
  const sorted = diagnostics.toSorted(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  );
  return {
    fine: sorted.every(({ severity }) => severity !== "error"),
    unchecked: sorted.filter(({ code }) => code === "bad-case").length,
    cases: count,
    base: base ? { name: base.name, commit: base.commit } : null,
    model: {
      name: model.name,
      tokenizer: model.tokenizer.name,
      exact: model.tokenizer.exact,
      inputPrice: model.inputPrice,
    },
    charters: reports,
    diagnostics: sorted,
    updated,
  };
}

/** Finds the charters to check: those named now; else those of the lock; else all that the configuration has. */
async function projectCharters(lock: Lock | undefined, named: readonly string[]): Promise<ProjectCharter[]> {
  const paths = named.length > 0 ? named.filter(isCharterPath).map(portable) : Object.values(lock?.files ?? {});
  if (named.length === 0) for (const path of paths) await checkLocked(path);
  const found = await Promise.all(paths.map((path) => project(path, path)));
  const names = named.filter((name) => !isCharterPath(name));
  const pinned = named.length > 0 ? [] : pinnedElsewhere(lock);
  const isAll = named.length === 0 && paths.length + pinned.length === 0;
  const configured =
    names.some((name) => !isFoundByName(name)) || pinned.length > 0 || isAll
      ? ((await createHere().setting("charters")) ?? {})
      : {};
  for (const name of new Set([...names, ...(names.length > 0 ? [] : Object.keys(configured))])) {
    const folder = folderOf(name, configured);
    const one = await project(name, folder === undefined ? null : portable(folder), configured);
    if (isAll || names.includes(name) || pinned.includes(one.name)) found.push(one);
  }
  if (found.length > 0) return found;
  throw new Problem(
    "usage",
    "There is no charter of this project to check.",
    "Name one: charter check --charter ./agent.ts; once it is locked (charter lock --charter ./agent.ts), it is found without.",
  );
}

async function project(asked: string, file: string | null, charters: HostCharters = {}): Promise<ProjectCharter> {
  const { given } = await loadCharter(asked, { charters, anew: true, sources: createHere().sources });
  const { charter } = await given(factsOf({}), () => new Date(0));
  return { name: charter.name, file, given };
}

/** Gives each case to its charter. One that names a ready-made charter is checked with that. */
async function assign(
  cases: readonly FoundCase[],
  charters: readonly ProjectCharter[],
  diagnostics: CheckDiagnostic[],
): Promise<Map<ProjectCharter, FoundCase[]>> {
  const byCharter = new Map(charters.map((charter) => [charter, [] as FoundCase[]]));
  const wrong = (one: FoundCase, message: string) =>
    diagnostics.push({
      severity: "error",
      code: "bad-case",
      file: one.file,
      line: one.lineOf(["charter"]),
      message,
      hint: `Name one: ${listed([...byCharter.keys()].map(({ name }) => name))}.`,
    });
  for (const one of cases) {
    const { charter: name } = one;
    const known = [...byCharter.keys()];
    let charter =
      name === undefined && charters.length === 1 ? charters[0] : known.find((charter) => charter.name === name);
    if (charter === undefined && name !== undefined && builtInCalled(name)) {
      charter = await project(name, null);
      byCharter.set(charter, []);
    }
    if (charter) byCharter.get(charter)?.push(one);
    else if (name === undefined) wrong(one, "It does not say which charter it is about.");
    else wrong(one, `It is about “${name.slice(0, 60)}”, which is not among the charters that are checked.`);
  }
  return byCharter;
}

type FoundCase = CheckCase & { readonly golden: CheckedCharter["cases"][number]["golden"] };

/** Most cases of one check. */
const maxCases = 10_000;

/** Reads every case. All faults of all files come back at once. */
function readCases(paths: readonly string[] = existsSync("cases") ? ["cases"] : []) {
  const faults: CheckDiagnostic[] = [];
  const wrong = (file: string, message: string, hint: string, line = 1) =>
    faults.push({ severity: "error", code: "bad-case", file, line, message, hint });
  const files = [...new Set(paths.flatMap((path) => caseFilesIn(path)))];
  if (files.length > maxCases)
    throw new Problem(
      "usage",
      `There are more than ${maxCases} cases.`,
      "Check them in several runs: charter check cases/a.",
    );
  const cases = files.flatMap((file): FoundCase[] => {
    try {
      const state = lstatSync(file);
      if (!state.isFile())
        throw new Problem("unreadable", "It is no plain file.", "Put the case itself there; links are not followed.");
      if (state.size > 4 * maxCaseCharacters)
        throw new Problem("unreadable", "It is too long for a case.", "Make several cases of it.");
      const read = readCase(file, readText(file, "case").replaceAll("\r\n", "\n"));
      if ("faults" in read) {
        for (const { line, message, hint } of read.faults) wrong(file, message, hint, line);
        return [];
      }
      return [{ ...read.found, golden: read.found.hasGolden ? goldenOf(file) : null }];
    } catch (error) {
      rethrowUnlessProblem(error);
      wrong(file, error.message, error.hint);
      return [];
    }
  });
  return { cases, faults, count: files.length };
}

function caseFilesIn(path: string): string[] {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) throw new Problem("no-such-file", `There is no case at ${path}.`, "Check the path.");
  if (!state.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => /\.ya?ml$/.test(entry.name) && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll("\\", "/"))
    .sort();
}

/** Reads the golden text beside a case. A link is refused, since it would be written through. */
function goldenOf(file: string) {
  const path = file.replace(/\.ya?ml$/, ".md");
  if (path === file)
    throw new Problem("unreadable", "It does not end in .yaml, so there is no name for its golden text.", "Rename it.");
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state !== undefined && !state.isFile())
    throw new Problem("unreadable", `${path} is no plain file.`, "Put the golden text itself there.");
  return { path, text: state === undefined ? null : readText(path, "golden text") };
}

/** Finds where a section is declared: its file in a folder, the line of its quoted name in code; else the charter's path alone. */
function withLine(one: CheckDiagnostic): CheckDiagnostic {
  const { file, section, line } = one;
  if (file === undefined || section === undefined || line !== undefined) return one;
  if (!isCharterFile(file)) {
    const own = `${file}/${section}.md`;
    return existsSync(own) ? { ...one, file: own } : one;
  }
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((text) =>
    ["'", '"', "`"].some((quote) => text.includes(`name: ${quote}${section}${quote}`)),
  );
  return at === -1 ? one : { ...one, line: at + 1 };
}

type AtBase = { readonly base: BaseTree; readonly lock: Lock | undefined; readonly named: readonly string[] };

/**
 * Finds a charter at the base. A folder is data. Code runs only if its file was named now, together with the commit; of any other
 * the fixed text is compared, which the base's lock shows.
 */
async function atBase(
  { name, file }: ProjectCharter,
  { base, lock, named }: AtBase,
): Promise<NonNullable<CheckedCharter["base"]>> {
  const locked = lock && Object.hasOwn(lock.charters, name) ? lock.charters[name] : undefined;
  const trouble = (message: string, hint: string) => ({
    locked,
    trouble: { severity: "warning" as const, code: "not-compared" as const, message, hint },
  });
  if (file === null)
    return builtInCalled(name)
      ? {}
      : trouble(
          "Its words and tokens at the base are not known: the base's charter.config.ts is code, and is not run.",
          "Give the charter a file of its own, and name it with --charter.",
        );
  const path = join(base.directory, file);
  if (!existsSync(path)) return trouble(`There is no ${file} at the base.`, "It is new, or was moved.");
  if (isCharterFile(file) && !named.map(portable).includes(file)) {
    if (digestsOf(base.directory, file) === digestsOf(".", file)) return { locked };
    return trouble(
      `Its tokens are not compared: ${file} is other code at the base, and was not named.`,
      `Name it: --charter ${file}.`,
    );
  }
  try {
    return { given: (await project(path, file)).given, locked };
  } catch (error) {
    rethrowUnlessProblem(error);
    return trouble(
      `At the base it cannot be loaded: ${error.message.replaceAll(`${base.directory}/`, "")}`,
      error.hint,
    );
  }
}

/** Digests of a charter's file and those it names, by their paths from the root; of too many, none is like another. */
function digestsOf(root: string, file: string): string {
  const digests = namedDigests(join(realpathSync(root), file), disk);
  if ("tooBig" in digests) return randomUUID();
  return JSON.stringify([...digests].map(([path, digest]) => [relative(realpathSync(root), path), digest]).sort());
}

function readBaseLock({ directory }: BaseTree, path: string, diagnostics: CheckDiagnostic[]): Lock | undefined {
  const file = join(directory, path);
  if (!existsSync(file)) return undefined;
  try {
    return readLock(file);
  } catch (error) {
    rethrowUnlessProblem(error);
    diagnostics.push({
      severity: "warning",
      code: "not-compared",
      file: path,
      message: "At the base it is damaged, or of another version.",
      hint: "The words are not compared with it.",
    });
    return undefined;
  }
}

/** The model whose tokens and prices count; without one that has a price, tokens are counted all the same. */
async function modelFor(named: string | undefined) {
  const name = named ?? (await usualModel(createHere()));
  const { price, tokenizer } = receiverFacts(name);
  if (price === null || price.input === 0)
    return {
      name: named ?? null,
      tokenizer: await loadReceiverTokenizer({ name: "o200k_base", exact: true }),
      inputPrice: null,
    };
  return { name, tokenizer: await loadReceiverTokenizer(tokenizer), inputPrice: price.input };
}

/** Names of the tools of the ready-made charters: words that name one of them mean a tool. */
async function readyMadeTools(): Promise<string[]> {
  const names = await Promise.all(
    builtInNames.map(async (name) => {
      const { given } = await loadCharter(name);
      const tools = (await (await given(factsOf({}), () => new Date(0))).tools?.({})) ?? [];
      return tools.map((tool) => tool.name);
    }),
  );
  return [...new Set(names.flat())];
}

/** Waits for slow sources, for so many seconds in all of the check: a thousand cases of a source that hangs take no longer. */
function limitedWait(seconds: number): ReadingTimeout {
  let left = seconds * 1000;
  return async (reading) => {
    const began = performance.now();
    const late = () => unavailable("the time that sources have in a check is over (--time-limit)");
    const result = left <= 0 ? late() : await withTimeout(left, reading, late);
    left -= performance.now() - began;
    return result;
  };
}

/** Does the work while `Date` shows a time: what asks for the time itself, and not the turn, is found out too. */
async function atTime<Result>(now: Date, work: () => Promise<Result>): Promise<Result> {
  const Real = globalThis.Date;
  const shift = now.getTime() - Real.now();
  const time = () => Real.now() + shift;
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [time()] : given, made),
    apply: () => new Real(time()).toString(),
    get: (target, name) => (name === "now" ? time : Reflect.get(target, name)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = Real;
  }
}
