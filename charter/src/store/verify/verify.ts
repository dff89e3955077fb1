import { badArgument, isFunction, kindOf } from "../../prompt/argument.ts";
import type { Home } from "../home/database.ts";
import { countRows, matching } from "../home/query.ts";
import { walkEvents } from "./events.ts";
import { createFaults, ownerName, type StoreFault } from "./faults.ts";
import { createHashChainReach } from "./hash-chain-reach.ts";
import { walkMentions } from "./mentions.ts";
import { walkAmendments, walkAttachments, walkSteps } from "./steps.ts";
import { createTextProofs } from "./text-proof.ts";
import { walkTexts } from "./texts.ts";
import type { Walk, WalkedTable } from "./walk.ts";

export type { StoreFault } from "./faults.ts";

import { ownerKey, type Seal, sealsOf } from "../home/seals.ts";
import { sql } from "../home/sql.ts";
import type { Table, TableColumn } from "../home/table.ts";
import { isSealed } from "../home/table-statements.ts";

/** What `verifyStore` found. */
export type Verification = {
  readonly amendments: number;
  readonly steps: number;
  readonly texts: number;
  readonly attachments: number;
  /** Rows that are in no hash chain and under a seal: notes, tokens, schedules, messages, settings and so on. */
  readonly sealed: number;
  /** Amendments and steps whose text was erased; their hash chains are still valid. */
  readonly erased: number;
  /** Texts that nothing refers to any more. */
  readonly orphans: number;
  readonly faults: readonly StoreFault[];
  /** How many more faults there are than are listed. */
  readonly further: number;
  /** What was not looked at: it may have been changed without being listed here. */
  readonly unproven: readonly string[];
};

/** How far `verifyStore` has come. */
export type WalkProgress = {
  readonly table: "amendments" | "steps" | "texts";
  readonly done: number;
  readonly of: number;
};

/** What to verify, and who is told of the progress. */
export type VerifyOptions = {
  /** Only this agent's hash chains, and the texts they refer to. */
  readonly agent?: string;
  readonly progress?: (at: WalkProgress) => void;
};

/**
 * Verifies every hash chain and every seal in the store, and lists what was changed, added or removed behind its back. It sees
 * one moment, while others continue to write. Whoever can write the database can also forge the digests in it.
 */
export async function verifyStore(home: Home, { agent, progress }: VerifyOptions = {}): Promise<Verification> {
  if (!isFunction(home?.read))
    throw badArgument(
      `The home that verifyStore was given is ${kindOf(home)}.`,
      "Give the home of a store: verifyStore(store.home).",
    );
  const { damages, unseen } = await home.integrity();
  return home.read("everything", async (db) => {
    const faults = createFaults();
    for (const reason of damages) faults.add({ table: "database", row: home.place, what: "damaged", reason });
    const proofs = createTextProofs(db, faults);
    const tick = await ticker(db, agent, progress);
    const { tables } = home.schema;
    const walk: Walk = { db, tables, agent, faults, proofs, tick, breathe, reached: createHashChainReach(db, faults) };
    const amendments = await walkAmendments(walk);
    const steps = await walkSteps(walk);
    const { texts, orphans } = agent === undefined ? await walkTexts(walk) : { texts: proofs.seen.size(), orphans: 0 };
    const attachments = await walkAttachments(walk);
    await walkEvents(walk);
    await walkMentions(walk);
    const sealed = await walkSeals(walk);
    const erased = amendments.erased + steps.erased;
    const counts = { amendments: amendments.rows, steps: steps.rows, texts, attachments, sealed, erased, orphans };
    const not = [...unprovenIn(tables).map(({ words }) => words), ...(unseen === undefined ? [] : [unseen])];
    return { ...counts, faults: faults.list, further: faults.further(), unproven: not };
  });
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

async function ticker(
  db: Walk["db"],
  agent: string | undefined,
  progress: VerifyOptions["progress"],
): Promise<Walk["tick"]> {
  if (!progress) return breathe;
  const done: Record<WalkedTable, number> = { amendments: 0, steps: 0, texts: 0 };
  const of = { ...done };
  for (const table of ["amendments", "steps", "texts"] as const) {
    of[table] = await countRows(db, table, matching({ agent: table === "texts" ? undefined : agent }));
  }
  return async (table, rows) => {
    done[table] += rows;
    progress({ table, done: done[table], of: of[table] });
    await breathe();
  };
}

/** Something that may be changed without `verifyStore` noticing: in words, and the columns it stands in by table. */
type Unproven = { readonly words: string; readonly columns: Readonly<Record<string, readonly string[] | "all">> };

/** What is no part of a hash chain, of a text's digest or of a seal, as the tables are declared. */
export function unprovenIn(tables: readonly Table[]): Unproven[] {
  const columnsOf = (isAll: (made: Table) => boolean, isOne: (column: TableColumn) => unknown = () => false) =>
    Object.fromEntries(
      tables.flatMap((made): [string, string[] | "all"][] => {
        if (isAll(made)) return [[made.name, "all"]];
        const columns = made.all.filter(isOne).map(({ column }) => column);
        return columns.length === 0 ? [] : [[made.name, columns]];
      }),
    );
  const noneOf = ({ proof }: Table) => (typeof proof === "object" ? proof.none : undefined);
  const said = new Set(tables.flatMap((made) => noneOf(made) ?? []));
  return [
    ...[...said].map((words) => ({ words, columns: columnsOf((made) => noneOf(made) === words) })),
    {
      words: "what notes and turns are searched and listed by: `charter migrate --rebuild` makes it anew",
      columns: columnsOf(
        ({ proof }) => proof === "cache",
        ({ isCache }) => isCache,
      ),
    },
    {
      words: "who is at work on a row, and when a token was last used",
      columns: columnsOf(
        () => false,
        ({ isPassing }) => isPassing,
      ),
    },
  ];
}

/** What is in no hash chain: by its owners, as many rows as were written, and each as it was. Says how many rows there are. */
async function walkSeals({ db, tables, agent, faults, breathe }: Walk): Promise<number> {
  let rows = 0;
  for (const sealed of tables.filter(isSealed)) {
    const there = await sealsOf(db, sealed, agent);
    const kept = await db.all<Seal>(
      sql`select agent, user_id, count, digest from seals where ${matching({ what: sealed.name, agent })}`,
    );
    const written = new Map(kept.map((seal) => [ownerKey(seal), { ...seal, count: Number(seal.count) }]));
    for (const seal of there.values()) rows += seal.count;
    for (const key of new Set([...written.keys(), ...there.keys()])) {
      const owner = (there.get(key) ?? written.get(key)) as Seal;
      const wrong = difference(written.get(key), there.get(key));
      if (wrong) faults.add({ table: sealed.name, row: ownerName(owner), ...wrong });
    }
    await breathe();
  }
  return rows;
}

function difference(
  written: Seal | undefined,
  there: Seal | undefined,
): Pick<StoreFault, "what" | "reason"> | undefined {
  const [before, now] = [written?.count ?? 0, there?.count ?? 0];
  if (before !== now) {
    const reason = `${before} ${before === 1 ? "row was" : "rows were"} written, and ${now} ${now === 1 ? "is" : "are"} there`;
    return { what: before > now ? "missing" : "extra", reason };
  }
  if ((written?.digest ?? "0") === (there?.digest ?? "0")) return undefined;
  return { what: "edited", reason: "the rows are not those their digest was made of" };
}
