// Does the service hold when what it stands on does not? A real PostgreSQL is stopped and started under load, and
// `charter start` is killed in the middle of its work. `npm test` has short forms of both, and of a model, a Telegram and
// a disk in trouble.

import { parseArgs } from "node:util";
import { startPostgres } from "../charter/test/postgres.ts";
import { restartPostgres } from "../charter/test/service/postgres-restarts.ts";
import { killCharter } from "../charter/test/service/process-kills.ts";

const kinds = ["postgres", "kill", "all"] as const;
const usage = `node --conditions=charter-source scripts/faults.ts [options]

  --times <n>                  how often, each (20)
  --away <ms>                  how long PostgreSQL stays away (1000)
  --what postgres|kill|all     PostgreSQL restarted, charter start killed, or both (all)
`;

const options = {
  times: { type: "string", default: "20" },
  away: { type: "string", default: "1000" },
  what: { type: "string", default: "all" },
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

const { times, away, what, help } = given();
const known = /^[1-9]\d*$/.test(times) && /^\d+$/.test(away) && kinds.includes(what as (typeof kinds)[number]);
if (help || !known) {
  (known ? process.stdout : process.stderr).write(usage);
  process.exit(known ? 0 : 2);
}

let failed = false;
const tell = (words: string, faults: readonly string[]) => {
  process.stdout.write(`${words}\n`);
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  failed ||= faults.length > 0;
};
if (what !== "kill") {
  const server = await startPostgres();
  try {
    await server.ready;
    const { restarts, answered, refused, messages, givenUp, twice, runs, reported, faults } = await restartPostgres(
      server,
      {
        times: Number(times),
        awayMs: Number(away),
      },
    );
    tell(
      `PostgreSQL was restarted ${restarts} times: ${answered} turns were answered and kept, ${refused} were told that it is away; ` +
        `of ${messages} messages on Telegram ${messages - givenUp} were answered (${twice} of the answers came twice), ${givenUp} were given up and said to be; ` +
        `of ${runs} scheduled runs ${runs - reported} happened once, ${reported} were reported.`,
      faults,
    );
  } finally {
    await server.stop();
  }
}
if (what !== "postgres") {
  const { kills, answered, messages, givenUp, twice, interrupted, faults } = await killCharter({
    times: Number(times),
  });
  tell(
    `charter start was killed ${kills} times: ${answered} turns were answered and kept, ${interrupted} were marked as interrupted; ` +
      `of ${messages} messages on Telegram ${messages - givenUp} were answered (${twice} of the answers came twice), ${givenUp} were given up and said to be.`,
    faults,
  );
}
process.stdout.write(failed ? "It does not hold.\n" : "It holds: nothing acknowledged was lost, and all went on.\n");
process.exitCode = failed ? 1 : 0;
