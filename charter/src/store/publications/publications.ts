import type { PublicationOutcome } from "../../amend/publication.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { raw, sql } from "../home/sql.ts";
import { mergeSent, type PublicationRow, publicationOf, type RecordedPublication } from "./publication-row.ts";

/** Where a section is also kept: by the agent's name, the section's, and the address there. */
export type PublishedPlace = { readonly agent: string; readonly section: string; readonly address: string };

/** The newest publication that was seen at an address, ours or another's. */
export type SeenHead = {
  /** Null where something of the agent's own is there that could not be read. */
  readonly id: string | null;
  readonly createdAt: number;
  /** The SHA-256 of its text. */
  readonly digest: string | null;
  /** Who had it. */
  readonly place: string | null;
  /** As it was signed, so that it can be given back to whoever has lost it. */
  readonly body?: string | null;
};

/** What is known of an address: what was seen there, and what of ours waits to go there. */
export type PlaceState = {
  readonly seen: (SeenHead & { readonly at: string }) | undefined;
  readonly waiting: RecordedPublication | undefined;
};

/** How a publication was settled: it stands there as `seen`, or another's does. */
export type Settlement = Pick<PublicationOutcome, "taken" | "missed"> & {
  readonly state: "published" | "superseded";
  readonly seen?: SeenHead;
  /** The id of what stands instead, where another's does. */
  readonly by?: string;
};

/** `store.publications`: what is kept elsewhere as well: what goes out with amendments, and what was seen there. */
export type Publications = {
  readonly state: (place: PublishedPlace) => Promise<PlaceState>;
  readonly find: (agent: string, id: string) => Promise<RecordedPublication | undefined>;
  /** Notes what was seen there. Something older than was seen before changes nothing. */
  readonly noteSeen: (place: PublishedPlace, head: SeenHead) => Promise<void>;
  /** No place took it, or not every one: it is tried again then. */
  readonly retryAt: (agent: string, id: string, missed: PublicationOutcome["missed"], at: string) => Promise<void>;
  /** It is over with: events `published` or `publication-conflict` say how. */
  readonly settle: (agent: string, id: string, settlement: Settlement) => Promise<void>;
  /** What one who sent it was told, where it is settled: whoever looked may have settled it before any place had answered. */
  readonly noteSent: (agent: string, id: string, told: Pick<PublicationOutcome, "taken" | "missed">) => Promise<void>;
  /** Newest first. */
  readonly list: (
    about?: Page & {
      readonly agent?: string;
      readonly section?: string;
      readonly state?: RecordedPublication["state"];
    },
  ) => Promise<RecordedPublication[]>;
  /** Those that are due, of all agents that are there: they wait, or are the newest and some place lacks them. Oldest first. */
  readonly due: (limit?: number) => Promise<RecordedPublication[]>;
};

type HeadRow = {
  id: string | null;
  created_at: number;
  digest: string | null;
  place: string | null;
  body: string | null;
  at: string;
};

export function createPublications({ home, now }: StoreDeps): Publications {
  return {
    state: ({ agent, section, address }) =>
      home.read({ agent }, async (db) => {
        const seen = await db.one<HeadRow>(sql`select id, created_at, digest, place, body, at from heads
          where agent = ${agent} and section = ${section} and address = ${address}`);
        const waiting = await db.one<PublicationRow>(sql`select * from publications where agent = ${agent}
          and section = ${section} and address = ${address} and state = 'waiting' order by created_at desc limit 1`);
        return {
          seen: seen && {
            id: seen.id,
            createdAt: seen.created_at,
            digest: seen.digest,
            place: seen.place,
            body: seen.body,
            at: seen.at,
          },
          waiting: waiting && publicationOf(waiting),
        };
      }),
    find: (agent, id) =>
      home.read({ agent }, async (db) => {
        const row = await db.one<PublicationRow>(sql`select * from publications where agent = ${agent} and id = ${id}`);
        return row && publicationOf(row);
      }),
    noteSeen: (place, head) => home.write({ agent: place.agent }, (db) => writeHead(db, place, head, now())),
    retryAt: async (agent, id, missed, at) => {
      await home.write({ agent }, (db) =>
        db.run(sql`update publications set tries = tries + 1, next_try_at = ${at}, missed = ${JSON.stringify(missed)}
          where agent = ${agent} and id = ${id} and state in ('waiting', 'published')`),
      );
    },
    settle: (agent, id, { state, taken, missed, seen, by }) =>
      home.write({ agent }, async (db) => {
        const at = now();
        const row = await db.one<PublicationRow>(sql`select * from publications where agent = ${agent} and id = ${id}`);
        if (!row) return;
        if (seen) await writeHead(db, row, seen, at);
        const settled =
          await db.run(sql`update publications set state = ${state}, tries = tries + 1, settled_at = ${at},
            next_try_at = ${null}, taken = ${JSON.stringify(taken)}, missed = ${JSON.stringify(missed)}
          where agent = ${agent} and id = ${id} and state = 'waiting'`);
        if (settled === 0) return;
        const { section, revision } = row;
        const kind = state === "published" ? "published" : "publication-conflict";
        const detail = { section, revision, id, taken, ...(by === undefined ? {} : { by }) };
        await recordEvent(db, at, { scope: { agent }, kind, detail });
      }),
    noteSent: (agent, id, told) =>
      home.write({ agent }, async (db) => {
        const row = await db.one<PublicationRow>(sql`select * from publications where agent = ${agent} and id = ${id}
          and state in ('published', 'superseded')`);
        if (!row) return;
        // Where another's stands, whoever looked has seen who has that one.
        const { taken, missed } = row.state === "published" ? mergeSent(publicationOf(row), told) : told;
        await db.run(sql`update publications set taken = ${JSON.stringify(taken)}, missed = ${JSON.stringify(missed)}
          where agent = ${agent} and id = ${id}`);
      }),
    list: ({ agent, section, state, ...page } = {}) =>
      home.read(agent === undefined ? "everything" : { agent }, async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<PublicationRow>(sql`select * from publications where 1 = 1
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${section === undefined ? raw("") : sql`and section = ${section}`}
          ${state === undefined ? raw("") : sql`and state = ${state}`}
          order by at desc, revision desc, id limit ${limit} offset ${offset}`);
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

/** Only something later replaces what was seen; of two at the same second, the one with the lower id. */
export async function writeHead(
  db: Database,
  { agent, section, address }: PublishedPlace,
  { id, createdAt, digest, place, body = null }: SeenHead,
  at: string,
): Promise<void> {
  await db.run(sql`insert into heads (agent, section, address, id, created_at, digest, place, body, at)
    values (${agent}, ${section}, ${address}, ${id}, ${createdAt}, ${digest}, ${place}, ${body}, ${at})
    on conflict (agent, section, address) do update
      set id = excluded.id, created_at = excluded.created_at, digest = excluded.digest, place = excluded.place,
        body = excluded.body, at = excluded.at
      where excluded.id is not null and (heads.id is null or excluded.created_at > heads.created_at
        or (excluded.created_at = heads.created_at and excluded.id < heads.id))`);
}
