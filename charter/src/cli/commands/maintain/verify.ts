import type { VerifyInput } from "../../../operations/here/maintain.ts";
import { colours, oneLine } from "../../../operations/print/columns.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { Problem } from "../../../prompt/problem.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { Home } from "../../../store/home/database.ts";
import type { StoreFault, Verification } from "../../../store/verify/verify.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { databaseSet, defaultDatabase, type StoreValues, withHome } from "../../shared/store.ts";
import { createHere } from "../../shared/trust/here.ts";
import type { FixedWords } from "./lock.ts";

type Values = VerifyInput & StoreValues;

export async function run({ input, database: named, json }: ParsedCommand): Promise<number> {
  const values: Values = { ...input, database: named };
  const path = values.lock ?? "charter.lock";
  const database = named ?? ((await databaseSet(createHere())) || undefined);
  const stored = database !== undefined || values.agent !== undefined || existsSync(defaultDatabase);
  if (!existsSync(path) && (values.lock !== undefined || !stored))
    throw new Problem("no-such-file", `There is no lock file at ${path}.`, "Write one with `charter lock`.");
  const lock = existsSync(path) ? await (await import("./lock.ts")).compareFixedWords(path, values.charter) : null;
  const store = stored ? await walk(values) : null;
  const verified = store === null || store.faults.length === 0;
  if (json) {
    const { charters = 0, fixed = 0 } = lock ?? {};
    // Without a database the answer is the one scripts have always had.
    const answer = store === null ? { verified, charters, fixed } : { verified, charters, fixed, lock, store };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  } else process.stdout.write(`${[...lockLines(lock), ...storeLines(store)].join("\n")}\n`);
  return verified ? 0 : 1;
}

type VerifiedStore = Verification & { readonly database: string };

async function walk(values: Values): Promise<VerifiedStore> {
  const { agent } = values;
  const [{ verifyStore }, { progressOn }] = await Promise.all([
    import("../../../store/verify/verify.ts"),
    import("../../../operations/print/columns.ts"),
  ]);
  return withHome(values, async (home) => {
    if (agent !== undefined) await knownAgent(home, agent);
    const progress = progressOn(process.stderr);
    try {
      const found = await verifyStore(home, {
        ...(agent === undefined ? {} : { agent }),
        progress: ({ table, done, of }) => progress.say(`${table} ${done} of ${of}`),
      });
      return { database: home.place, ...found };
    } finally {
      progress.end();
    }
  });
}

async function knownAgent(home: Home, agent: string): Promise<void> {
  const { createAgents } = await import("../../../store/agents.ts");
  await createAgents(home, () => new Date().toISOString()).get(agent);
}

function lockLines(lock: FixedWords | null): string[] {
  if (lock === null) return [];
  return [`All ${lock.fixed} fixed sections of ${lock.charters} charters are as locked in ${lock.path}.`];
}

function storeLines(store: VerifiedStore | null): string[] {
  if (store === null) return [];
  const { amendments, steps, texts, sealed, erased, orphans, faults, further, unproven, database } = store;
  const { dim, red } = colours(process.stdout);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const all = `${count(amendments, "amendment")}, ${count(steps, "receipt")}, ${count(texts, "text")} and ${count(sealed, "sealed row")}`;
  const notes = [
    ...(erased > 0 ? [dim(`The words of ${erased} of them were erased; their history still verifies.`)] : []),
    ...(orphans > 0
      ? [
          dim(
            hintsHere(
              `${count(orphans, "text")} ${orphans === 1 ? "is" : "are"} not used any more: charter retain deletes them.`,
            ),
          ),
        ]
      : []),
    dim(`Not looked at: ${unproven.join("; ")}. Whoever can write the database can also forge the digests in it.`),
  ];
  if (faults.length === 0) return [`${all} in ${database} are as they were written.`, ...notes];
  const found = count(faults.length + further, "fault");
  return [
    ...faults.map(faultLine),
    red(`${found} in ${all} of ${database}. Look for the old rows in a checkpoint, or in the history.`),
    ...notes,
  ];
}

function faultLine({ table, row, what, reason }: StoreFault): string {
  const { red } = colours(process.stdout);
  return `${red(what.padEnd(9))} ${table.padEnd(10)} ${oneLine(row)}: ${oneLine(reason)}`;
}
