import type { PublicationOutcome, PublishedAmendment, Publisher } from "../../amend/amendment.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertInto, matching, type Page, pageOf, recordOf } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import {
  count,
  data,
  digest,
  id,
  json,
  name,
  oneOf,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
} from "../home/table.ts";
import { fail, finish, type Work } from "../work.ts";

/** Publications of amendments, once each by their id. A user's scope may only read them. */
export const publications = table(
  "publications",
  {
    of: "agent",
    key: ["agent", "id"],
    isByKey: true,
    indexes: {
      publications_waiting: "(next_try_at, agent) where state = 'waiting'",
      publications_section: "(agent, section, revision)",
    },
    fence: { add: "{own}", change: "{own}" },
  },
  {
    id: id(),
    section: name(),
    /** Revision that it publishes. */
    revision: count(),
    address: name(),
    createdAt: count(),
    /** Signed body. It is deleted when it is settled and a later one is made. */
    body: text(),
    at: time(),
    /** State of the publication. `replaced`: a later one of the agent's own was published instead. */
    state: oneOf("waiting", "published", "superseded", "replaced"),
    tries: count(),
    nextTryAt: time().nullable(),
    taken: data<PublicationOutcome["taken"]>(),
    missed: json<PublicationOutcome["missed"]>(),
    settledAt: time().nullable(),
  },
);

/** Newest publication that was seen at each address. Without an id: something of the agent's is there, and could not be read. */
export const heads = table(
  "heads",
  {
    of: "agent",
    key: ["agent", "section", "address"],
    isByKey: true,
    fence: { add: "{own}", change: "{own}" },
  },
  {
    section: name(),
    address: name(),
    id: id().nullable(),
    createdAt: count(),
    /** Digest (SHA-256) of its text. */
    digest: digest().nullable(),
    /** Relay that had it. */
    place: name().nullable(),
    /** Event as it was signed, so that it can be sent again to a relay that has lost it. */
    body: text().nullable(),
    at: time(),
  },
);

/** A publication as the store has it. */
export type RecordedPublication = RecordOf<typeof publications>;

/** Place where a section is also kept: the agent's name, the section's, and the address there. */
type PublishedPlace = { readonly agent: string; readonly section: string; readonly address: string };

/** The newest publication that was seen at an address, the agent's own or another's; its id is null if it could not be read. */
export type SeenHead = Pick<RecordOf<typeof heads>, "id" | "createdAt" | "digest" | "place"> & {
  readonly body?: string | null;
};

/** Knowledge of an address: what was seen there, and the agent's own publication that waits. */
type PlaceState = {
  readonly seen: (SeenHead & { readonly at: string }) | undefined;
  readonly waiting: RecordedPublication | undefined;
};

/** Result of a publication: it is in place, as `seen`, or another is. */
type Settlement = Pick<PublicationOutcome, "taken" | "missed"> & {
  readonly state: "published" | "superseded";
  readonly seen?: SeenHead;
  /** Id of the publication that is there instead. */
  readonly by?: string;
};

/**
 * `store.publications`: sections that are also kept elsewhere: what is published with amendments, and what was seen there.
 *
 * @opaque
 */
export type Publications = {
  readonly state: (place: PublishedPlace) => Promise<PlaceState>;
  readonly find: (agent: string, id: string) => Promise<RecordedPublication | undefined>;
  /** Publishes an amendment at the publisher's address as well, unless a later one is published there already. */
  readonly add: (amendment: PublishedAmendment, publisher: Publisher) => Promise<void>;
  /** Stores what was seen there. If it is older than what was seen before, nothing changes. */
  readonly noteSeen: (place: PublishedPlace, head: SeenHead) => Promise<void>;
  /** Sets the next try, because not every place took it. */
  readonly retryAt: (agent: string, id: string, missed: PublicationOutcome["missed"], at: string) => Promise<void>;
  /** Settles a publication: the event `published` or `publication-conflict` says how. */
  readonly settle: (agent: string, id: string, settlement: Settlement) => Promise<void>;
  /**
   * Stores the places' answers to its sender, if it was settled meanwhile: a reader may have settled it before any place had
   * answered.
   */
  readonly noteSent: (agent: string, id: string, told: Pick<PublicationOutcome, "taken" | "missed">) => Promise<void>;
  /** Lists publications, newest first. */
  readonly list: (
    about?: Page & {
      readonly agent?: string;
      readonly section?: string;
      readonly state?: RecordedPublication["state"];
    },
  ) => Promise<RecordedPublication[]>;
  /**
   * Lists publications that are due, of all agents that are not removed, oldest first: they wait, or they are the newest and some
   * place lacks them.
   */
  readonly due: (limit?: number) => Promise<RecordedPublication[]>;
};

