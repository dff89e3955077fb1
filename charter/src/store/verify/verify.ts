import { badArgument, isFunction, kindOf } from "../../prompt/argument.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import { type EventRow, messagesLetGo, turnEnded } from "../event.ts";
import type { Home } from "../home/database.ts";
import { countRows, matching } from "../home/query.ts";
import { ownerName, sealFaults, sealsOf } from "../home/seals.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns } from "../home/table.ts";
import { isSealed, ownerWords } from "../home/table-statements.ts";
import { checkAllKnown } from "../schema.ts";
import { walkAmendments, walkAttachments, walkSteps } from "./hash-chains.ts";
import {
  createFaults,
  createHashChainReach,
  createSeenTexts,
  createTextProofs,
  type RevisionMention,
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
    await checkAllKnown(db, home);
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
    const present = await sealsOf(db, sealed, db.dialect.rowSeal(sealed), agent);
    for (const seal of present.values()) rows += seal.count;
    for (const { owner, ...wrong } of await sealFaults(db, sealed.name, present, agent))
      faults.add({ table: sealed.name, row: ownerName(owner), ...wrong });
    await breathe();
  }
  return rows;
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
async function walkTexts(walk: Walk): Promise<{ readonly texts: number; readonly orphans: number }> {
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

/** A rule about rows that other rows mention. `query` finds those that are mentioned and missing. */
type MentionRule = {
  readonly table: string;
  readonly reason: string;
  readonly query: Query;
  /** Limits the rule to ids in the form that the store itself makes (see `Reference`). */
  readonly anyName?: true | undefined;
};
type MissingRow = { agent: string; user_id: string | null; name: string | null };

const maxMissing = 1000;

/** Form of the ids that the store itself makes (`deps.ts`). */
const ownName = /^[0-9a-z]{17}$/;

/** Reports rows that are missing and still mentioned elsewhere: the store never deletes a row without those that mention it. */
async function walkMentions(walk: Walk): Promise<void> {
  const { db, faults, reached } = walk;
  for (const { table, reason, query, anyName } of [...agentRules(walk), ...referenceRules(walk), ...otherRules(walk)])
    for (const { agent, user_id, name } of await db.all<MissingRow>(sql`${query} limit ${maxMissing}`)) {
      const owner = ownerName({ agent, ...(user_id === null ? {} : { user_id }) });
      const row = name === null ? owner : `${owner}, ${name}`;
      if (!anyName || ownName.test(name ?? "")) faults.add({ table, row, what: "missing", reason });
    }
  const whose = raw("case when h.shared = 1 then '' else h.user_id end");
  const approved = await db.all<{ id: string; agent: string; user_id: string; section: string; revision: number }>(
    sql`select h.id, h.agent, ${whose} as user_id, h.section, h.revision from held h where h.status = 'approved'
      and h.revision is not null and ${ofAgent(walk, "h")} and not exists (select 1 from amendments a where a.agent = h.agent
        and a.user_id = ${whose} and a.section = h.section and a.revision = h.revision) limit ${maxMissing}`,
  );
  await reached.compare(approved.map(({ id, ...row }) => ({ ...row, by: `the proposal ${id} was approved as it` })));
  await countErased(walk);
  await eventsGone(walk);
}

const ofAgent = ({ agent }: Pick<Walk, "agent">, table: string) => matching({ [`${table}.agent`]: agent });

/** Returns the rules for agents: every row that names an agent mentions it. */
function agentRules(walk: Walk): MentionRule[] {
  // Exceptions: current texts are covered by their amendments, and anyone may record an event, of which only `agent-set` is the
  // store's own.
  const but = ["standings", "seals", "agents"];
  return walk.tables.flatMap((made): MentionRule[] => {
    const { agent } = ownerColumns(made);
    if (agent === undefined || but.includes(made.name)) return [];
    const query = sql`select ${raw(agent)} as agent, null as user_id, null as name from ${raw(made.name)} t
      where ${raw(agent)} is not null and ${matching({ kind: made.name === "events" ? "agent-set" : undefined })}
        and ${matching({ [agent]: walk.agent })}
        and not exists (select 1 from agents a where a.name = t.${raw(agent)}) group by 1`;
    return [{ table: "agents", reason: `${made.name} tell of it`, query }];
  });
}

const lacking = (table: string, on: string) => sql`not exists (select 1 from ${raw(table)} o where ${raw(on)})`;

/** Returns the rules for columns that are declared to refer to other rows. */
function referenceRules(walk: Walk): MentionRule[] {
  return walk.tables.flatMap((made) =>
    made.all.flatMap(({ column, refers }): MentionRule[] => {
      const { agent: whose } = ownerColumns(made);
      if (!refers || (walk.agent !== undefined && whose === undefined)) return [];
      const { to, because: reason, anyName, unless = "false" } = refers;
      const [agent, user] = ownerWords(made, "t.");
      const other = walk.tables.find(({ name }) => name === to);
      if (!other) return [];
      const of = ownerColumns(other);
      const sameKey = other.key
        .map((one) => `o.${one} = ${one === of.agent ? agent : one === of.user ? user : `t.${column}`}`)
        .join(" and ");
      const query = sql`select ${raw(agent)} as agent, ${raw(user)} as user_id, t.${raw(column)} as name
        from ${raw(made.name)} t where t.${raw(column)} is not null and not (${raw(unless)})
          and ${raw(anyName ? `length(t.${column}) = 17` : "1 = 1")} and ${lacking(to, sameKey)}
          and ${matching({ [`t.${whose}`]: walk.agent })} group by 1, 2, 3`;
      return [{ table: to, reason, query, anyName }];
    }),
  );
}

/** Returns the rules for rows that prove others by being there, not by a column. */
function otherRules(walk: Walk): MentionRule[] {
  const tellers = (table: string, name: string, where: Query) => sql`select t.agent, t.user_id, ${raw(name)} as name
    from ${raw(table)} t where ${where} and ${ofAgent(walk, "t")}`;
  const sameOwner = "o.agent = t.agent and o.user_id = t.user_id";
  const answered = sql`t.status = 'answered' and ${lacking("outbox", "o.agent = t.agent and o.message = t.id")}`;
  return [
    {
      table: "conversations",
      reason: "exchanges of it are there",
      query: sql`${tellers("exchanges", "null", lacking("conversations", sameOwner))} group by t.agent, t.user_id`,
    },
    {
      table: "exchanges",
      reason: "their conversation is there",
      query: tellers("conversations", "null", lacking("exchanges", sameOwner)),
    },
    { table: "outbox", reason: "the message it answers is there", query: tellers("inbox", "t.id", answered) },
  ];
}

/**
 * Compares an erased user's amendments with the events about them, which say no more than that there was one: at least so many
 * must be there.
 */
async function countErased(walk: Walk): Promise<void> {
  const { db, faults } = walk;
  const rows = await db.all<{ agent: string; user_id: string; told: number; kept: number }>(sql`
    select e.agent, e.user_id, e.told, (select count(*) from amendments a
        where a.agent = e.agent and a.user_id = e.user_id) as kept
    from (select t.agent, t.user_id, count(*) as told from events t
      where t.kind = 'amended' and ${ofAgent(walk, "t")} group by t.agent, t.user_id having min(t.detail) = '{}') e`);
  const isNamed = (owner: string) => faults.list.some(({ row, what }) => what === "missing" && row.startsWith(owner));
  for (const { told, kept, ...owner } of rows)
    if (told > kept && !isNamed(ownerName(owner))) {
      const because = `events tell of ${told}, and ${kept} are there`;
      faults.add({ table: "amendments", row: ownerName(owner), what: "missing", reason: because });
    }
}

/** Reports a store without any events: adding an agent leaves an event, and so does deleting events by retention. */
async function eventsGone({ db, agent, faults }: Walk): Promise<void> {
  const anyEvent = await db.one(sql`select 1 as there from events limit 1`);
  if (anyEvent || agent !== undefined) return;
  const anyMention = await db.one(
    raw(`select 1 as there where exists (select 1 from agents)
    or exists (select 1 from turns) or exists (select 1 from amendments)`),
  );
  if (!anyMention) return;
  const because = "there are agents, turns or amendments, and not one event";
  faults.add({ table: "events", row: "all of them", what: "missing", reason: because });
}

/** A row that an event mentions, by its table and id. */
type EventMention = { readonly table: StoreFault["table"]; readonly id: string; readonly event: EventRow };

const eventsPerPage = 500;

/** Kinds of events that the store itself records about its rows. A host may record others, and say in them what it likes. */
const kinds = [
  ...["amended", turnEnded, "amendment-held", "held-approved", "held-rejected", "tool-held", "message-answered"],
  ...["message-dead", "chat-linked", "chat-unlinked", "user-erased", messagesLetGo],
] as const;

/** Checks the rows that events mention: each of them is there, or was erased. Rows outlast their events. */
async function walkEvents(walk: Walk): Promise<void> {
  const { db, agent, faults, reached, breathe } = walk;
  const missing: EventMention[] = [];
  const linked = new Map<string, EventRow>();
  const erased = new Set<string>();
  const letGo = new Map<string, string>();
  for (let last = -1; ; ) {
    const rows = await db.all<EventRow>(sql`select * from events where id > ${last}
      and kind in ${listOf(kinds)} and ${matching({ agent })} order by id limit ${eventsPerPage}`);
    const read = rows.map((event) => ({ event, detail: detailOf(event) }));
    await reached.compare(read.flatMap(({ event, detail }) => amendmentTold(event, detail)));
    const mentions = read.flatMap(({ event, detail }) => rowsTold(event, detail));
    for (const [table, some] of Map.groupBy(mentions, ({ table }) => table))
      missing.push(...(await notThere(walk, table, some)));
    for (const { event, detail } of read) {
      const { kind } = event;
      const chat = JSON.stringify([event.agent, event.user_id, detail.channel]);
      if (kind === "user-erased" && typeof detail.user === "string")
        erased.add(JSON.stringify([event.agent, detail.user]));
      else if (kind === messagesLetGo && typeof detail.before === "string") letGo.set(event.agent, detail.before);
      else if (kind === "chat-unlinked") linked.delete(chat);
      else if (kind === "chat-linked" && detail.channel !== undefined) linked.set(chat, event);
    }
    last = rows.at(-1)?.id ?? last;
    await breathe();
    if (rows.length < eventsPerPage) break;
  }
  missing.push(...(await unlinked(walk, linked)));
  for (const { table, id, event } of missing) {
    // Erasure of the owner may have come later: it leaves turns and amendments, and deletes all else.
    if (table !== "turns" && erased.has(JSON.stringify([event.agent, event.user_id]))) continue;
    // Retention deletes messages from before that time. An event is never older than its message, but may be younger, so only its
    // own time counts.
    if ((table === "inbox" || table === "outbox") && event.at < (letGo.get(event.agent) ?? "")) continue;
    const row = `${ownerName(event)}, ${id}`;
    faults.add({ table, row, what: "missing", reason: `event ${event.id} (${event.kind}) tells of it` });
  }
}

type Detail = Readonly<Record<string, unknown>>;

function detailOf({ detail }: EventRow): Detail {
  try {
    return Object(JSON.parse(detail));
  } catch {
    return {};
  }
}

function amendmentTold(event: EventRow, { section, revision }: Detail): RevisionMention[] {
  const amends = event.kind === "amended" || event.kind === "held-approved";
  if (!amends || typeof section !== "string" || !Number.isSafeInteger(revision)) return [];
  const { agent, user_id, id, kind } = event;
  return [{ agent, user_id, section, revision: revision as number, by: `event ${id} (${kind}) tells of it` }];
}

function rowsTold(event: EventRow, { held, message, reply }: Detail): EventMention[] {
  const mention = (table: EventMention["table"], id: unknown) => (typeof id === "string" ? [{ table, id, event }] : []);
  if (event.kind === turnEnded) return mention("turns", event.turn);
  if (event.kind === "tool-held") return mention("held_calls", held);
  if (event.kind === "amendment-held" || event.kind.startsWith("held-")) return mention("held", held);
  if (event.kind === "message-dead") return mention("inbox", message);
  if (event.kind === "message-answered") return [...mention("inbox", message), ...mention("outbox", reply)];
  return [];
}

/** Returns the mentioned rows that are not there. A call that was held in an erased turn was deleted with it. */
async function notThere(
  { db }: Walk,
  table: EventMention["table"],
  told: readonly EventMention[],
): Promise<EventMention[]> {
  const ids = listOf([...new Set(told.map(({ id }) => id))]);
  const rows = await db.all<{ id: string }>(sql`select id from ${raw(table)} where id in ${ids}`);
  const present = new Set(rows.map(({ id }) => id));
  const missing = told.filter(({ id }) => !present.has(id));
  if (table !== "held_calls" || missing.length === 0) return missing;
  const turns = listOf([...new Set(missing.map(({ event }) => event.turn ?? ""))]);
  const erased = await db.all<{ id: string }>(sql`select id from turns where state = 'erased' and id in ${turns}`);
  return missing.filter(({ event }) => !erased.some(({ id }) => id === event.turn));
}

/** Returns the chats whose last event says that they are linked, and which have no link. */
async function unlinked({ db, agent }: Walk, linked: Map<string, EventRow>): Promise<EventMention[]> {
  const links = await db.all<{ agent: string; user_id: string; channel: string }>(
    sql`select distinct agent, user_id, channel from links where ${matching({ agent })}`,
  );
  for (const { agent, user_id, channel } of links) linked.delete(JSON.stringify([agent, user_id, channel]));
  return [...linked].map(([key, event]) => ({ table: "links", id: `channel ${JSON.parse(key)[2]}`, event }));
}
