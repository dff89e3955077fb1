import { createBoundedMap } from "../prompt/bounds.ts";
import type { Database, Home } from "./home/database.ts";
import {
  findRecords,
  insertAll,
  insertInto,
  lockNamed,
  matching,
  onPage,
  ownRows,
  type Page,
  reachOf,
} from "./home/query.ts";
import { joinQueries, listOf, type Query, sql } from "./home/sql.ts";
import type { RecordOf, RowOf } from "./home/table.ts";
import { checkScope } from "./scope.ts";
import { events } from "./turns/turn.ts";

/** An event that happened in the store: an amendment, a refusal, the end of a turn. */
export type StoreEvent = RecordOf<typeof events>;

/** Event: a turn has begun to work on a message. When the message's author is erased, their text is removed from that turn. */
export const messageTaken = "message-taken";

/** Event: a turn has ended. Every turn records it once, with its last state, unless the turn was erased before. */
export const turnEnded = "turn-ended";

/** Event: old events of an agent were deleted by retention, up to some day; the newest of these stands for all that are gone. */
export const eventsLetGo = "events-let-go";

/**
 * Event: something was imported from an older database. It keeps a second import from repeating it, and from restoring erased
 * users.
 */
export const imported = "imported";

/** Events: the operator vouched for imported notes, which count as own from then on; the operator took that back. */
export const notesVouched = "notes-vouched";
export const notesDisowned = "notes-disowned";

/** Event: a user has said that a picture which came with this turn is their own. It taints their conversation no longer. */
export const pictureClaimed = "picture-claimed";

/**
 * Event: the key of an agent's core memory is new. Until some of it is seen, a relay that is away does not mean that there is
 * one.
 */
export const keyIsNew = "key-is-new";

/** Event: messages that were answered long ago were deleted by retention, with their replies. */
export const messagesLetGo = "messages-let-go";

/** Event: the schema was brought on; it names the rows whose seals did not hold, which were not sealed anew. */
export const schemaBrought = "schema-brought";

/** An event to be recorded. */
export type NewEvent = Omit<StoreEvent, "id" | "at" | "turn"> & { readonly turn?: string | null };

export type EventRow = RowOf<typeof events>;

/** Writes an event in the caller's transaction; watchers hear of it when that is committed. */
export function recordEvent(db: Database, at: string, event: NewEvent): void {
  db.send(insertedEvent(db, at, event));
}

/** Returns the query that does the same, and returns the event's id. */
export function insertedEvent({ dialect }: Database, at: string, event: NewEvent): Query {
  return dialect.announced(insertInto(events, { ...event, at }));
}

/** Writes several events at once, in their order. */
export function recordEvents(db: Database, given: readonly (NewEvent & { readonly at: string })[]): void {
  if (given.length > 0) db.send(db.dialect.announced(insertAll(db, events, given)));
}

/** `store.events`: the events of a store, for logs and live views. */
export type Events = {
  /** Lists events, newest first. */
  readonly list: (
    about: Page & { readonly agent?: string; readonly user?: string; readonly kind?: string },
  ) => Promise<StoreEvent[]>;
  /** Lists the events of these turns, oldest first. */
  readonly ofTurns: (turns: readonly string[]) => Promise<StoreEvent[]>;
  readonly record: (event: NewEvent) => Promise<void>;
  /** Records a fact once, however often it is noticed. */
  readonly recordOnce: (event: NewEvent) => Promise<void>;
  /** Calls back once with every event from now on, from any process. The function it returns stops that. */
  readonly watch: (listener: (event: StoreEvent) => void) => Promise<() => Promise<void>>;
};

export function createEvents(home: Home, now: () => string): Events {
  const seen = new Set<string>();
  const record = async (event: NewEvent): Promise<void> => {
    checkScope(event.scope);
    await home.write(event.scope, async (db) => recordEvent(db, now(), event));
  };
  return {
    record,
    recordOnce: async (event) => {
      const { scope, kind, detail } = event;
      checkScope(scope);
      const fact = JSON.stringify([scope.agent, scope.user ?? "", kind, detail]);
      if (seen.has(fact)) return;
      await home.write(scope, async (db) => {
        await lockNamed(db, ["event", scope.agent, scope.user ?? "", kind]);
        const sameFact = matching({ kind, detail: JSON.stringify(detail) });
        const known = await db.one(sql`select 1 as there from events where ${ownRows(scope)} and ${sameFact} limit 1`);
        if (!known) recordEvent(db, now(), event);
      });
      if (seen.size < 10_000) seen.add(fact);
    },
    list: ({ agent, user, kind, ...page }) => {
      const filter = matching({ agent, user_id: user, kind });
      const listed = sql`select * from events where ${filter} order by id desc ${onPage(page)}`;
      return home.read(reachOf(agent, user), (db) => findRecords(db, events, listed));
    },
    ofTurns: (turns) => {
      const ofTurns = sql`select * from events where turn in ${listOf(turns)} and length(turn) <= 200 order by id`;
      return home.read("everything", (db) => findRecords(db, events, ofTurns));
    },
    watch: async (listener) => watchEvents(home, listener),
  };
}

/**
 * Maximum number of events remembered as already sent to a listener. Also how many ids below the newest one PostgreSQL is asked
 * again, because an event can be committed after one with a higher id.
 */
const maxRecentEvents = 1000;

/**
 * Watches for new events. PostgreSQL names each event; a SQLite file only says that something was written, so the store reads
 * what follows the last event it knows. After a lost connection PostgreSQL is asked the same, a little further back, because its
 * events are not committed in the order of their ids.
 */
async function watchEvents(home: Home, listener: (event: StoreEvent) => void): Promise<() => Promise<void>> {
  const newest = sql`select max(id) as id from events`;
  const start = await home.read("everything", async (db) => (await db.one<{ id: number | null }>(newest))?.id ?? 0);
  const back = home.name === "postgres" ? maxRecentEvents : 0;
  const announced = new Set<number>();
  const sent = createBoundedMap<number, true>(maxRecentEvents);
  let last = start;
  let looking = false;
  let working: Promise<void> = Promise.resolve();
  const read = async () => {
    const ids = [...announced];
    if (ids.length === 0 && !looking) return;
    const wanted = [
      ...(ids.length > 0 ? [sql`id in ${listOf(ids)}`] : []),
      ...(looking ? [sql`id > ${Math.max(start, last - back)}`] : []),
    ];
    looking = false;
    const wantedRows = sql`select * from events where ${joinQueries(wanted, " or ")} order by id`;
    const rows = await home.read("everything", (db) => findRecords(db, events, wantedRows));
    for (const id of ids) announced.delete(id);
    for (const event of rows) {
      if (sent.has(event.id)) continue;
      sent.set(event.id, true);
      last = Math.max(last, event.id);
      listener(event);
    }
  };
  return home.watch((event) => {
    if (event === undefined) looking = true;
    else announced.add(event);
    working = working.then(read).catch(() => {
      looking = true;
    });
  });
}