type PublicationRow = RowOf<typeof publications>;

const publicationOf = (row: PublicationRow): RecordedPublication => recordOf(publications, row);

function seenOf(row: RowOf<typeof heads>): SeenHead & { readonly at: string } {
  const { id, createdAt, digest, place, body, at } = recordOf(heads, row);
  return { id, createdAt, digest, place, body, at };
}

/**
 * Queue of publications. They are not leased, because a publication has the same id whoever sends it. While a place lacks it, it
 * is sent again.
 */
const publicationWork: Work<typeof publications> = {
  table: publications,
  open: ["waiting", "published"],
  order: (row) => `${row}at`,
  tryIs: "failed",
};

export function createPublications({ home, now }: StoreDeps): Publications {
  return {
    state: ({ agent, section, address }) =>
      home.read({ agent }, async (db) => {
        const place = matching({ agent, section, address });
        const seen = await db.one<RowOf<typeof heads>>(sql`select * from heads where ${place}`);
        const waiting = await db.one<PublicationRow>(sql`select * from publications where ${place}
          and state = 'waiting' order by created_at desc limit 1`);
        return { seen: seen && seenOf(seen), waiting: waiting && publicationOf(waiting) };
      }),
    find: (agent, id) => home.read({ agent }, (db) => findPublication(db, agent, id)),
    add: (amendment, publisher) =>
      home.write({ agent: amendment.scope.agent }, async (db) => {
        const { scope, section, revision } = amendment;
        const place = matching({ agent: scope.agent, section, address: publisher.address });
        const later = await db.one(sql`select 1 from publications where ${place} and revision >= ${revision}`);
        if (!later) await insertPublication(db, { ...amendment, at: now() }, publisher);
      }),
    noteSeen: (place, head) => home.write({ agent: place.agent }, (db) => writeHead(db, place, head, now())),
    retryAt: async (agent, id, missed, nextTryAt) => {
      const set = { missed: JSON.stringify(missed) };
      await home.write({ agent }, (db) => fail(db, publicationWork, matching({ agent, id }), { nextTryAt, set }));
    },
    settle: (agent, id, { state, taken, missed, seen, by }) =>
      home.write({ agent }, async (db) => {
        const at = now();
        const publication = await findPublication(db, agent, id);
        if (!publication) return;
        const { section, revision, address } = publication;
        if (seen) await writeHead(db, { agent, section, address }, seen, at);
        const answers = { taken: JSON.stringify(taken), missed: JSON.stringify(missed), settled_at: at };
        const waiting = matching({ agent, id, state: "waiting" });
        const settled = await finish(db, publicationWork, waiting, state, { ...answers, tries: raw("tries + 1") });
        if (!settled) return;
        const kind = state === "published" ? "published" : "publication-conflict";
        const detail = { section, revision, id, taken, ...(by === undefined ? {} : { by }) };
        recordEvent(db, at, { scope: { agent }, kind, detail });
      }),
    noteSent: (agent, id, told) =>
      home.write({ agent }, async (db) => {
        const publication = await findPublication(db, agent, id);
        if (publication?.state !== "published" && publication?.state !== "superseded") return;
        // A publication by another is in place: the reader who found it has stored which places have it.
        const { taken, missed } = publication.state === "published" ? mergeSent(publication, told) : told;
        await db.run(sql`update publications set taken = ${JSON.stringify(taken)}, missed = ${JSON.stringify(missed)}
          where ${matching({ agent, id })}`);
      }),
    list: ({ agent, section, state, ...page } = {}) =>
      home.read(agent === undefined ? "everything" : { agent }, async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<PublicationRow>(sql`select * from publications
          where ${matching({ agent, section, state })} order by at desc, revision desc, id limit ${limit} offset ${offset}`);
        return rows.map(publicationOf);
      }),
    due: (limit = 20) =>
      home.read("everything", async (db) => {
        const rows = await db.all<PublicationRow>(sql`select * from publications
          where (state = 'waiting' or (state = 'published' and missed <> '[]' and exists (select 1 from heads
            where heads.agent = publications.agent and heads.section = publications.section
              and heads.address = publications.address and heads.id = publications.id)))
          and (next_try_at is null or next_try_at <= ${now()})
          and agent not in (select name from agents where removed_at is not null) order by at limit ${limit}`);
        return rows.map(publicationOf);
      }),
  };
}

