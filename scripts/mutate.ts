// Are the tests worth their name? Stryker breaks the product in one place at a time, in a copy; a test must notice.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { isSurvivor, type Score, type Scores, scoreOf, survivorLine, writtenScores } from "./stryker/scores.ts";
import { findTarget, isFile, type Target } from "./stryker/target.ts";
import { runUnbroken } from "./stryker/unbroken.ts";

const help = `Usage: npm run mutate -- [folder or file…] [--jobs <n>]

Breaks charter/src/<folder or file> in every way Stryker knows and prints what no fast test near it noticed. A folder's
score is kept in scripts/stryker/scores.json and may not fall; a better one is written there. Without a folder, each that
has a score is tried. What was found out is kept in .stryker: the next run tries what changed. The studio is left out:
its pages are tested in a browser.

  --jobs <n>      how many at once (2)
  --help          print this
`;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scoresFile = join(root, "scripts/stryker/scores.json");
const patienceMs = 600_000;

const { values, positionals } = parsed();
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(readScores());
const targets = names.map((name) => findTarget(root, name) ?? fail(`There is no source file in charter/src/${name}.`));
let holds = true;
for (const target of targets) holds = (await tryTarget(target)) && holds;
process.exit(holds ? 0 : 1);

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { jobs: { type: "string", default: "2" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${help}`);
  }
}

/** Breaks the target. Does its score hold? */
async function tryTarget(target: Target): Promise<boolean> {
  const { passing, failing } = await runUnbroken(root, target, { patienceMs, onHang });
  if (failing.length > 0) say(`These fail with nothing broken, and are left out:\n  ${failing.join("\n  ")}`);
  if (passing.length === 0) return fail(`No fast test near ${target.name} imports it and passes.`);
  process.env.MUTATE_TESTS = JSON.stringify(passing);
  const stryker = new Stryker({
    configFile: join(root, "scripts/stryker/stryker.config.mjs"),
    mutate: [...target.files],
    incrementalFile: `.stryker/${target.name.replaceAll("/", "-")}.json`,
    concurrency: Number(values.jobs),
  });
  const mutants = await stryker
    .runMutationTest()
    .catch(() => fail("Stryker did not come to an end; it says why above."));
  for (const mutant of mutants.filter(isSurvivor)) {
    const file = relative(root, mutant.fileName);
    say(survivorLine(mutant, file, readFileSync(mutant.fileName, "utf8")));
  }
  const score = scoreOf(mutants);
  say(`${target.name}: ${score.score} % of ${score.mutants} mutants were noticed.`);
  return isFile(target.name) || keep(target.name, score, failing);
}

/** Compares the score with the one kept, and keeps the better one. */
function keep(folder: string, now: Score, failing: readonly string[]): boolean {
  const scores = readScores();
  const before = scores[folder];
  if (before && now.score < before.score) {
    say(`It was ${before.score} %, and may not fall: a survivor above is worth a test or a deletion.`);
    return false;
  }
  if (now.score === before?.score) return true;
  if (failing.length > 0) {
    say("It is not kept, because tests were left out.");
    return false;
  }
  writeFileSync(scoresFile, writtenScores({ ...scores, [folder]: now }));
  say(before ? `It was ${before.score} %; the better score is kept.` : "It is the first score, and is kept.");
  return true;
}

function readScores(): Scores {
  return JSON.parse(readFileSync(scoresFile, "utf8"));
}

function onHang(running: readonly string[]): never {
  return fail(
    `After ${patienceMs / 60_000} minutes, with nothing broken, these have not ended: ${running.join(", ")}.`,
  );
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

function fail(message: string): never {
  process.stderr.write(`mutate: ${message}\n`);
  process.exit(2);
}
