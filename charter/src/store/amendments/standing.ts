import type { Scope } from "../../amend/amendment.ts";
import type { NewestRevision } from "../../amend/ledger.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { type Charter, sectionScope } from "../../prompt/charter.ts";
import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Standing } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { Events } from "../event.ts";
import type { Database, Home } from "../home/database.ts";
import { keepReadings, onPage, ownRows, type Page } from "../home/query.ts";
import { joinQueries, type Query, sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { amendableSections, checkScope } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import type { Texts } from "../texts/text.ts";
import {
  type AmendmentRow,
  amendments,
  amendmentsDown,
  fromSection,
  isIntactAmendment,
  standings,
} from "./amendments.ts";

/**
 * Says why a stored text must not be used (a lowered limit, a missing opening); `undefined` if it may. The newest revision
 * without a fault is used instead.
 */
export type StandingFault = (section: string, text: string) => string | undefined;

/** Newest text of a section that can be trusted; `trouble` says why that is of an earlier revision. */
type FoundStanding = NewestRevision & { readonly trouble?: string };

/** Row with a section's current text, stored beside its history, and the amendment it comes from. */
type StandingHead = RowOf<typeof standings>;

/** Checks that a section's newest amendment and the text stored beside the history prove each other. */
type ProofCheck = (row: AmendmentRow, head: StandingHead) => boolean;

const proves: ProofCheck = (row, head) =>
  row.erased_at === null &&
  row.revision === head.revision &&
  row.digest === head.digest &&
  sha256(head.words) === row.after_digest &&
  isIntactAmendment(row);

/**
 * Creates a check that remembers its results: rows that proved each other once are compared with before, and digested again only
 * if something in them changed.
 */
function createProofCache(): ProofCheck {
  const proved = createBoundedMap<string, { readonly row: AmendmentRow; readonly head: StandingHead }>(1000);
  return (row, head) => {
    const key = `${row.agent}\0${row.user_id}\0${row.section}`;
    const before = proved.get(key);
    if (before && isSame(before.row, row) && isSame(before.head, head)) return true;
    if (!proves(row, head)) return false;
    proved.set(key, { row, head });
    return true;
  };
}

function isSame<Row extends object>(one: Row, other: Row): boolean {
  if (one === other) return true;
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}

/** Arguments for reading current texts. */
type StandingDeps = {
  readonly db: Database;
  readonly texts: Texts;
  readonly fault: StandingFault;
  readonly proves?: ProofCheck;
};

/**
 * Finds the newest valid text of the sections of one scope.
 *
 * The usual case is two look-ups by key for each section: the end of the hash chain, and the text stored beside it. When they do
 * not prove each other (an edited row, a lost one, a limit that was lowered), the chain is walked back to the newest revision
 * that does. Corrupt is never treated as empty: an old agent does not wake up as a newborn.
 */
async function findStandings(
  deps: StandingDeps,
  scope: Scope,
  sections: readonly Section[],
): Promise<Map<string, FoundStanding>> {
  const standings = new Map<string, FoundStanding>();
  const ends = await readEnds(deps.db, scope, sections);
  for (const section of sections) {
    const end = ends.get(section.name);
    if (end) standings.set(section.name, provenBy(deps, section, end) ?? (await walkBack(deps, scope, section, end)));
  }
  return standings;
}

/** Reads the newest amendment and the current text of each section; a section that was never amended has none. */
async function readEnds(db: Database, scope: Scope, sections: readonly Section[]): Promise<ReadonlyMap<string, Ends>> {
  const ends = new Map<string, Ends>();
  if (sections.length === 0) return ends;
  const newest: AmendmentRow[] = [];
  for (let from = 0; from < sections.length; from += maxSectionsAtOnce)
    newest.push(...(await db.all<AmendmentRow>(newestOf(sections.slice(from, from + maxSectionsAtOnce), scope))));
  const heads = await db.all<StandingHead>(sql`select * from standings where ${ownRows(scope)}`);
  for (const { name } of sections) {
    const row = newest.find((one) => one.section === name);
    const head = heads.find((one) => one.section === name);
    if (row || head) ends.set(name, { newest: row, head });
  }
  return ends;
}

/** Returns the text stored beside a section's history, if the history proves it and it may be used. */
function provenBy(
  { fault, proves: prove = proves }: Pick<StandingDeps, "fault" | "proves">,
  { name }: Section,
  { newest: row, head }: Ends,
): FoundStanding | undefined {
  if (!row || !head || !prove(row, head) || fault(name, head.words) !== undefined) return undefined;
  return { revision: row.revision, digest: row.digest, text: head.words };
}

/** Maximum number of sections in one query: no database takes a query of thousands of parts. */
const maxSectionsAtOnce = 100;

/**
 * Text of the query for each number of sections: it is the same every time, so that a home recognises a statement it has
 * prepared.
 */
const queryTexts = new Map<number, Query["texts"]>();

function newestOf(sections: readonly Section[], scope: Scope): Query {
  const each = sections.map(
    ({ name }) => sql`select * from (select * ${fromSection(scope, name)} order by revision desc limit 1) newest`,
  );
  const texts = queryTexts.get(sections.length) ?? joinQueries(each, " union all ").texts;
  queryTexts.set(sections.length, texts);
  return { texts, values: each.flatMap(({ values }) => values) };
}

type Ends = { readonly newest: AmendmentRow | undefined; readonly head: StandingHead | undefined };

async function walkBack(
  { db, texts, fault }: StandingDeps,
  scope: Scope,
  { name, original = "" }: Section,
  { newest, head }: Ends,
): Promise<FoundStanding> {
  const { trouble: first, ...end } = endOf(newest, head);
  let trouble = first;
  for (let from = end.revision; from > 0; ) {
    const rows = await amendmentsDown(db, scope, name, from, 20);
    for (const [index, row] of rows.entries()) {
      if (isErased(row, rows[index + 1], head))
        return { ...end, text: original, stands: 0, ...(trouble ? { trouble } : {}) };
      if (row.erased_at !== null) trouble ??= `revision ${row.revision} is marked as erased and was not`;
      const text = isIntactAmendment(row) ? await texts.get(db, row.user_id, row.after_digest) : undefined;
      const wrong = text === undefined ? "it was changed behind the store's back" : fault(name, text);
      if (text !== undefined && wrong === undefined)
        return row.revision === end.revision && !trouble
          ? { ...end, text }
          : { ...end, text, stands: row.revision, ...(trouble ? { trouble } : {}) };
      trouble ??= `revision ${row.revision} cannot be used: ${wrong}`;
    }
    const last = rows.at(-1);
    if (!last) break;
    from = last.revision - 1;
  }
  return { ...end, text: original, stands: 0, trouble: trouble ?? "its history is missing" };
}

/**
 * Tells whether a row was really erased. Erasure covers a whole history and the text beside it: if either is left, the mark was
 * set behind the store's back.
 */
function isErased(row: AmendmentRow, below: AmendmentRow | undefined, head: StandingHead | undefined): boolean {
  if (row.erased_at === null || below?.erased_at === null) return false;
  return !head || head.words === "" || sha256(head.words) !== row.after_digest;
}

type End = Pick<FoundStanding, "revision" | "digest" | "trouble">;

/**
 * Finds where a hash chain ends, by its newest row and by the text stored beside it. If one of them was changed, the other is
 * believed.
 */
function endOf(newest: AmendmentRow | undefined, head: StandingHead | undefined): End {
  const changed = "the words kept beside its history were changed behind the store's back";
  if (!newest) {
    const { revision, digest } = head as StandingHead;
    return { revision, digest, trouble: `revision ${revision} is missing` };
  }
  const { revision, digest } = newest;
  if (!head) return { revision, digest, trouble: "the words kept beside its history are missing" };
  if (head.revision > revision && head.digest !== digest)
    return { revision: head.revision, digest: head.digest, trouble: `revision ${head.revision} is missing` };
  if (!isIntactAmendment(newest)) return { revision, digest: head.digest };
  const agree = head.revision === revision && head.digest === digest && sha256(head.words) === newest.after_digest;
  return { revision, digest, ...(agree || newest.erased_at !== null ? {} : { trouble: changed }) };
}

/** `store.standings`: the current text of amendable sections. */
export type Standings = {
  /**
   * Returns the current text of every amendable section, for an agent and, if given, one user: the `standing` of a
   * `SourceContext`.
   */
  readonly read: (charter: Charter, scope: Scope, fault?: StandingFault) => Promise<Readonly<Record<string, Standing>>>;
  /** Lists the users who have their own text with an agent. */
  readonly users: (agent: string, page?: Page) => Promise<string[]>;
};

export function createStandings(home: Home, texts: Texts, events: Events): Standings {
  const proves = createProofCache();
  const keptEnds = keepReadings<readonly ReadonlyMap<string, Ends>[]>(home, [amendments, standings]);
  /**
   * Finds the current texts in kept readings while nothing was written; a section whose rows do not prove each other is looked up
   * in the database.
   */
  const find = async (charter: Charter, scope: Scope, fault: StandingFault): Promise<readonly ScopedStanding[]> => {
    const scopes = sectionsByScope(charter, scope);
    const key = JSON.stringify(scopes.map(({ whose, sections }) => [whose, sections.map(({ name }) => name)]));
    const ends = await keptEnds(key, () =>
      home.read(scope, async (db) => {
        const all: ReadonlyMap<string, Ends>[] = [];
        for (const { whose, sections } of scopes) all.push(await readEnds(db, whose, sections));
        return all;
      }),
    );
    const out: ScopedStanding[] = [];
    for (const [index, { whose, sections }] of scopes.entries())
      for (const section of sections) {
        const end = ends[index]?.get(section.name);
        const proven = end && provenBy({ fault, proves }, section, end);
        if (end && !proven) return home.read(scope, (db) => standingsOf({ db, texts, fault, proves }, charter, scope));
        if (proven) out.push({ section: section.name, whose, found: proven });
      }
    return out;
  };
  const last = createBoundedMap<string, { readonly found: FoundStanding; readonly standing: Standing }>(1000);
  /** Returns the same object for a text that did not change, so that it is not rendered or counted again. */
  const asBefore = ({ section, whose }: ScopedStanding, found: FoundStanding): Standing => {
    const key = `${whose.agent}\0${whose.user ?? ""}\0${section}`;
    const before = last.get(key);
    if (before && isSame(before.found, found) && isSame(found, before.found)) return before.standing;
    const standing = standingOf(section, found);
    last.set(key, { found, standing });
    return standing;
  };
  /** Records trouble as an event, once. If that cannot be written, the text is read all the same, and the trouble says so. */
  const noted = async ({ section, whose, found }: ScopedStanding): Promise<FoundStanding> => {
    const { trouble: because, revision, stands = revision } = found;
    if (because === undefined) return found;
    try {
      const detail = { section, revision, stands, because };
      await events.recordOnce({ scope: whose, kind: "standing-invalid", detail });
      return found;
    } catch (error) {
      rethrowUnlessProblem(error);
      return { ...found, trouble: `${because} (which could not be recorded: ${error.code})` };
    }
  };
  return {
    users: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ user_id: string }>(sql`select distinct user_id from standings
          where agent = ${agent} and user_id <> '' order by user_id ${onPage(page)}`);
        return rows.map(({ user_id }) => user_id);
      }),
    read: async (charter, scope, fault = () => undefined) => {
      if (typeof scope?.agent !== "string") checkScope(scope);
      const read: [string, Standing][] = [];
      for (const one of await find(charter, scope, fault)) read.push([one.section, asBefore(one, await noted(one))]);
      return Object.fromEntries(read);
    },
  };
}

