// Are the tests worth their name? The product is broken in one place at a time, in a copy; the tests must notice.
// Stryker breaks prompt/ and amend/ wherever it can; for the rest, each mutation is written down in mutations/.

import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutations } from "./mutations/all.ts";
import { type Mutation, mutated, rotten } from "./mutations/mutation.ts";
import { runStryker, strykerFiles } from "./stryker/run.ts";

const help = `Usage: npm run mutate -- [words…] [options]

Breaks one place of the product at a time, in a copy, and says what no test noticed. Stryker breaks charter/src/prompt
and charter/src/amend; the rest has written mutations (scripts/mutations). Words choose files (prompt/fit.ts) and
mutations (by name or file) that hold one of them; without any, all are tried, which takes hours.

  --only <name>   this written mutation, as often as you like
  --written       leave Stryker out
  --named         run only the tests a written mutation names, where it names any
  --jobs <n>      how many at once (2)
  --list          only print what was chosen
  --json          the results of the written mutations as JSON
  --help          print this
`;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The quick tests first: the stories, which start real processes, run only where those notice nothing. */
const quick = ["charter/src", "charter/test/properties", "charter/test/sources"];
const lasting = ["charter/test/store"];
const turns = ["charter/test/agent", "charter/test/delivery"];
const stories = ["charter/test/scenarios"];
const patience = 900_000;

const { values, positionals } = parsed();
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
for (const name of values.only ?? [])
  if (!mutations.some((mutation) => mutation.name === name)) fail(`There is no mutation “${name}”; --list names them.`);
const all = !values.only && positionals.length === 0;
const chosen = mutations.filter(
  (one) => all || values.only?.includes(one.name) || positionals.some((word) => holds(one, word)),
);
const files =
  values.only || values.written
    ? []
    : strykerFiles(root).filter((file) => all || positionals.some((word) => file.includes(word)));
for (const word of positionals)
  if (![...chosen.map(({ name }) => name), ...chosen.map(placeOf), ...files].some((one) => one.includes(word)))
    fail(`No file of prompt/ or amend/ and no mutation has “${word}” in its name; --list prints them.`);
if (values.list) {
  for (const file of files) process.stdout.write(`${"Stryker".padEnd(28)} ${file}\n`);
  for (const one of chosen) process.stdout.write(`${one.name.padEnd(28)} ${placeOf(one)}\n`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "charter-mutate-"));
const running = new Set<ChildProcess>();
const failing = new Map<string, Promise<readonly Failed[]>>();
let reports = 0;
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** What the tests are run on: one moment's copy, so that work going on in the clone does not disturb them. */
const snapshot = join(folder, "snapshot");
cpSync(join(root, "charter"), snapshot, {
  recursive: true,
  filter: (path) => !["node_modules", "dist"].includes(basename(path)),
});
cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
const faults = rotten(snapshot, chosen);
if (faults.length > 0) fail(faults.join("\n"));
const kept = files.length === 0 || (await runStryker(root, all ? [] : files, Number(values.jobs)));
const noticed = chosen.length === 0 || (await judge());
process.exitCode = kept && noticed ? 0 : 1;

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: "string", multiple: true },
        written: { type: "boolean" },
        named: { type: "boolean" },
        jobs: { type: "string", default: "2" },
        list: { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${help}`);
  }
}

function holds(one: Mutation, word: string): boolean {
  return one.name.includes(word) || placeOf(one).includes(word);
}

function placeOf({ file }: Mutation): string {
  return `charter/src/${file}`;
}

type Result = { readonly name: string; readonly killedBy: string | undefined; readonly seconds: number };

async function judge(): Promise<boolean> {
  const results: Result[] = [];
  const waiting = [...chosen];
  const work = async () => {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const result = await tryOne(mutation);
      results.push(result);
      const { name, killedBy, seconds } = result;
      if (!values.json)
        process.stdout.write(`${name.padEnd(28)} ${(killedBy ?? "SURVIVED").padEnd(90)} ${seconds.toFixed(1)} s\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
  const survived = results.filter(({ killedBy }) => killedBy === undefined);
  const failingBefore = (await Promise.all(failing.values())).flat();
  if (values.json) process.stdout.write(`${JSON.stringify({ failingBefore, results }, null, 2)}\n`);
  else process.stdout.write(`\n${results.length - survived.length} of ${results.length} mutations were noticed.\n`);
  return survived.length === 0 && failingBefore.length === 0;
}

/** Tests that fail without any mutation say nothing about one. Each group of tests is tried when it is first needed. */
function failingBefore(tests: readonly string[]): Promise<readonly Failed[]> {
  const key = tests.join(" ");
  const known = failing.get(key);
  if (known) return known;
  const found = runTests(copy("whole"), tests, []).then(({ failed, passed, output }) => {
    if (failed.length > 0) {
      process.stderr.write(`${failed.length} tests fail without any mutation, and are left out:\n`);
      for (const { file, title } of failed) process.stderr.write(`  ${file}: ${title}\n`);
    } else if (!passed) fail(`The tests do not run without any mutation:\n${output.slice(-2000)}`);
    return failed;
  });
  failing.set(key, found);
  return found;
}

