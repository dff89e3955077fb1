import { Problem } from "../../prompt/problem.ts";
import type { Database, Home } from "../home/database.ts";
import { findRecord, findRecords, insertInto, keepReadings, onPage, type Page } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { name, type RecordOf, table, time } from "../home/table.ts";
import { checkUser, checkZone } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";

/** A user of agents. Without a time zone of their own, the operator's default applies. */
export type User = RecordOf<typeof users>;

/** `store.users`: the users, and their time zones. Whoever was set up, invited or linked, or took a turn, is listed. */
export type Users = {
  /** Adds or changes a user. A zone that is not given stays as it is; `null` removes it. */
  readonly put: (user: {
    readonly id: string;
    readonly zone?: string | null;
    /** The turn that says so, and its agent. */
    readonly by?: { readonly agent: string; readonly turn: string };
  }) => Promise<User>;
  /** Sets a user's time zone; the user is added if they are new. */
  readonly setZone: (user: { readonly id: string; readonly zone: string | null }) => Promise<User>;
  readonly find: (id: string) => Promise<User | undefined>;
  /** Just their time zone, if they have set one. Nobody has none. */
  readonly zoneOf: (id: string | undefined) => Promise<string | undefined>;
  /** By id; with `prefix`, those whose ids begin with it. */
  readonly list: (page?: Page & { readonly prefix?: string }) => Promise<User[]>;
  /** The ids of everyone an agent deals with: who took turns or was invited, or has text, notes, chats or schedules there. */
  readonly ofAgent: (agent: string, page?: Page) => Promise<string[]>;
  /** How many `list` has in all. */
  readonly count: (about?: { readonly prefix?: string }) => Promise<number>;
  /** How many `ofAgent` has in all. */
  readonly countOfAgent: (agent: string) => Promise<number>;
};

function noStep(id: string): Problem {
  return new Problem(
    "bad-name",
    `${JSON.stringify(id)} cannot be the name of a new user.`,
    "Give an id that an address can have: not “.” or “..”.",
  );
}

/** Adds or changes a user, in the transaction of whoever does. */
export async function addUser(
  db: Database,
  { id, zone }: { readonly id: string; readonly zone?: string | null | undefined },
  at: string,
): Promise<User> {
  // In an address these are steps, so nobody new is called so.
  if ((id === "." || id === "..") && !(await db.one(sql`select id from users where id = ${id}`))) throw noStep(id);
  const change = raw(zone === undefined ? "zone = users.zone" : "zone = excluded.zone");
  const put = sql`${insertInto(users, { id, zone, createdAt: at })} on conflict (id) do update set ${change} returning *`;
  return (await findRecord(db, users, put)) as User;
}

export function createUsers(home: Home, now: () => string): Users {
  const put: Users["put"] = async ({ id, zone, by }) => {
    checkUser(id);
    if (typeof zone === "string") checkZone(zone);
    // Whoever this is, it is done with the rights of that user: of the users they see and change themselves alone.
    return home.write({ agent: by?.agent ?? "", user: id }, async (db) => {
      await checkNotErased(db, by?.turn);
      return addUser(db, { id, zone }, now());
    });
  };
  const keptZone = keepReadings<string | undefined>(home, [users]);
  return {
    put,
    setZone: put,
    zoneOf: async (id) => {
      if (id === undefined) return undefined;
      return keptZone(id, async () => {
        const own = sql`select * from users where id = ${id}`;
        return (await home.read("everything", (db) => findRecord(db, users, own)))?.zone ?? undefined;
      });
    },
    find: (id) => home.read("everything", (db) => findRecord(db, users, listing(sql`id = ${id}`))),
    list: ({ prefix = "", ...page } = {}) =>
      home.read("everything", (db) =>
        findRecords(db, users, sql`${listing(named(prefix))} order by id ${onPage(page)}`),
      ),
    ofAgent: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ user_id: string }>(sql`select user_id from (${usersOf(agent)}) as known
          order by user_id${db.dialect.bytewise} ${onPage(page)}`);
        return rows.map(({ user_id }) => user_id);
      }),
    count: ({ prefix = "" } = {}) =>
      home.read("everything", (db) => counted(db, sql`(${listing(named(prefix))}) as listed`)),
    countOfAgent: (agent) => home.read("everything", (db) => counted(db, sql`(${usersOf(agent)}) as known`)),
  };
}

function named(prefix: string): Query {
  return sql`substr(id, 1, ${[...prefix].length}) = ${prefix}`;
}

const isUser = raw("user_id <> '' and substr(user_id, 1, 12) <> 'counterpart:'");

/** Whoever was set up or invited, has a chat or a sign-in of an issuer, or took a turn: by the first there was of them. */
function listing(which: Query): Query {
  const first = (time: string, table: string) =>
    sql`select user_id as id, null as zone, min(${raw(time)}) as created_at, 1 as place from ${raw(table)}
      where ${isUser} group by user_id`;
  const known = joinQueries(
    [
      raw("select id, zone, created_at, 0 as place from users"),
      ...[first("at", "links"), first("at", "identities"), first("last_at", "sessions")],
    ],
    " union all ",
  );
  return sql`select id, max(zone) as zone, coalesce(min(case place when 0 then created_at end), min(created_at)) as created_at
    from (${known}) as known where ${which} group by id`;
}

async function counted(db: Database, rows: Query): Promise<number> {
  return Number((await db.one<{ count: number }>(sql`select count(*) as count from ${rows}`))?.count ?? 0);
}

/** Each table by an index that has the user in it. Every turn is taken in a session; what was erased is nobody's. */
function usersOf(agent: string): Query {
  const theirs = sql`agent = ${agent} and ${isUser}`;
  const kept = sql`exists (select 1 from amendments where amendments.agent = standings.agent
    and amendments.user_id = standings.user_id and amendments.section = standings.section and erased_at is null)`;
  const invited = sql`select user_id from tokens where ${theirs} and kind = 'invitation'`;
  const tables = ["sessions", "memories", "links", "identities", "schedules"].map(
    (table) => sql`select user_id from ${raw(table)} where ${theirs}`,
  );
  return joinQueries([...tables, invited, sql`select user_id from standings where ${theirs} and ${kept}`], " union ");
}

const self = "id = {user}";

export const users = table(
  "users",
  {
    of: "store",
    key: ["id"],
    owner: { user: "id" },
    isMarked: true,
    fence: { see: self, add: self, change: self, remove: self },
    // Known with other agents too: whoever erases looks whether it is.
    erase: { blank: "keep" },
    exported: false,
  },
  { id: name(), zone: name().nullable(), createdAt: time() },
);