export type ScopedStanding = { readonly section: string; readonly whose: Scope; readonly found: FoundStanding };

/** Finds the current texts of both scopes of a turn: the agent's sections, and those that each user has. */
export async function standingsOf(deps: StandingDeps, charter: Charter, scope: Scope): Promise<ScopedStanding[]> {
  const out: ScopedStanding[] = [];
  for (const { whose, sections } of sectionsByScope(charter, scope))
    for (const [section, found] of await findStandings(deps, whose, sections)) out.push({ section, whose, found });
  return out;
}

function sectionsByScope(charter: Charter, scope: Scope): { readonly whose: Scope; readonly sections: Section[] }[] {
  const all = amendableSections(charter);
  return [{ agent: scope.agent }, ...(scope.user === undefined ? [] : [scope])].map((whose) => ({
    whose,
    sections: all.flatMap(({ section, layer }) =>
      (sectionScope(section, layer) === "user") === "user" in whose ? [section] : [],
    ),
  }));
}

export function standingOf(section: string, { text, revision, stands, trouble }: FoundStanding): Standing {
  const used = stands ?? revision;
  const instead = used === 0 ? "The original is used." : `Revision ${used} is used.`;
  const message = `The current text of “${section}” is not used: ${trouble?.replace(/\.$/, "")}. ${instead}`;
  return {
    text,
    revision: used,
    ...(trouble ? { notices: [{ code: "standing-invalid", section, message }] } : {}),
  };
}
