import type { Proposal } from "../../amend/amend.ts";
import { type Amendment, type Scope, sealedDigest } from "../../amend/amendment.ts";
import type { Operation, Refusal } from "../../amend/operation.ts";
import { type Charter, findSection } from "../../prompt/charter.ts";
import type { Occurrence, Span } from "../../prompt/prompt.ts";
import type { Actor } from "../../prompt/section.ts";
import type { Database, Home } from "../home/database.ts";
import { insertInto, onPage, ownRows, type Page, putInto, reachAround, recordOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, sql } from "../home/sql.ts";
import { code, count, digest, id, json, name, oneOf, type RowOf, table, text, time, truth } from "../home/table.ts";
import { copyScope } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import type { Texts } from "../texts/text.ts";

export const standings = table(
  "standings",
  {
    of: "user",
    key: ["agent", "user_id", "section"],
    isByKey: true,
    proof: "hashChain",
    isMarked: true,
    // Erasure keeps the row, which says where the hash chain ends, and removes its text.
    erase: { blank: { unless: "words = ''" } },
    exported: false,
  },
  { section: name(), revision: count(), digest: digest(), words: text() },
);

export const amendments = table(
  "amendments",
  {
    of: "user",
    key: ["agent", "user_id", "section", "revision"],
    isByKey: true,
    unique: { amendments_key: "(agent, user_id, key) where key is not null" },
    indexes: { amendments_turn: "(agent, user_id, turn) where turn is not null" },
    proof: "hashChain",
    isMarked: true,
    // Erasure writes its time into the reason too, so that changing only one of them shows.
    erase: { blank: { set: { erased_at: "{at}", reason: "{at}" }, unless: "erased_at is not null" } },
    exported: false,
  },
  {
    section: name(),
    revision: count(),
    operation: code<Operation["kind"]>(),
    actor: code<Actor>(),
    turn: id().nullable().refers("turns", "amendments were made in it", { anyName: true }),
    at: time(),
    reason: text().nullable(),
    reasonDigest: digest().nullable().hidden(),
    beforeDigest: digest().hidden(),
    afterDigest: digest().hidden(),
    previous: digest(),
    digest: digest(),
    key: id().optional(),
    erasedAt: time().nullable(),
  },
);

/** Text that a person put in place of the proposed one before approving it. */
export type EditedText = { readonly by: string; readonly actor: "operator" | "user"; readonly content: string };

export const held = table(
  "held",
  {
    of: "user",
    key: ["id"],
    unique: { held_key: "(agent, user_id, key) where key is not null" },
    indexes: { held_scope: "(agent, user_id, status)", held_waiting: "(agent) where status = 'waiting'" },
  },
  {
    id: id(),
    section: name(),
    proposal: json<Proposal>(),
    refusals: json<readonly Refusal[]>(),
    before: text(),
    after: text(),
    at: time(),
    key: id().nullable().hidden(),
    status: oneOf("waiting", "approved", "rejected"),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
    /** Revision that it became, if it was approved. */
    revision: count().nullable(),
    /** Text that was approved in place of the proposed one, and who edited it. */
    edited: json<EditedText>().nullable(),
    /** Shows that it is about text that all users read; its owner is then the user in whose turn it was proposed. */
    shared: truth().usual(0),
  },
);

export type AmendmentRow = RowOf<typeof amendments>;

/** An amendment as the store has it. Text that was erased is `null`, and `erasedAt` says when. */
export type RecordedAmendment = Omit<Amendment, "before" | "after"> & {
  readonly before: string | null;
  readonly after: string | null;
  readonly erasedAt: string | null;
};

/** An amendment without its text, for lists. */
export type AmendmentEntry = Omit<Amendment, "before" | "after"> & { readonly erasedAt: string | null };

export function amendmentEntryOf(row: AmendmentRow): AmendmentEntry {
  const entry = recordOf(amendments, row);
  return entry.erasedAt === null ? entry : { ...entry, reason: null };
}

/** Tells whether a row is as it was written: its digest covers every field, and the texts by their digests. */
export function isIntactAmendment(row: AmendmentRow): boolean {
  const { reason, reason_digest, before_digest: before, after_digest: after, erased_at } = row;
  const reasonHolds = erased_at !== null || (reason === null ? null : sha256(reason)) === reason_digest;
  const sealed = { ...recordOf(amendments, row), before, after, reason: reason_digest };
  return reasonHolds && sealedDigest(sealed, sha256) === row.digest;
}

