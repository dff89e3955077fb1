// Do anyone's words turn up where they have no business? Many people with words of their own take mixed turns at once,
// over every door; all that is sent to the model, answered, logged, counted and kept is looked through. `npm test` has a
// short form.

import { parseArgs } from "node:util";
import { homes, newFile, newPostgres, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";
import { runCanaries } from "../charter/test/service/canaries/canary-run.ts";

const usage = `node --conditions=charter-source scripts/canaries.ts [options]

  --turns <n>                   how many turns, on each home (10000)
  --people <n>                  how many people (40)
  --seed <n>                    another order of things (7)
  --home sqlite|postgres|both   where (both)
`;

const options = {
  turns: { type: "string", default: "10000" },
  people: { type: "string", default: "40" },
  seed: { type: "string", default: "7" },
  home: { type: "string", default: "both" },
  help: { type: "boolean", short: "h" },
} as const;

function given() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

const { turns, people, seed, home, help } = given();
const known =
  [turns, people, seed].every((count) => /^[1-9]\d*$/.test(count)) && [...homes, "both"].includes(home as PlaceName);
if (help || !known) {
  (known ? process.stdout : process.stderr).write(usage);
  process.exit(known ? 0 : 2);
}

const names: Readonly<Record<PlaceName, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const wanted = homes.filter((name) => home === "both" || home === name);
const server = wanted.includes("postgres") ? await startPostgres() : undefined;
let failed = false;
try {
  await server?.ready;
  for (const name of wanted) {
    const place = await (name === "sqlite" ? newFile() : newPostgres(server?.url as string, "empty"));
    const began = performance.now();
    const progress = process.stderr.isTTY
      ? (taken: number) => process.stderr.write(`\r${taken} of ${turns} turns on ${names[name]}`)
      : () => {};
    try {
      const figures = await runCanaries(place, {
        turns: Number(turns),
        people: Number(people),
        seed: Number(seed),
        lanes: 32,
        progress,
      });
      const { faults, answers, requests, messages, lines, rows, runs } = figures;
      const seconds = Math.round((performance.now() - began) / 1000);
      const statuses = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
      if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
      process.stdout.write(
        `${names[name]}: ${figures.turns} turns of ${people} people in ${seconds} s: ${requests} requests to the model, ` +
          `${messages} messages on Telegram, ${runs} scheduled runs, ${lines} lines of log, ${rows} rows with words; ` +
          `answers: ${statuses.join(", ")}.\n`,
      );
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
      failed ||= faults.length > 0;
    } finally {
      await place.remove();
    }
  }
} finally {
  await server?.stop();
}
process.stdout.write(failed ? "It does not hold.\n" : "It holds: everyone's words were where they belong.\n");
process.exitCode = failed ? 1 : 0;
