// Does the service hold when what it stands on does not? A real PostgreSQL is stopped and started under load, and
// `charter start` is killed in the middle of its work; and whoever is shut out at one server is out at another within a
// second. The tests have short forms of these, and of a model, a Telegram and a disk in trouble.

import { parseArgs } from "node:util";
import { newFile, newPostgres, type Place } from "../charter/test/homes.ts";
import { type Server, startPostgres } from "../charter/test/postgres.ts";
import { restartPostgres } from "../charter/test/service/faults/postgres-restarts.ts";
import { killCharter } from "../charter/test/service/faults/process-kills.ts";
import { shutOutElsewhere } from "../charter/test/service/shut-out/shut-out.ts";

const kinds = ["postgres", "kill", "shut-out", "all"] as const;
const usage = `node --conditions=charter-source scripts/faults.ts [options]

  --times <n>                  how often, each (20)
  --away <ms>                  how long PostgreSQL stays away (1000)
  --what postgres|kill|shut-out|all
                               PostgreSQL restarted, charter start killed, users shut out, or all of it (all)
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
const isAsked = (kind: (typeof kinds)[number]) => what === kind || what === "all";

/** For each stream the time from the moment its reader was shut out at another server to its end. */
async function shutOut(place: Place): Promise<void> {
  const { endedMs, faults } = await shutOutElsewhere(place, Number(times));
  await place.remove();
  const sorted = [...endedMs].sort((one, other) => one - other);
  const half = sorted[Math.floor((sorted.length - 1) / 2)];
  const late = sorted.filter((ms) => ms >= 1_000).map((ms) => `a stream was over after ${ms} ms only`);
  tell(
    `Users were shut out elsewhere ${times} times: of ${sorted.length} streams half were over within ${half} ms, all within ${sorted.at(-1)} ms.`,
    [...faults, ...late],
  );
}

if (isAsked("shut-out")) await shutOut(await newFile());
if (isAsked("postgres") || isAsked("shut-out")) {
  const server = await startPostgres();
  try {
    await server.ready;
    if (isAsked("shut-out")) await shutOut(await newPostgres(server.url, "empty"));
    if (isAsked("postgres")) await restart(server);
  } finally {
    await server.stop();
  }
}
if (isAsked("kill")) {
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

async function restart(server: Server): Promise<void> {
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
}