export const fromSection = (scope: Scope, section: string): Query =>
  sql`from amendments where ${ownRows(scope)} and section = ${section}`;

/** Reads one page of a section's history, newest first. */
function historyRows(
  db: Database,
  scope: Scope,
  section: string,
  { before, ...page }: Page & { before?: number },
): Promise<AmendmentRow[]> {
  return db.all(sql`select * ${fromSection(scope, section)} and revision < ${before ?? Number.MAX_SAFE_INTEGER}
    order by revision desc ${onPage(page)}`);
}

export async function amendmentAt(db: Database, scope: Scope, section: string, revision: number) {
  return db.one<AmendmentRow>(sql`select * ${fromSection(scope, section)} and revision = ${revision}`);
}

/** Reads a section's rows from a revision down, newest first. */
export async function amendmentsDown(db: Database, scope: Scope, section: string, from: number, limit: number) {
  return db.all<AmendmentRow>(
    sql`select * ${fromSection(scope, section)} and revision <= ${from} order by revision desc limit ${limit}`,
  );
}

export async function insertAmendment(db: Database, texts: Texts, amendment: Amendment): Promise<void> {
  const { scope, section, revision, reason, before, after, digest } = amendment;
  const owner = scope.user ?? "";
  const beforeDigest = await texts.put(db, owner, before);
  const afterDigest = await texts.put(db, owner, after, beforeDigest);
  const reasonDigest = reason === null ? null : sha256(reason);
  await db.run(insertInto(amendments, { ...amendment, reasonDigest, beforeDigest, afterDigest }));
  await db.run(putInto(standings, { scope, section, revision, digest, words: after }));
}

/** A range of a section's revisions: those after one, up to another. */
export type RevisionRange = {
  readonly scope: Scope;
  readonly section: string;
  readonly after: number;
  readonly upTo: number;
};

/** Maximum number of conditions in one query, because databases limit its size. */
const maxRangesAtOnce = 100;

