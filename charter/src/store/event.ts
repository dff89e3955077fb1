import type { Scope } from "../amend/amendment.ts";
import { createBoundedMap } from "../prompt/bounded-map.ts";
import type { Database, Home } from "./home/database.ts";
import { type Page, pageOf } from "./home/page.ts";
import { reachOf } from "./home/reach.ts";
import { joinQueries, listOf, raw, sql } from "./home/sql.ts";

/** Something that happened in the store: an amendment, a refusal, the end of a turn. */
export type Event = {
  readonly id: number;
  readonly scope: Scope;
  readonly at: string;
  readonly kind: string;
  readonly turn: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

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
export type NewEvent = Omit<Event, "id" | "at" | "turn"> & { readonly turn?: string | null };

export type EventRow = {
  id: number;
  agent: string;
  user_id: string;
  at: string;
  kind: string;
  turn: string | null;
  detail: string;
};

export function scopeOf({ agent, user_id }: { agent: string; user_id: string }): Scope {
  return user_id === "" ? { agent } : { agent, user: user_id };
}

function eventOf(row: EventRow): Event {
  const { id, at, kind, turn } = row;
  return { id, scope: scopeOf(row), at, kind, turn, detail: JSON.parse(row.detail) };
}

/** Writes an event within a transaction, and gives its id; watchers hear of it when that is committed. */
export async function recordEvent(db: Database, at: string, event: NewEvent): Promise<number> {
  const { scope, kind, turn = null, detail } = event;
  const row = await db.one<{ id: number }>(
    sql`insert into events (agent, user_id, at, kind, turn, detail)
      values (${scope.agent}, ${scope.user ?? ""}, ${at}, ${kind}, ${turn}, ${JSON.stringify(detail)}) returning id`,
  );
  const { id } = row as { id: number };
  const announcement = db.dialect.notify([id]);
  if (announcement) await db.all(announcement);
  return id;
}

const eventColumns = { text: ["agent", "user_id", "at", "kind", "turn", "detail"], number: [] };

/** The same for several at once, in their order. */
export async function recordEvents(
  db: Database,
  events: readonly (NewEvent & { readonly at: string })[],
): Promise<void> {
  if (events.length === 0) return;
  const values = events.map(({ scope, at, kind, turn = null, detail }) => ({
    ...{ agent: scope.agent, user_id: scope.user ?? "", at, kind, turn, detail: JSON.stringify(detail) },
  }));
  const rows = await db.all<{ id: number }>(sql`${db.dialect.insert("events", eventColumns, values)} returning id`);
  const announcement = db.dialect.notify(rows.map(({ id }) => id));
  if (announcement) await db.all(announcement);
}

/** `store.events`: what happened, for logs and live views. */
export type Events = {
  /** Newest first. */
  readonly list: (
    about: Page & { readonly agent?: string; readonly user?: string; readonly kind?: string },
  ) => Promise<Event[]>;
  /** The events of these turns, oldest first. */
  readonly ofTurns: (turns: readonly string[]) => Promise<Event[]>;
  readonly record: (event: NewEvent) => Promise<void>;
  /** Records a fact once, however often it is noticed. */
  readonly recordOnce: (event: NewEvent) => Promise<void>;
  /** Calls back with every event from now on, by any process, each once. The function it returns ends that. */
  readonly watch: (listener: (event: Event) => void) => Promise<() => Promise<void>>;
};

export function createEvents(home: Home, now: () => string): Events {
  const seen = new Set<string>();
  const record = async (event: NewEvent): Promise<void> => {
    await home.write(event.scope, (db) => recordEvent(db, now(), event));
  };
  return {
    record,
    recordOnce: async (event) => {
      const { scope, kind, detail } = event;
      const fact = JSON.stringify([scope.agent, scope.user ?? "", kind, detail]);
      if (seen.has(fact)) return;
      await home.write(scope, async (db) => {
        const lock = db.dialect.lock(JSON.stringify(["event", scope.agent, scope.user ?? "", kind]));
        if (lock) await db.all(lock);
        const known = await db.one(
          sql`select 1 as there from events where agent = ${scope.agent} and user_id = ${scope.user ?? ""}
            and kind = ${kind} and detail = ${JSON.stringify(detail)} limit 1`,
        );
        if (!known) await recordEvent(db, now(), event);
      });
      if (seen.size < 10_000) seen.add(fact);
    },
    list: ({ agent, user, kind, ...page }) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<EventRow>(sql`select * from events where 1 = 1
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`}
          ${kind === undefined ? raw("") : sql`and kind = ${kind}`}
          order by id desc limit ${limit} offset ${offset}`);
        return rows.map(eventOf);
      }),
    ofTurns: (turns) =>
      home.read("everything", async (db) => {
        const rows = await db.all<EventRow>(
          sql`select * from events where turn in ${listOf(turns)} and length(turn) <= 200 order by id`,
        );
        return rows.map(eventOf);
      }),
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
async function watchEvents(home: Home, listener: (event: Event) => void): Promise<() => Promise<void>> {
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
    const rows = await home.read("everything", (db) =>
      db.all<EventRow>(sql`select * from events where ${joinQueries(wanted, " or ")} order by id`),
    );
    for (const id of ids) named.delete(id);
    for (const row of rows) {
      if (told.has(row.id)) continue;
      told.set(row.id, true);
      last = Math.max(last, row.id);
      listener(eventOf(row));
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
