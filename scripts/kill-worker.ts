// Does every scheduled run happen once, or is it reported? Workers in processes of their own are killed in the middle of
// their runs, on a SQLite file and on a real PostgreSQL. `npm test` has a short form.

import { parseArgs } from "node:util";
import { homes, newFile, newPostgres, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";
import { killWorkers } from "../charter/test/scheduled/kill-workers.ts";

const usage = `node --conditions=charter-source scripts/kill-worker.ts [options]

  --times <n>                   how many workers are killed, on each home (50)
  --home sqlite|postgres|both   where (both)
`;

const options = {
  times: { type: "string", default: "50" },
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

const { times, home, help } = given();
const known = /^[1-9]\d*$/.test(times) && [...homes, "both"].includes(home as PlaceName);
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
    const progress = process.stderr.isTTY
      ? (kills: number) => process.stderr.write(`\r${kills} of ${times} workers killed on ${names[name]}`)
      : () => {};
    try {
      const { kills, schedules, answered, takenOver, reported, faults } = await killWorkers(place, {
        times: Number(times),
        progress,
      });
      if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
      process.stdout.write(
        `${names[name]}: ${kills} workers killed in the middle of a run. Of ${schedules} runs ${answered} happened once (${takenOver} of them taken over from the dead), ${reported} were reported as lost.\n`,
      );
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
      failed ||= faults.length > 0 || answered + reported !== schedules || schedules !== 3 * kills;
    } finally {
      await place.remove();
    }
  }
} finally {
  await server?.stop();
}
process.stdout.write(failed ? "It does not hold.\n" : "It holds: every run happened once, or was reported.\n");
process.exitCode = failed ? 1 : 0;
