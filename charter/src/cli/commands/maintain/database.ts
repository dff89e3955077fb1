import type { VerifyInput } from "../../../operations/here/maintain.ts";
import { colours, oneLine, pairs, progressOn, sizeText, timeText } from "../../../operations/print/columns.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { counted, listed, Problem } from "../../../prompt/problem.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { Home } from "../../../store/home/database.ts";
import type { CheckpointResult } from "../../../store/lifecycle/checkpoint.ts";
import type { CheckpointProof } from "../../../store/lifecycle/restore.ts";
import type { StoreFault, Verification } from "../../../store/verify/verify.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { databaseSet, defaultDatabase, homeOf, type StoreValues, withHome, withStore } from "../../shared/store.ts";
import { createHere } from "../../shared/trust/here.ts";
import type { FixedWords } from "./lock.ts";

type CheckpointInput = {
  readonly file: string;
  readonly agent?: string;
  readonly force?: boolean;
  readonly replace?: boolean;
};

/** Runs the commands about a database as a whole. */
export function run(parsed: ParsedCommand): Promise<number> {
  const { name } = parsed.operation;
  if (name === "here.verify") return verifyStore(parsed);
  if (name === "here.migrate") return migrateStore(parsed);
  return checkpoint(parsed);
}

const actions: Readonly<Record<string, typeof save>> = {
  "checkpoint.save": save,
  "checkpoint.restore": restore,
  "checkpoint.inspect": inspect,
};

async function checkpoint({ operation, input, json, database }: ParsedCommand): Promise<number> {
  return (actions[operation.name] as typeof save)({ ...(input as CheckpointInput), json, database });
}

type Values = CheckpointInput & { readonly json: boolean; readonly database: string | undefined };

async function save(values: Values): Promise<number> {
  const { file, agent, force } = values;
  const progress = progressOn();
  const saved = await withStore(values, (store) =>
    store.checkpoint.save(file, { agent, force, progress: (rows) => progress.say(`saved ${counted(rows, "row")}`) }),
  ).finally(progress.end);
  if (values.json) process.stdout.write(`${JSON.stringify(saved)}\n`);
  else process.stdout.write(savedText(saved));
  return saved.lost.length === 0 ? 0 : 1;
}

function savedText({ file, agents, rows, bytes, content, lost }: CheckpointResult): string {
  const paint = colours(process.stdout);
  const what = `${counted(agents.length, "agent")}, ${counted(rows, "row")}, ${sizeText(bytes)}`;
  const lines = [`${paint.green("saved")} ${file} ${paint.dim(`(${what})`)}`, `${paint.dim("content")} ${content}`];
  if (lost.length > 0)
    lines.push(
      paint.red(
        hintsHere(
          `${counted(lost.length, "text")} of it could not be read and ${lost.length === 1 ? "is" : "are"} missing; charter verify names what was changed.`,
        ),
      ),
    );
  return `${lines.join("\n")}\n`;
}

async function restore({ file, replace, json, database }: Values): Promise<number> {
  const progress = progressOn();
  const report = (rows: number, of: number | undefined) =>
    progress.say(`restored ${rows} of ${counted(of ?? 0, "row")}`);
  // The file is verified before anything is opened, so that a wrong one does not even create a database.
  const proof = await prove(file);
  const place = await withStore(
    { database },
    async (store) => {
      await store.checkpoint.restore(file, { replace, proof, progress: report });
      return store.home.place;
    },
    { create: true },
  ).finally(progress.end);
  const { header, rows } = proof;
  const paint = colours(process.stdout);
  process.stdout.write(
    json
      ? `${JSON.stringify({ file, agents: header.agents, rows, content: proof.content })}\n`
      : `${paint.green("restored")} ${listed(header.agents)} from ${file} into ${place} ${paint.dim(`(${counted(rows, "row")})`)}\n`,
  );
  return 0;
}

