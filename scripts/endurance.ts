// Does an agent live on? Two processes that let it live are killed at random, the model fails, messages come twice, the
// clock jumps: on a SQLite file and on a real PostgreSQL. `npm test` has a short form. With `--only chain`, its messages
// come by a real chain whose newest blocks are replaced, and its replies go there.

import { parseArgs } from "node:util";
import { endure } from "../charter/test/automaton/endurance.ts";
import { endureChain } from "../charter/test/chain/endurance.ts";
import { homes, newFile, newPostgres, type Place, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";

const usage = `node --conditions=charter-source scripts/endurance.ts [options]

  --turns <n>                   how many turns, on each home (5000)
  --kills <n>                   how many processes are killed meanwhile (40)
  --home sqlite|postgres|both   where (both)
  --only chain                  on a chain: --posts instead of --turns (1000), --reorganisations (40)
`;

const options = {
  turns: { type: "string", default: "5000" },
  kills: { type: "string", default: "40" },
  home: { type: "string", default: "both" },
  only: { type: "string", default: "life" },
  posts: { type: "string", default: "1000" },
  reorganisations: { type: "string", default: "40" },
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

const { turns, kills, home, help, only, posts, reorganisations } = given();
const known =
  [turns, kills, posts, reorganisations].every((count) => /^[1-9]\d*$/.test(count)) &&
  [...homes, "both"].includes(home as PlaceName) &&
  ["life", "chain"].includes(only);
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
      if (only === "chain") {
        failed = !(await holdsOnChain(place, names[name])) || failed;
        continue;
      }
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

async function holdsOnChain(place: Place, home: string): Promise<boolean> {
  // Where nobody watches, a line now and then says that it is not stuck.
  let saidAt = Date.now();
  const progress = (words: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${home}: ${words}`);
    else if (Date.now() - saidAt > 10_000) {
      saidAt = Date.now();
      process.stderr.write(`${home}: ${words}\n`);
    }
  };
  const wanted = { posts: Number(posts), kills: Number(kills), reorganisations: Number(reorganisations), progress };
  const began = Date.now();
  const found = await endureChain(place, wanted);
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const { answered, orphaned, withdrawn, unread, dead, faults } = found;
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(
    `${home}: ${found.posts} posts in ${seconds} s, ${found.kills} processes killed, ${found.reorganisations} times the newest blocks were replaced (${found.includedAgain} posts included again), ${found.rpcFaults} faults of the node. ${answered} have one reply on the chain, ${orphaned} were answered and their block is gone, ${withdrawn} withdrawn, ${unread} gone before they were read, ${dead} are dead with all reasons.\n`,
  );
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  return faults.length === 0;
}

process.stdout.write(
  failed
    ? "It does not hold.\n"
    : "It holds: each message was answered once, withdrawn, or is dead with all reasons.\n",
);
process.exitCode = failed ? 1 : 0;
