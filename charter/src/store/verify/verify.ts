import { badArgument, isFunction, kindOf } from "../../prompt/argument.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Database, Home } from "../home/database.ts";
import { countRows, matching } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { isSealed, ownerWords, sealedColumns } from "../home/table-statements.ts";
import { walkAmendments, walkAttachments, walkSteps } from "./hash-chains.ts";
import { walkEvents, walkMentions } from "./mentions.ts";
import {
  createFaults,
  createHashChainReach,
  createSeenTexts,
  createTextProofs,
  ownerName,
  type StoreFault,
  textName,
  type Walk,
  type WalkedTable,
} from "./walk.ts";

export type { StoreFault } from "./walk.ts";

import type { Table, TableColumn } from "../home/table.ts";

/** Findings of `verifyStore`. */
export type Verification = {
  readonly amendments: number;
  readonly steps: number;
  readonly texts: number;
  readonly attachments: number;
  /** Number of rows that are in no hash chain but under a seal: notes, tokens, schedules, messages, settings and so on. */
  readonly sealed: number;
  /** Number of amendments and steps whose text was erased; their hash chains are still valid. */
  readonly erased: number;
  /** Number of texts that nothing refers to any more. */
  readonly orphans: number;
  readonly faults: readonly StoreFault[];
  /** Number of faults beyond those that are listed. */
  readonly further: number;
  /** Descriptions of what was not checked: it may have been changed without being listed here. */
  readonly unproven: readonly string[];
};

/** Progress of `verifyStore`. */
export type WalkProgress = {
  readonly table: "amendments" | "steps" | "texts";
  readonly done: number;
  readonly of: number;
};

/** Scope of the check, and a listener for its progress. */
export type VerifyOptions = {
  /** Checks only this agent's hash chains, and the texts they refer to. */
  readonly agent?: string;
  readonly progress?: (at: WalkProgress) => void;
};

/**
 * Verifies every hash chain and every seal in the store, and lists what was changed, added or removed behind its back. It sees
 * one moment, while others continue to write. A person who can write the database can also forge the digests in it.
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

/** Data that can be changed without `verifyStore` noticing: a description, and the columns by table. */
type Unproven = { readonly words: string; readonly columns: Readonly<Record<string, readonly string[] | "all">> };

