// Does an agent live on? Two processes that let it live are killed at random, the model fails, messages come twice, the
// clock jumps: on a SQLite file and on a real PostgreSQL. `npm test` has a short form.

import { parseArgs } from "node:util";
import { endure } from "../charter/test/automaton/endurance.ts";
import { homes, newFile, newPostgres, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";

const usage = `node --conditions=charter-source scripts/endurance.ts [options]

  --turns <n>                   how many turns, on each home (5000)
  --kills <n>                   how many processes are killed meanwhile (40)
  --home sqlite|postgres|both   where (both)
`;

const options = {
  turns: { type: "string", default: "5000" },
  kills: { type: "string", default: "40" },
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

const { turns, kills, home, help } = given();
const known =
  [turns, kills].every((count) => /^[1-9]\d*$/.test(count)) && [...homes, "both"].includes(home as PlaceName);
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
      ? (taken: number) => process.stderr.write(`\r${taken} of ${turns} turns on ${names[name]}`)
      : () => {};
    const began = Date.now();
    try {
      const found = await endure(place, { turns: Number(turns), kills: Number(kills), progress });
      const { posted, answered, withdrawn, dead, jumps, stateFaults, faults } = found;
      if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
      const seconds = Math.round((Date.now() - began) / 1000);
      process.stdout.write(
        `${names[name]}: ${found.turns} turns in ${seconds} s, ${found.kills} processes killed, ${jumps} jumps of the clock, ${stateFaults} turns left in the middle and mended. Of ${posted} messages ${answered} were answered once, ${withdrawn} withdrawn, ${dead} are dead with all reasons.\n`,
      );
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
      failed ||= faults.length > 0 || answered + withdrawn + dead !== posted;
    } finally {
      await place.remove();
    }
  }
} finally {
  await server?.stop();
}
process.stdout.write(
  failed
    ? "It does not hold.\n"
    : "It holds: each message was answered once, withdrawn, or is dead with all reasons.\n",
);
process.exitCode = failed ? 1 : 0;
