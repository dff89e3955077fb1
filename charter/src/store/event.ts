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
import { joinQueries, listOf, sql } from "./home/sql.ts";
import type { RecordOf, RowOf } from "./home/table.ts";
import { checkScope } from "./scope.ts";
import { events } from "./turns/turn.ts";

/** Something that happened in the store: an amendment, a refusal, the end of a turn. */
export type StoreEvent = RecordOf<typeof events>;

/** A turn has begun to work on someone's message: who that is erased has their words taken out of that turn. */
export const messageTaken = "message-taken";

/** A turn is over: every turn says so once, with the state it ended in, unless it was erased before. */
export const turnEnded = "turn-ended";

/** An agent's old events were let go of on purpose, up to some day: the newest such event stands for those before it. */
export const eventsLetGo = "events-let-go";

/** Something came over from an older database: it is known by this that it does not come again, nor who was erased since. */
export const imported = "imported";

/** The operator vouched for imported notes, which are own words since; and took that back. */
export const notesVouched = "notes-vouched";
export const notesDisowned = "notes-disowned";

/** The key of an agent's core memory is new: until something is seen of it, a relay that is away may not have had one. */
export const keyIsNew = "key-is-new";

/** Messages that were answered long ago were let go of on purpose, with their replies. */
export const messagesLetGo = "messages-let-go";

/** An event to be recorded. */
export type NewEvent = Omit<StoreEvent, "id" | "at" | "turn"> & { readonly turn?: string | null };

export type EventRow = RowOf<typeof events>;

/** Writes an event within a transaction, and gives its id; watchers hear of it when that is committed. */
export async function recordEvent(db: Database, at: string, event: NewEvent): Promise<number> {
  const inserted = insertInto(events, { ...event, at });
  const row = await db.one<{ id: number }>(db.dialect.announced(inserted));
  return (row as { id: number }).id;
}

/** The same for several at once, in their order. */
export async function recordEvents(
  db: Database,
  given: readonly (NewEvent & { readonly at: string })[],
): Promise<void> {
  if (given.length === 0) return;
  await db.all(db.dialect.announced(insertAll(db, events, given)));
}

/** `store.events`: what happened, for logs and live views. */
export type Events = {
  /** Newest first. */
  readonly list: (
    about: Page & { readonly agent?: string; readonly user?: string; readonly kind?: string },
  ) => Promise<StoreEvent[]>;
  /** The events of these turns, oldest first. */
  readonly ofTurns: (turns: readonly string[]) => Promise<StoreEvent[]>;
  readonly record: (event: NewEvent) => Promise<void>;
  /** Records a fact once, however often it is noticed. */
  readonly recordOnce: (event: NewEvent) => Promise<void>;
  /** Calls back with every event from now on, by any process, each once. The function it returns ends that. */
  readonly watch: (listener: (event: StoreEvent) => void) => Promise<() => Promise<void>>;
};

export function createEvents(home: Home, now: () => string): Events {
  const seen = new Set<string>();
  const record = async (event: NewEvent): Promise<void> => {
    checkScope(event.scope);
    await home.write(event.scope, (db) => recordEvent(db, now(), event));
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
        const same = matching({ kind, detail: JSON.stringify(detail) });
        const known = await db.one(sql`select 1 as there from events where ${ownRows(scope)} and ${same} limit 1`);
        if (!known) await recordEvent(db, now(), event);
      });
      if (seen.size < 10_000) seen.add(fact);
    },
    list: ({ agent, user, kind, ...page }) => {
      const those = matching({ agent, user_id: user, kind });
      const listed = sql`select * from events where ${those} order by id desc ${onPage(page)}`;
      return home.read(reachOf(agent, user), (db) => findRecords(db, events, listed));
    },
    ofTurns: (turns) => {
      const theirs = sql`select * from events where turn in ${listOf(turns)} and length(turn) <= 200 order by id`;
      return home.read("everything", (db) => findRecords(db, events, theirs));
    },
    watch: async (listener) => watchEvents(home, listener),
  };
}

/** How many events are remembered as told, and how far back one is looked for that was committed after a later one. */
const remembered = 1000;

/**
 * PostgreSQL names the event; a file only says that something was written, and is asked what came after the last. When
 * a connection was lost, the same is asked of PostgreSQL, a little further back: its events are not kept in the order
 * of their ids.
 */
async function watchEvents(home: Home, listener: (event: StoreEvent) => void): Promise<() => Promise<void>> {
  const newest = sql`select max(id) as id from events`;
  const start = await home.read("everything", async (db) => (await db.one<{ id: number | null }>(newest))?.id ?? 0);
  const back = home.name === "postgres" ? remembered : 0;
  const named = new Set<number>();
  const told = createBoundedMap<number, true>(remembered);
  let last = start;
  let looking = false;
  let working: Promise<void> = Promise.resolve();
  const read = async () => {
    const ids = [...named];
    if (ids.length === 0 && !looking) return;
    const wanted = [
      ...(ids.length > 0 ? [sql`id in ${listOf(ids)}`] : []),
      ...(looking ? [sql`id > ${Math.max(start, last - back)}`] : []),
    ];
    looking = false;
    const those = sql`select * from events where ${joinQueries(wanted, " or ")} order by id`;
    const found = await home.read("everything", (db) => findRecords(db, events, those));
    for (const id of ids) named.delete(id);
    for (const event of found) {
      if (told.has(event.id)) continue;
      told.set(event.id, true);
      last = Math.max(last, event.id);
      listener(event);
    }
  };
  return home.watch((event) => {
    if (event === undefined) looking = true;
    else named.add(event);
    working = working.then(read).catch(() => {
      looking = true;
    });
  });
}
