// Does the store hold? Writers are killed at random moments, many processes write at once, turns are killed at every
// moment and at random ones, and whoever writes a core memory at every moment: on a SQLite file and on a real PostgreSQL.
// Agents over ACP are killed in the middle of turns, with what they started, and we ourselves.
// `npm run crash` runs all of it; `npm test` has a short form.

import { parseArgs } from "node:util";
import { killAgents } from "../charter/test/acp/kill-agents.ts";
import { dieEverywhere } from "../charter/test/agent/kill/kill-moments.ts";
import { killTurns } from "../charter/test/agent/kill/kill-run.ts";
import { dieWriting, newCoreTrial } from "../charter/test/core-memory/kill-core.ts";
import { homes, newFile, newPostgres, type Place, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";
import { crowd } from "../charter/test/store/crash/crash-crowd.ts";
import { crash } from "../charter/test/store/crash/crash-run.ts";

const usage = `npm run crash [-- options]

  --only kills|processes|turns|memories|acp  one of the five
  --home sqlite|postgres        one of the two
  --kills <n>                   how many writers die (200 on SQLite, 50 on PostgreSQL), how many processes that run
                                turns (100 and 25), and how many agents over ACP (200)
  --processes <n>               how many write at once (8)
  --proposals <n>               how many proposals each of them makes (500)
  --users <n>                   how many users' turns are in flight when a process dies (6)
`;

const options = {
  only: { type: "string" },
  home: { type: "string" },
  kills: { type: "string" },
  processes: { type: "string" },
  proposals: { type: "string" },
  users: { type: "string" },
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

const values = given();
const number = (text: string | undefined, usual: number) => (text === undefined ? usual : Number(text));
const known =
  ["kills", "processes", "turns", "memories", "acp", undefined].includes(values.only) &&
  [...homes, undefined].includes(values.home as PlaceName) &&
  [values.kills, values.processes, values.proposals, values.users].every(
    (text) => text === undefined || /^[1-9]\d*$/.test(text),
  );

if (values.help || !known) {
  (known ? process.stdout : process.stderr).write(usage);
  process.exit(known ? 0 : 2);
}

const names: Readonly<Record<PlaceName, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const wanted = homes.filter((name) => values.home === undefined || values.home === name);
const server = wanted.includes("postgres") && values.only !== "acp" ? await startPostgres() : undefined;
let failed = false;
const parts = { kills, processes, turns, memories };
for (const name of values.only === "acp" ? [] : wanted)
  for (const [part, work] of Object.entries(parts))
    if (values.only === undefined || values.only === part) await onPlace(name, work);
if ((values.only === undefined || values.only === "acp") && wanted.includes("sqlite")) report(await acp());
await server?.stop();
process.stdout.write(failed ? "It does not hold.\n" : "It holds.\n");
process.exitCode = failed ? 1 : 0;

function newPlace(name: PlaceName): Promise<Place> {
  return name === "sqlite" ? newFile() : newPostgres(server?.url as string, "empty");
}

async function onPlace(name: PlaceName, work: (name: PlaceName, place: Place) => Promise<readonly string[]>) {
  const place = await newPlace(name);
  report(await work(name, place));
  await place.remove();
}

function report(faults: readonly string[]): void {
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 20) process.stdout.write(`  and ${faults.length - 20} more\n`);
  failed ||= faults.length > 0;
}

async function acp(): Promise<readonly string[]> {
  const began = performance.now();
  const count = number(values.kills, 200);
  const {
    answered,
    failed: refused,
    interrupted,
    unbegun,
    faults,
  } = await killAgents(count, (done) => show(`ACP: ${done} of ${count} kills in the middle of a turn`));
  tell(
    `ACP: ${count} kills in the middle of a turn, ${answered} whole, ${refused} failed with the reason, ` +
      `${interrupted} interrupted, ${unbegun} never begun, ${faults.length} faults, ${seconds(began)}`,
  );
  return faults;
}

async function kills(name: PlaceName, place: Place): Promise<readonly string[]> {
  const count = number(values.kills, name === "sqlite" ? 200 : 50);
  const began = performance.now();
  const { acknowledged, faults } = await crash(place, {
    kills: count,
    progress: (done, changes) => show(`${names[name]}: ${done} of ${count} kills, ${changes} changes acknowledged`),
  });
  const of = (kind: string) => faults.filter((fault) => fault.startsWith(`${kind}:`)).length;
  const others = faults.length - of("lost") - of("half");
  tell(
    `${names[name]}: ${count} kills, ${acknowledged} changes acknowledged, ${of("lost")} lost, ${of("half")} half done, ` +
      `${others} other faults, ${seconds(began)}`,
  );
  return faults;
}

async function processes(name: PlaceName, place: Place): Promise<readonly string[]> {
  const [writers, proposals] = [number(values.processes, 8), number(values.proposals, 500)];
  const all = writers * proposals;
  const began = performance.now();
  const { accepted, stale, faults } = await crowd(place, {
    processes: writers,
    proposals,
    progress: (done) => done % 20 === 0 && show(`${names[name]}: ${done} of ${all} proposals accepted`),
  });
  tell(
    `${names[name]}: ${writers} processes × ${proposals} proposals, ${accepted} accepted as revisions 1 to ${all}, ` +
      `${stale} came too late and were made again, ${faults.length} faults, ${seconds(began)}`,
  );
  return faults;
}

async function turns(name: PlaceName, place: Place): Promise<readonly string[]> {
  const everywhere = performance.now();
  const moments = await dieEverywhere(
    () => newPlace(name),
    (done) => show(`${names[name]}: dead at ${done} moments of a turn`),
  );
  tell(
    `${names[name]}: dead at each of ${moments.deaths} moments of a turn, ${moments.interrupted} interrupted, ` +
      `${moments.answered} whole, ${moments.unbegun} never begun, ${moments.faults.length} faults, ${seconds(everywhere)}`,
  );
  const [count, users] = [number(values.kills, name === "sqlite" ? 100 : 25), number(values.users, 6)];
  const began = performance.now();
  const progress = (done: number, all: number) => show(`${names[name]}: ${done} of ${count} kills, ${all} turns`);
  const report = await killTurns(place, { kills: count, users, progress });
  tell(
    `${names[name]}: ${count} kills with ${users} turns in flight, ${report.answered} answered, ` +
      `${report.interrupted} interrupted, ${report.calls} calls, ${report.faults.length} faults, ${seconds(began)}`,
  );
  return [...moments.faults, ...report.faults];
}

async function memories(name: PlaceName, place: Place): Promise<readonly string[]> {
  const all: string[] = [];
  const copy = ({ url }: Place) => newPostgres(server?.url as string, { template: url.replace(/^.*\//, "") });
  const trial = await (name === "sqlite" ? newCoreTrial(place) : newCoreTrial(place, copy));
  for (const by of ["set", "turn"] as const) {
    const began = performance.now();
    const progress = (done: number) => show(`${names[name]}: dead at ${done} moments of writing a core memory`);
    const { deaths, left, faults } = await dieWriting(trial, by, progress);
    tell(
      `${names[name]}: a core memory written by a ${by === "set" ? "command" : "turn"}, dead at each of ${deaths} moments, ` +
        `${left.nothing} before it was on record, ${left.recorded} before it was sent, ${left.sent} before that was noted, ` +
        `${left.published} after, ${faults.length} faults, ${seconds(began)}`,
    );
    all.push(...faults);
  }
  await trial.close();
  return all;
}

/** One line that is written over, where someone is watching. */
function show(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

function tell(line: string): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  process.stdout.write(`${line}\n`);
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