async function prove(file: string): Promise<CheckpointProof> {
  const { readCheckpoint } = await import("../../../store/lifecycle/restore.ts");
  const progress = progressOn();
  let read = 0;
  return readCheckpoint(file, undefined, async () => progress.say(`proved ${counted(++read, "row")}`)).finally(
    progress.end,
  );
}

async function inspect({ file, json }: Values): Promise<number> {
  const proof = await prove(file);
  const { header, ...held } = proof;
  process.stdout.write(
    json ? `${JSON.stringify({ file, ...header, ...held })}\n` : `${inspected(file, proof).join("\n")}\n`,
  );
  return 0;
}

function inspected(file: string, { header, rows, tables, digest, content }: CheckpointProof): string[] {
  const tableCounts = Object.entries(tables).map(([table, count]) => `${table} ${count}`);
  return pairs(
    [
      ["file", `${file}, whole and as it was saved`],
      ["saved", `${timeText(header.madeAt)} UTC, from ${header.from}, schema ${header.schema}`],
      ["agents", listed(header.agents)],
      ["rows", `${counted(rows, "row")}: ${tableCounts.join(", ")}`],
      ["digest", digest],
      ["content", content],
    ],
    process.stdout,
  );
}

type VerifyValues = VerifyInput & StoreValues;

async function verifyStore({ input, database: named, json }: ParsedCommand): Promise<number> {
  const values: VerifyValues = { ...input, database: named };
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
    // Scripts get the form they have always got if there is no database.
    const answer = store === null ? { verified, charters, fixed } : { verified, charters, fixed, lock, store };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  } else process.stdout.write(`${[...lockLines(lock), ...storeLines(store)].join("\n")}\n`);
  return verified ? 0 : 1;
}

type VerifiedStore = Verification & { readonly database: string };

async function walk(values: VerifyValues): Promise<VerifiedStore> {
  const { agent } = values;
  const { verifyStore } = await import("../../../store/verify/verify.ts");
  return withHome(values, async (home) => {
    if (agent !== undefined) await knownAgent(home, agent);
    const progress = progressOn(process.stderr);
    try {
      const result = await verifyStore(home, {
        ...(agent === undefined ? {} : { agent }),
        progress: ({ table, done, of }) => progress.say(`${table} ${done} of ${of}`),
      });
      return { database: home.place, ...result };
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
  const faultCount = count(faults.length + further, "fault");
  return [
    ...faults.map(faultLine),
    red(`${faultCount} in ${all} of ${database}. Look for the old rows in a checkpoint, or in the history.`),
    ...notes,
  ];
}

function faultLine({ table, row, what, reason }: StoreFault): string {
  const { red } = colours(process.stdout);
  return `${red(what.padEnd(9))} ${table.padEnd(10)} ${oneLine(row)}: ${oneLine(reason)}`;
}

async function migrateStore({ database, input, json }: ParsedCommand): Promise<number> {
  const { rebuild = false } = input as { readonly rebuild?: boolean };
  const home = await homeOf({ database }, true);
  try {
    const { from, to, copy } = await home.migrate();
    const { rebuildStore } = await import("../../../store/lifecycle/restore.ts");
    const rebuilt = rebuild ? await rebuildStore(home) : undefined;
    const message =
      from === 0
        ? `${home.place} is ready, with schema ${to}.`
        : from === to
          ? `${home.place} already has schema ${to}.`
          : `${home.place} was brought from schema ${from} to ${to}.`;
    const beside = copy === undefined ? "" : ` As it was before, it lies in ${copy}: delete it when all is well.`;
    const also = rebuilt
      ? ` What ${counted(rebuilt.notes, "note")} and ${counted(rebuilt.turns, "turn")} are searched and listed by was made anew.`
      : "";
    process.stdout.write(
      `${json ? JSON.stringify({ database: home.place, from, to, ...(copy !== undefined && { copy }), ...rebuilt }) : `${message}${beside}${also}`}\n`,
    );
    return 0;
  } finally {
    await home.close();
  }
}