async function tryOne(mutation: Mutation): Promise<Result> {
  const place = copy(mutation.name);
  writeFileSync(join(place, "charter", "src", mutation.file), mutated(snapshot, mutation) as string);
  let run: Run = { passed: true, failed: [], output: "" };
  let milliseconds = 0;
  for (const { tests, within } of stagesFor(mutation)) {
    const already = (await failingBefore(within)).map(({ pattern }) => pattern);
    const began = Date.now();
    run = await runTests(place, tests, already);
    milliseconds += Date.now() - began;
    const known = run.failed.find(({ pattern }) => already.includes(pattern));
    if (known) fail(`“${known.title}” fails without any mutation and could not be left out.`);
    if (!run.passed) break;
  }
  rmSync(place, { recursive: true, force: true });
  const { failed, passed, output } = run;
  const [first] = failed;
  const killedBy = first ? `${first.file} (${first.title})`.slice(0, 90) : passed ? undefined : lastWords(output);
  return { name: mutation.name, killedBy, seconds: milliseconds / 1000 };
}

/** What is run for a mutation, one after the other until something notices; `within` is tried without any mutation. */
function stagesFor({ file, noticedBy }: Mutation) {
  const groups = file.startsWith("store/") ? [lasting, turns, stories] : [quick, lasting, turns, stories];
  const stages = groups.map((tests) => ({ tests, within: tests }));
  if (!noticedBy) return stages;
  const within = [...new Set(chosen.flatMap((one) => one.noticedBy ?? []))].map(inClone);
  return [{ tests: noticedBy.map(inClone), within }, ...(values.named ? [] : stages)];
}

function inClone(test: string): string {
  return `charter/${test}`;
}

function lastWords(output: string): string {
  const line = output.split("\n").findLast((words) => /Error|timed out/.test(words));
  return (line ?? "the tests did not end well").trim().slice(0, 90);
}

/**
 * A clone of the house, in which `charter`, the package of that name, and `scripts` are copies: what comes through a link
 * is the clone's own, and so is what it imports.
 */
function copy(name: string): string {
  const place = join(folder, name);
  if (existsSync(place)) return place;
  mkdirSync(join(place, "node_modules"), { recursive: true });
  for (const entry of readdirSync(root))
    if (![".git", "charter", "node_modules", "scripts"].includes(entry))
      symlinkSync(join(root, entry), join(place, entry));
  for (const entry of readdirSync(join(root, "node_modules")))
    if (entry !== "charter" && !entry.startsWith(".vite"))
      symlinkSync(join(root, "node_modules", entry), join(place, "node_modules", entry));
  cpSync(snapshot, join(place, "charter"), { recursive: true });
  cpSync(join(folder, "scripts"), join(place, "scripts"), { recursive: true });
  symlinkSync(join(place, "charter"), join(place, "node_modules", "charter"));
  return place;
}

/** `pattern` is for vitest, which joins a test's name to its groups' in a way of its own. */
type Failed = { readonly file: string; readonly title: string; readonly pattern: string };
type Run = { readonly passed: boolean; readonly failed: readonly Failed[]; readonly output: string };

/** Runs the tests, all but those named; with tests to leave out, or a mutation, the first failure is enough. */
async function runTests(place: string, tests: readonly string[], without: readonly string[]): Promise<Run> {
  const report = join(place, `report-${++reports}.json`);
  const first = basename(place) === "whole" ? [] : ["--bail", "1"];
  const others = without.length === 0 ? [] : ["--testNamePattern", `^(?!.*(?:${without.join("|")})$)`];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [
    vitest,
    "run",
    ...tests,
    ...first,
    ...others,
    "--maxWorkers",
    "1",
    "--reporter",
    "json",
    "--outputFile",
    report,
  ];
  const { code, output } = await spawned([...args], place);
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")).testResults as FileResult[]) : [];
  const failed = results.flatMap((file) => {
    const named = file.assertionResults.filter(({ status }) => status === "failed");
    const path = relative(place, file.name);
    if (named.length > 0)
      return named.map(({ fullName, ancestorTitles, title }) => {
        const pattern = [...ancestorTitles, title].map(literally).join("(?: > | )");
        return { file: path, title: fullName, pattern };
      });
    const unread = file.status === "failed" && file.assertionResults.length === 0;
    return unread ? [{ file: path, title: "does not load", pattern: "does not load" }] : [];
  });
  return { passed: code === 0, failed, output };
}

type FileResult = {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly ancestorTitles: readonly string[];
    readonly title: string;
  }[];
};

/** A text as a pattern that matches it and nothing else. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function spawned(args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    // The long tests are run in place of the others.
    const long = args.some((arg) => arg.endsWith(".long.test.ts")) ? { CHARTER_LONG: "1" } : {};
    const env = { ...process.env, ...long, FUZZ_SEED: process.env.FUZZ_SEED ?? "20260101", NO_COLOR: "1" };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    const late = setTimeout(() => {
      output += `\ntimed out after ${patience / 1000} s`;
      child.kill("SIGKILL");
    }, patience);
    child.on("close", (code) => {
      clearTimeout(late);
      running.delete(child);
      resolve({ code, output });
    });
  });
}

function fail(message: string): never {
  process.stderr.write(`mutate: ${message}\n`);
  process.exit(2);
}
