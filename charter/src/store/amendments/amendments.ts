import { type Amendment, type Scope, sealedDigest } from "../../amend/amendment.ts";
import { scopeOf } from "../event.ts";
import type { Database, Home } from "../home/database.ts";
import type { Page } from "../home/page.ts";
import { joinQueries, listOf, sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import type { Texts } from "../texts/text.ts";
import { type AmendmentRow, fromSection, historyRows } from "./amendment-row.ts";

export type { AmendmentRow } from "./amendment-row.ts";

/** An amendment as the store has it. Text that was erased is `null`, and `erasedAt` says when. */
export type RecordedAmendment = Omit<Amendment, "before" | "after"> & {
  readonly before: string | null;
  readonly after: string | null;
  readonly erasedAt: string | null;
};

/** An amendment without its text, for lists. */
export type AmendmentEntry = Omit<Amendment, "before" | "after"> & { readonly erasedAt: string | null };

export function amendmentEntryOf(row: AmendmentRow): AmendmentEntry {
  const { section, revision, operation, actor, turn, at, previous, digest, key, erased_at } = row;
  const reason = erased_at === null ? row.reason : null;
  const facts = { scope: scopeOf(row), section, revision, operation, actor, turn, at, reason, previous, digest };
  return { ...facts, ...(key === null ? {} : { key }), erasedAt: erased_at };
}

/** Whether a row is the one that was written: each field is in its digest, the words by theirs. */
export function isIntactAmendment(row: AmendmentRow): boolean {
  const { section, revision, operation, actor, turn, at, previous, key } = row;
  const reasonHolds = row.erased_at !== null || (row.reason === null ? null : sha256(row.reason)) === row.reason_digest;
  const words = { before: row.before_digest, after: row.after_digest, reason: row.reason_digest };
  const facts = { scope: scopeOf(row), section, revision, operation, actor, turn, at, previous };
  const sealed = { ...facts, ...words, ...(key === null ? {} : { key }) };
  return reasonHolds && sealedDigest(sealed, sha256) === row.digest;
}

export async function amendmentAt(db: Database, scope: Scope, section: string, revision: number) {
  return db.one<AmendmentRow>(sql`select * ${fromSection(scope, section)} and revision = ${revision}`);
}

/** A section's rows from a revision down, newest first. */
export async function amendmentsDown(db: Database, scope: Scope, section: string, from: number, limit: number) {
  return db.all<AmendmentRow>(
    sql`select * ${fromSection(scope, section)} and revision <= ${from} order by revision desc limit ${limit}`,
  );
}

export async function insertAmendment(db: Database, texts: Texts, amendment: Amendment): Promise<void> {
  const { scope, section, revision, operation, actor, turn, at, reason, before, after, previous, digest } = amendment;
  const key = amendment.key ?? null;
  const owner = scope.user ?? "";
  const beforeDigest = await texts.put(db, owner, before);
  const afterDigest = await texts.put(db, owner, after, beforeDigest);
  await db.run(sql`insert into amendments (agent, user_id, section, revision, operation, actor, turn, at, reason,
      reason_digest, before_digest, after_digest, previous, digest, key, erased_at)
    values (${scope.agent}, ${owner}, ${section}, ${revision}, ${operation}, ${actor}, ${turn}, ${at}, ${reason},
      ${reason === null ? null : sha256(reason)}, ${beforeDigest}, ${afterDigest}, ${previous}, ${digest}, ${key}, ${null})`);
  await db.run(sql`insert into standings (agent, user_id, section, revision, digest, words)
    values (${scope.agent}, ${owner}, ${section}, ${revision}, ${digest}, ${after})
    on conflict (agent, user_id, section) do update
      set revision = excluded.revision, digest = excluded.digest, words = excluded.words`);
}

/** The revisions of a section after one, up to another. */
export type RevisionRange = {
  readonly scope: Scope;
  readonly section: string;
  readonly after: number;
  readonly upTo: number;
};

/** So many conditions are asked together: a database takes only so many. */
const together = 100;

/** `store.history`: the amendments of sections. */
export type AmendmentHistory = {
  /** Newest first, without their text. */
  readonly list: (
    scope: Scope,
    section: string,
    page?: Page & { readonly before?: number },
  ) => Promise<AmendmentEntry[]>;
  /** Newest first, with their text. */
  readonly listWhole: (
    scope: Scope,
    section: string,
    page?: Page & { readonly before?: number },
  ) => Promise<RecordedAmendment[]>;
  readonly at: (scope: Scope, section: string, revision: number) => Promise<RecordedAmendment | undefined>;
  /** Whether a section ever said exactly this. */
  readonly has: (scope: Scope, section: string, text: string) => Promise<boolean>;
  /** The amendments of several sections, each within a range of revisions: without their text, oldest first. */
  readonly between: (wanted: readonly RevisionRange[]) => Promise<AmendmentEntry[]>;
  /** The sections of a scope that were ever amended, and how often. */
  readonly sections: (scope: Scope) => Promise<{ section: string; revision: number }[]>;
  /** How many sections of each of these agents, not of its users, were ever amended; one without any is not in it. */
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
        const row = await db.one(sql`select 1 as there from amendments where agent = ${scope.agent}
          and user_id = ${scope.user ?? ""} and section = ${section} and after_digest = ${sha256(text)} limit 1`);
        return row !== undefined;
      }),
    between: (wanted) =>
      home.read("everything", async (db) => {
        const out: AmendmentEntry[] = [];
        for (let from = 0; from < wanted.length; from += together) {
          const those = wanted
            .slice(from, from + together)
            .map(
              ({ scope: { agent, user = "" }, section, after, upTo }) =>
                sql`(agent = ${agent} and user_id = ${user} and section = ${section} and revision > ${after} and revision <= ${upTo})`,
            );
          const rows = await db.all<AmendmentRow>(
            sql`select * from amendments where ${joinQueries(those, " or ")} order by section, revision`,
          );
          out.push(...rows.map(amendmentEntryOf));
        }
        return out;
      }),
    sections: (scope) =>
      home.read(scope, (db) =>
        db.all(sql`select section, revision from standings where agent = ${scope.agent}
          and user_id = ${scope.user ?? ""} order by section`),
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
