// Runs one tier of the tests, or a part of the search: `npm test`, `npm run test:doors`, `npm run test:search`, `npm run crash` …

import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

/** Parts of the search that have a name of their own, by what their files are called. */
const parts: Readonly<Record<string, string>> = {
  fuzz: ".property.test.ts",
  crash: "crash.search.test.ts",
  workers: "workers.search.test.ts",
  faults: "faults.search.test.ts",
  endurance: "endurance.search.test.ts",
  canaries: "canaries.search.test.ts",
};

const usage = `npm test, npm run test:doors, npm run test:search [-- options] [files]

  --ledger             one worker, and what each file took: seconds of the processor, by whom, and what was counted

Of the search, and of its parts (${Object.keys(parts).join(", ")}):
  --share <number>     how much of it: 1 is the whole, 0.05 a slice with the same number of runs each time (1)
  --seed <words>       draws the same values again (without it: new ones; the seed is printed)
  --minutes <number>   again and again with new seeds, until so many minutes are over
`;

const options = {
  ledger: { type: "boolean" },
  share: { type: "string", default: "1" },
  seed: { type: "string" },
  minutes: { type: "string", default: "0" },
  "since-last-run": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const [named = "logic", ...given] = process.argv.slice(2);
const isSearch = named === "search" || named in parts;
const { values, positionals } = read(given);
const filters = [...(parts[named] ? [parts[named]] : []), ...positionals];
if (values.ledger) process.env.CHARTER_LEDGER = "1";

const began = Date.now();
for (let round = 0; ; round++) {
  if (isSearch) drawBy(values.seed === undefined || round > 0 ? String(Date.now()) : values.seed);
  const vitest = await startVitest("test", filters, {
    project: [isSearch ? "search" : named],
    watch: false,
    ...(values.ledger ? { maxWorkers: 1 } : {}),
    ...(values["since-last-run"] ? { sinceLastRun: true, passWithNoTests: true } : {}),
  });
  await vitest.close();
  const isOver = Date.now() - began > Number(values.minutes) * 60_000;
  if (process.exitCode || isOver) break;
}

function read(args: readonly string[]) {
  try {
    const found = parseArgs({ args: [...args], options, allowPositionals: true });
    const isNumber = (text: string) => Number(text) >= 0;
    if (!found.values.help && isNumber(found.values.share) && isNumber(found.values.minutes)) return found;
    process.stdout.write(usage);
    process.exit(found.values.help ? 0 : 2);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** The seed may be any words; it is said, so that the run can be repeated. */
function drawBy(name: string): void {
  process.env.CHARTER_SEARCH_SHARE = values.share;
  process.env.CHARTER_SEARCH_SEED = String(numberOf(name));
  process.stdout.write(`Seed ${name}; again: npm run ${named in parts ? named : "test:search"} -- --seed ${name}`);
  process.stdout.write(`${values.share === "1" ? "" : ` --share ${values.share}`}\n`);
}

/** Any words as a number of 32 bits (FNV-1a). */
function numberOf(words: string): number {
  return (
    [...words].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) as number), 0x01000193), 0x811c9dc5) >>>
    1
  );
}