/** `store.history`: the amendments of sections. */
export type AmendmentHistory = {
  /** Lists amendments, newest first, without their text. */
  readonly list: (
    scope: Scope,
    section: string,
    page?: Page & { readonly before?: number },
  ) => Promise<AmendmentEntry[]>;
  /** Lists amendments, newest first, with their text. */
  readonly listWhole: (
    scope: Scope,
    section: string,
    page?: Page & { readonly before?: number },
  ) => Promise<RecordedAmendment[]>;
  readonly at: (scope: Scope, section: string, revision: number) => Promise<RecordedAmendment | undefined>;
  /** Tells whether a section ever had exactly this text. */
  readonly has: (scope: Scope, section: string, text: string) => Promise<boolean>;
  /** Lists the amendments of several sections, each within a range of revisions: without their text, oldest first. */
  readonly between: (wanted: readonly RevisionRange[]) => Promise<AmendmentEntry[]>;
  /** Lists the sections of a scope that were ever amended, and how often. */
  readonly sections: (scope: Scope) => Promise<{ section: string; revision: number }[]>;
  /** Counts the sections of each agent that were ever amended, without those of its users; an agent without any is left out. */
  readonly amended: (agents: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

export function createAmendmentHistory(home: Home, texts: Texts): AmendmentHistory {
  const whole = async (db: Database, row: AmendmentRow): Promise<RecordedAmendment> => {
    const words = async (digest: string) =>
      row.erased_at === null ? ((await texts.get(db, row.user_id, digest)) ?? null) : null;
    return { ...amendmentEntryOf(row), before: await words(row.before_digest), after: await words(row.after_digest) };
  };
  return {
    list: (scope, section, page = {}) =>
      home.read(scope, async (db) => (await historyRows(db, scope, section, page)).map(amendmentEntryOf)),
    listWhole: (scope, section, page = {}) =>
      home.read(scope, async (db) => {
        const out: RecordedAmendment[] = [];
        for (const row of await historyRows(db, scope, section, page)) out.push(await whole(db, row));
        return out;
      }),
    at: (scope, section, revision) =>
      home.read(scope, async (db) => {
        const row = await amendmentAt(db, scope, section, revision);
        return row && whole(db, row);
      }),
    has: (scope, section, text) =>
      home.read(scope, async (db) => {
        const withText = sql`${fromSection(scope, section)} and after_digest = ${sha256(text)}`;
        return (await db.one(sql`select 1 as there ${withText} limit 1`)) !== undefined;
      }),
    between: (wanted) =>
      home.read(reachAround(wanted.map(({ scope }) => scope)), async (db) => {
        const out: AmendmentEntry[] = [];
        for (let from = 0; from < wanted.length; from += maxRangesAtOnce) {
          const ranges = wanted
            .slice(from, from + maxRangesAtOnce)
            .map(
              ({ scope, section, after, upTo }) =>
                sql`(${ownRows(scope)} and section = ${section} and revision > ${after} and revision <= ${upTo})`,
            );
          const rows = await db.all<AmendmentRow>(
            sql`select * from amendments where ${joinQueries(ranges, " or ")} order by section, revision`,
          );
          out.push(...rows.map(amendmentEntryOf));
        }
        return out;
      }),
    sections: (scope) =>
      home.read(scope, (db) =>
        db.all(sql`select section, revision from standings where ${ownRows(scope)} order by section`),
      ),
    amended: async (agents) => {
      if (agents.length === 0) return new Map();
      const rows = await home.read("everything", (db) =>
        db.all<{ agent: string; count: number }>(sql`select agent, count(*) as count from standings
          where agent in ${listOf(agents)} and user_id = '' group by agent`),
      );
      return new Map(rows.map(({ agent, count }) => [agent, Number(count)]));
    },
  };
}

/** Amendment that wrote some text, or the original if the text was there from the start. */
export type Author =
  | Pick<RecordedAmendment, "revision" | "operation" | "actor" | "turn" | "at" | "reason">
  | "original";

/** Author of each span of an occurrence; undefined for spans that were never amended. */
export type Authors = readonly (Author | undefined)[];

/** Returns a function from a section to the scope of its copy in a prompt, as the charter says. */
export function copiesIn(charter: Charter, { agent = "", user }: Partial<Scope>): (section: string) => Scope {
  const scope = { agent, ...(user === undefined ? {} : { user }) };
  return (section) => copyScope(findSection(charter, section), scope);
}

/**
 * Maximum number of revisions that are searched for an author; older text is attributed to the last revision that was looked at.
 */
const maxRevisionsSearched = 1000;

/** Finds the author of the text of each amended span: not the last to change the section, but the one who wrote this text. */
export async function authorsIn(
  history: AmendmentHistory,
  copyOf: (section: string) => Scope,
  text: string,
  found: readonly Occurrence[],
): Promise<ReadonlyMap<Occurrence, Authors>> {
  if (!found.some(({ spans }) => spans.some(isAmended))) return new Map();
  const known = new Map<string, Promise<Author | undefined>>();
  const authorOf = (span: Span, words: string) => {
    const { section } = span;
    const key = JSON.stringify([section, words]);
    const author = known.get(key) ?? walkBack(history, copyOf(section), section, span, words);
    known.set(key, author);
    return author;
  };
  const authors = new Map<Occurrence, (Author | undefined)[]>();
  for (const one of found) {
    const words = (span: Span) => text.slice(Math.max(one.start, span.start), Math.min(one.end, span.end));
    const each = one.spans.map((span) => (isAmended(span) ? authorOf(span, words(span)) : undefined));
    authors.set(one, await Promise.all(each));
  }
  return authors;
}

function isAmended({ revision }: Span): boolean {
  return revision !== null && revision > 0;
}

/** Walks back from the current revision to the one that brought the text in. */
async function walkBack(
  history: AmendmentHistory,
  scope: Scope,
  section: string,
  { revision: stands }: Span,
  words: string,
): Promise<Author | undefined> {
  let last: RecordedAmendment | undefined;
  for (let before = (stands ?? 0) + 1, seen = 0; before > 1 && seen < maxRevisionsSearched; ) {
    const page = await history.listWhole(scope, section, { limit: 50, before });
    for (const one of page) {
      // Text that a section shows in another form than it is stored in cannot be followed further back.
      if (last !== undefined && !one.after?.includes(words)) return authorFrom(last);
      last = one;
      if (!one.before?.includes(words)) return authorFrom(one);
    }
    seen += page.length;
    before = page.at(-1)?.revision ?? 1;
  }
  return last && (last.revision === 1 ? "original" : authorFrom(last));
}

function authorFrom({ revision, operation, actor, turn, at, reason }: RecordedAmendment): Author {
  return { revision, operation, actor, turn, at, reason };
}
