import type { Amendment } from "../../amend/amendment.ts";
import type { PublicationOutcome, Publisher } from "../../amend/publication.ts";
import type { Database } from "../home/database.ts";
import { type Query, sql } from "../home/sql.ts";

/**
 * A publication as the store has it. `replaced`: a later one of our own went out instead. Its body is let go of when it
 * is settled and a later one is made.
 */
export type RecordedPublication = {
  readonly id: string;
  readonly agent: string;
  readonly section: string;
  /** The revision that it publishes. */
  readonly revision: number;
  readonly address: string;
  readonly createdAt: number;
  readonly body: string;
  readonly at: string;
  readonly state: PublicationOutcome["state"] | "replaced";
  readonly tries: number;
  readonly nextTryAt: string | null;
  readonly taken: PublicationOutcome["taken"];
  readonly missed: PublicationOutcome["missed"];
  readonly settledAt: string | null;
};

export type PublicationRow = {
  agent: string;
  id: string;
  section: string;
  revision: number;
  address: string;
  created_at: number;
  body: string;
  at: string;
  state: RecordedPublication["state"];
  tries: number;
  next_try_at: string | null;
  taken: string;
  missed: string;
  settled_at: string | null;
};

export function publicationOf(row: PublicationRow): RecordedPublication {
  const { created_at, next_try_at, settled_at, taken, missed, ...same } = row;
  return {
    ...same,
    createdAt: created_at,
    nextTryAt: next_try_at,
    settledAt: settled_at,
    taken: JSON.parse(taken),
    missed: JSON.parse(missed),
  };
}

/**
 * Keeps what goes out with an amendment, in the amendment's own commit, and returns its id. Whatever of ours still waits
 * at that address goes out no more: this is later. What waits at another, made with other keys, waits for them.
 */
export async function insertPublication(db: Database, amendment: Amendment, publisher: Publisher): Promise<string> {
  const { scope, section, revision, at } = amendment;
  const { agent } = scope;
  const { address } = publisher;
  const ofPlace: Query = sql`agent = ${agent} and section = ${section} and address = ${address}`;
  const newest = await db.one<{ created_at: number | null }>(sql`select max(created_at) as created_at from (
      select created_at from heads where ${ofPlace} and id is not null
      union all select created_at from publications where ${ofPlace}) known`);
  const { id, createdAt, body } = publisher.make(amendment, newest?.created_at ?? undefined);
  await db.run(
    sql`update publications set state = 'replaced', settled_at = ${at} where ${ofPlace} and state = 'waiting'`,
  );
  await db.run(sql`update publications set body = '' where ${ofPlace} and body <> ''`);
  await db.run(sql`insert into publications (agent, id, section, revision, address, created_at, body, at, state, tries,
      next_try_at, taken, missed, settled_at)
    values (${agent}, ${id}, ${section}, ${revision}, ${address}, ${createdAt}, ${body}, ${at}, ${"waiting"}, ${0},
      ${null}, ${"[]"}, ${"[]"}, ${null})`);
  return id;
}

/** Which places took a publication, and why others did not. */
type PlacesTold = Pick<PublicationOutcome, "taken" | "missed">;

/**
 * What is known of a publication that stands, when one more of those who sent it says what it was told. A place that has
 * it has it, whatever it told another; of two reasons the later one counts.
 */
export function mergeSent(before: PlacesTold, told: PlacesTold): PlacesTold {
  const taken = [...new Set([...before.taken, ...told.taken])];
  const reasons = new Map([...before.missed, ...told.missed].map(({ place, reason }) => [place, reason]));
  for (const place of taken) reasons.delete(place);
  return { taken, missed: [...reasons].map(([place, reason]) => ({ place, reason })) };
}
