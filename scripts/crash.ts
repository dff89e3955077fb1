// Does the store hold? Writers are killed at random moments, and many processes write at once, on a SQLite file and on a
// real PostgreSQL. `npm run crash` runs all of it; `npm test` has a short form.

import { parseArgs } from "node:util";
import { homes, newFile, newPostgres, type Place, type PlaceName } from "../charter/test/homes.ts";
import { startPostgres } from "../charter/test/postgres.ts";
import { crowd } from "../charter/test/store/crash-crowd.ts";
import { crash } from "../charter/test/store/crash-run.ts";

const usage = `npm run crash [-- options]

  --only kills|processes        one of the two
  --home sqlite|postgres        one of the two
  --kills <n>                   how many writers die (200 on SQLite, 50 on PostgreSQL)
  --processes <n>               how many write at once (8)
  --proposals <n>               how many proposals each of them makes (500)
`;

const options = {
  only: { type: "string" },
  home: { type: "string" },
  kills: { type: "string" },
  processes: { type: "string" },
  proposals: { type: "string" },
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
  ["kills", "processes", undefined].includes(values.only) &&
  [...homes, undefined].includes(values.home as PlaceName) &&
  [values.kills, values.processes, values.proposals].every((text) => text === undefined || /^[1-9]\d*$/.test(text));

if (values.help || !known) {
  (known ? process.stdout : process.stderr).write(usage);
  process.exit(known ? 0 : 2);
}

const names: Readonly<Record<PlaceName, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const wanted = homes.filter((name) => values.home === undefined || values.home === name);
const server = wanted.includes("postgres") ? await startPostgres() : undefined;
let failed = false;
for (const name of wanted) {
  if (values.only !== "processes") await onPlace(name, kills);
  if (values.only !== "kills") await onPlace(name, processes);
}
server?.stop();
process.stdout.write(failed ? "It does not hold.\n" : "It holds.\n");
process.exitCode = failed ? 1 : 0;

async function onPlace(name: PlaceName, work: (name: PlaceName, place: Place) => Promise<readonly string[]>) {
  const place = name === "sqlite" ? await newFile() : await newPostgres(server?.url as string);
  const faults = await work(name, place);
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 20) process.stdout.write(`  and ${faults.length - 20} more\n`);
  failed ||= faults.length > 0;
  await place.remove();
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