/** Lists what is no part of a hash chain, of a text's digest or of a seal, as the tables are declared. */
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
  const reasons = new Set(tables.flatMap((made) => noneOf(made) ?? []));
  return [
    ...[...reasons].map((words) => ({ words, columns: columnsOf((made) => noneOf(made) === words) })),
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

/**
 * Verifies the rows under seals: by owner, their number and the sum of their digests must be those written. Returns the number of
 * rows.
 */
async function walkSeals({ db, tables, agent, faults, breathe }: Walk): Promise<number> {
  let rows = 0;
  for (const sealed of tables.filter(isSealed)) {
    const present = await sealsOf(db, sealed, agent);
    const kept = await db.all<Seal>(
      sql`select agent, user_id, count, digest from seals where ${matching({ what: sealed.name, agent })}`,
    );
    const written = new Map(kept.map((seal) => [ownerKey(seal), { ...seal, count: Number(seal.count) }]));
    for (const seal of present.values()) rows += seal.count;
    for (const key of new Set([...written.keys(), ...present.keys()])) {
      const owner = (present.get(key) ?? written.get(key)) as Seal;
      const wrong = difference(written.get(key), present.get(key));
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

type KeyRow = {
  owner: string;
  digest: string;
  base: string | null;
  depth: number;
  packed: number;
  base_depth: number | null;
};

const textsPerPage = 400;

/** Verifies every text, even if no hash chain names it. `orphans`: the number of texts that nothing needs. */
export async function walkTexts(walk: Walk): Promise<{ readonly texts: number; readonly orphans: number }> {
  const { db, faults, proofs, tick } = walk;
  const bases = createSeenTexts();
  const unnamed: (readonly [owner: string, digest: string])[] = [];
  let texts = 0;
  for (let last: KeyRow | undefined; ; ) {
    const rows: KeyRow[] = await db.all<KeyRow>(textsAfter(last));
    for (const row of rows) {
      if (row.base !== null) bases.add(row.owner, row.base);
      if (!liesWell(row)) {
        const reason = "how it is packed was changed";
        faults.add({ table: "texts", row: textName(row.owner, row.digest), what: "edited", reason });
      }
    }
    const unseen = rows.filter(({ owner, digest }) => !proofs.seen.has(owner, digest));
    await proofs.prove(unseen.map(({ owner, digest }) => ({ owner, digest, by: "the texts' own list" })));
    for (const { owner, digest } of unseen) {
      unnamed.push([owner, digest]);
      if (isReceipt(proofs.text(owner, digest))) {
        const reason = "the receipt is there, and no step names it";
        faults.add({ table: "steps", row: `the step of ${textName(owner, digest)}`, what: "missing", reason });
      }
    }
    texts += rows.length;
    last = rows.at(-1);
    await tick("texts", rows.length);
    if (rows.length < textsPerPage) break;
  }
  await ownersWithoutChains(walk);
  return { texts, orphans: unnamed.filter(([owner, digest]) => !bases.has(owner, digest)).length };
}

/** Recognises a receipt: a text that nothing names may be left over, but a receipt is always named by its step. */
function isReceipt(text: string | undefined): boolean {
  if (!text?.startsWith('{"charter":')) return false;
  try {
    const { slots, lock } = JSON.parse(text) as Partial<Receipt>;
    return Array.isArray(slots) && typeof lock === "string";
  } catch {
    return false;
  }
}

/** Reports owners of texts without any amendment or step: those are the reason to store a text, so they were deleted. */
async function ownersWithoutChains({ db, faults }: Walk): Promise<void> {
  const some = raw("exists (select 1 from amendments) or exists (select 1 from steps)");
  const rows = await db.all<{ owner: string }>(sql`select t.owner from (select distinct owner from texts) t
    where t.owner not in (select user_id from amendments union select user_id from steps)
      and (t.owner <> '' or not (${some})) order by t.owner limit ${1000}`);
  for (const { owner } of rows) {
    const reason = "not one amendment or step is there that they were kept for";
    const row = owner === "" ? "the agents' common words" : `user ${owner}`;
    faults.add({ table: "texts", row, what: "extra", reason });
  }
}

/** Checks how a text is packed: as it is, alone, or against a text of less depth. The store writes nothing else. */
function liesWell({ base, depth, packed, base_depth }: KeyRow): boolean {
  if (packed !== 0 && packed !== 1) return false;
  if (base === null) return depth === 0;
  return packed === 1 && (base_depth === null || depth === base_depth + 1);
}

function textsAfter(last: KeyRow | undefined) {
  const from = last ? sql`(t.owner, t.digest) > (${last.owner}, ${last.digest})` : raw("1 = 1");
  return sql`select t.owner, t.digest, t.base, t.depth, t.packed, b.depth as base_depth
    from texts t left join texts b on b.owner = t.owner and b.digest = t.base
    where ${from} order by t.owner, t.digest limit ${textsPerPage}`;
}

/** Seal of an owner's rows: their number, and the sum of their digests. */
export type Seal = {
  readonly agent: string;
  readonly user_id: string;
  readonly count: number;
  readonly digest: string;
};

/** Computes the seals of a table's rows, by owner: all, or those of one agent. */
export async function sealsOf(db: Database, made: Table, only?: string): Promise<Map<string, Seal>> {
  const [agent, user] = ownerWords(made);
  const seals = new Map<string, { agent: string; user_id: string; count: number; digest: bigint }>();
  const ofOwner = only === undefined ? raw("") : sql`where ${raw(agent)} = ${only}`;
  const rows = db.each<{ agent: string; user_id: string; seal: string }>(sql`select ${raw(agent)} as agent,
    ${raw(user)} as user_id, ${db.dialect.rowSeal(sealedColumns(made))} as seal from ${raw(made.name)} ${ofOwner}`);
  for await (const { agent, user_id, seal } of rows) {
    const key = ownerKey({ agent, user_id });
    const one = seals.get(key) ?? { agent, user_id, count: 0, digest: 0n };
    one.count++;
    one.digest += BigInt(seal);
    seals.set(key, one);
  }
  return new Map([...seals].map(([key, one]) => [key, { ...one, digest: String(one.digest) }]));
}

export function ownerKey({ agent, user_id }: Pick<Seal, "agent" | "user_id">): string {
  return JSON.stringify([agent, user_id]);
}