async function findPublication(db: Database, agent: string, id: string): Promise<RecordedPublication | undefined> {
  const row = await db.one<PublicationRow>(sql`select * from publications where ${matching({ agent, id })}`);
  return row && publicationOf(row);
}

/** Stores a seen head if it is later than the stored one; of two at the same second, the one with the lower id is kept. */
export async function writeHead(db: Database, place: PublishedPlace, head: SeenHead, at: string): Promise<void> {
  await db.run(sql`${insertInto(heads, { ...place, ...head, at })}
    on conflict (agent, section, address) do update
      set id = excluded.id, created_at = excluded.created_at, digest = excluded.digest, place = excluded.place,
        body = excluded.body, at = excluded.at
      where excluded.id is not null and (heads.id is null or excluded.created_at > heads.created_at
        or (excluded.created_at = heads.created_at and excluded.id < heads.id))`);
}

/**
 * Stores the publication of an amendment, in the amendment's own commit, and returns its id. An earlier one of the agent that
 * still waits at that address is replaced, because this is later. One that waits at another address was made with other keys, and
 * waits for them.
 */
export async function insertPublication(
  db: Database,
  amendment: PublishedAmendment,
  publisher: Publisher,
): Promise<string> {
  const { scope, section, revision, at } = amendment;
  const { agent } = scope;
  const { address } = publisher;
  const ofPlace = matching({ agent, section, address });
  const newest = await db.one<{ created_at: number | null }>(sql`select max(created_at) as created_at from (
      select created_at from heads where ${ofPlace} and id is not null
      union all select created_at from publications where ${ofPlace}) known`);
  const { id, createdAt, body } = publisher.make(amendment, newest?.created_at ?? undefined);
  await db.run(
    sql`update publications set state = 'replaced', settled_at = ${at} where ${ofPlace} and state = 'waiting'`,
  );
  await db.run(sql`update publications set body = '' where ${ofPlace} and body <> ''`);
  const made = { agent, id, section, revision, address, createdAt, body, at } as const;
  await db.run(insertInto(publications, { ...made, state: "waiting", tries: 0, taken: [], missed: [] }));
  return id;
}

/** Places that took a publication, and why others did not. */
type PlacesTold = Pick<PublicationOutcome, "taken" | "missed">;

/**
 * Merges the places' answers to one more sender into what is stored of a published event. A place that has it has it, whatever it
 * answered another sender; of two reasons the later one counts.
 */
export function mergeSent(before: PlacesTold, told: PlacesTold): PlacesTold {
  const taken = [...new Set([...before.taken, ...told.taken])];
  const reasons = new Map([...before.missed, ...told.missed].map(({ place, reason }) => [place, reason]));
  for (const place of taken) reasons.delete(place);
  return { taken, missed: [...reasons].map(([place, reason]) => ({ place, reason })) };
}
