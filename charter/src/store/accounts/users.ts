import { checkList } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Home } from "../home/database.ts";
import { findRecord, findRecords, insertInto, keepReadings, matching, onPage, type Page } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { name, type RecordOf, table, time } from "../home/table.ts";
import { checkName, checkUser, checkZone } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { createNewToken, later, type NewSession, secretDigest, type Token, tokens } from "./tokens.ts";

/** A user of agents. Without a time zone of their own, the operator's default applies. */
export type User = RecordOf<typeof users>;

/** `store.users`: the users, and their time zones. Listed is everyone who was set up, invited or linked, or took a turn. */
export type Users = {
  /** Adds or changes a user. A zone that is not given stays as it is; `null` removes it. */
  readonly put: (user: {
    readonly id: string;
    readonly zone?: string | null;
    /** Turn in which the user asked for it, and its agent. */
    readonly by?: { readonly agent: string; readonly turn: string };
  }) => Promise<User>;
  /** Sets a user's time zone; the user is added if they are new. */
  readonly setZone: (user: { readonly id: string; readonly zone: string | null }) => Promise<User>;
  readonly find: (id: string) => Promise<User | undefined>;
  /** Returns just the user's time zone, if they have set one; undefined without a user. */
  readonly zoneOf: (id: string | undefined) => Promise<string | undefined>;
  /** Lists users by id; with `prefix`, those whose ids begin with it. */
  readonly list: (page?: Page & { readonly prefix?: string }) => Promise<User[]>;
  /**
   * Lists the ids of everyone an agent deals with: who took turns or was invited, or has text, notes, chats or schedules there.
   */
  readonly ofAgent: (agent: string, page?: Page) => Promise<string[]>;
  /** Lists the agents that have data of a user. */
  readonly agentsOf: (user: string) => Promise<string[]>;
  /** Counts the users that `list` has in all. */
  readonly count: (about?: { readonly prefix?: string }) => Promise<number>;
  /** Counts the users that `ofAgent` has in all. */
  readonly countOfAgent: (agent: string) => Promise<number>;
};

function noStep(id: string): Problem {
  return new Problem(
    "bad-name",
    `${JSON.stringify(id)} cannot be the name of a new user.`,
    "Give an id that an address can have: not “.” or “..”.",
  );
}

/** Adds or changes a user, in the caller's transaction. */
async function addUser(
  db: Database,
  { id, zone }: { readonly id: string; readonly zone?: string | null | undefined },
  at: string,
): Promise<User> {
  // “.” and “..” are steps in an address, so no new user is named so.
  if ((id === "." || id === "..") && !(await db.one(sql`select id from users where id = ${id}`))) throw noStep(id);
  const change = raw(zone === undefined ? "zone = users.zone" : "zone = excluded.zone");
  const put = sql`${insertInto(users, { id, zone, createdAt: at })} on conflict (id) do update set ${change} returning *`;
  return (await findRecord(db, users, put)) as User;
}

export function createUsers(home: Home, now: () => string): Users {
  const put: Users["put"] = async ({ id, zone, by }) => {
    checkUser(id);
    if (typeof zone === "string") checkZone(zone);
    // Write with the rights of that user alone, whoever asks: they see and change only themselves.
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
        findRecords(db, users, sql`${listing(hasPrefix(prefix))} order by id ${onPage(page)}`),
      ),
    ofAgent: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ user_id: string }>(sql`select user_id from (${usersOf(agent)}) as known
          order by user_id${db.dialect.bytewise} ${onPage(page)}`);
        return rows.map(({ user_id }) => user_id);
      }),
    agentsOf: (user) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ agent: string }>(sql`select distinct agent from (${agentsOf(user)}) as known
          where agent <> '' order by agent`);
        return rows.map(({ agent }) => agent);
      }),
    count: ({ prefix = "" } = {}) =>
      home.read("everything", (db) => counted(db, sql`(${listing(hasPrefix(prefix))}) as listed`)),
    countOfAgent: (agent) => home.read("everything", (db) => counted(db, sql`(${usersOf(agent)}) as known`)),
  };
}

function hasPrefix(prefix: string): Query {
  return sql`substr(id, 1, ${[...prefix].length}) = ${prefix}`;
}

const isUser = raw("user_id <> '' and substr(user_id, 1, 12) <> 'counterpart:'");

/**
 * Returns the query for everyone who was set up or invited, has a chat or an issuer's sign-in, or took a turn, with the earliest
 * time of these.
 */
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

/** Returns the query for the agents that have data of a user. */
function agentsOf(user: string): Query {
  const tables = ["sessions", "memories", "links", "identities", "schedules", "standings", "tokens"];
  return joinQueries(
    tables.map((table) => sql`select agent from ${raw(table)} where user_id = ${user} and agent is not null`),
    " union ",
  );
}

/**
 * Returns the query for an agent's users. Each table is read by an index that has the user in it; every turn is in a session, and
 * erased amendments do not count.
 */
function usersOf(agent: string): Query {
  const ofAgent = sql`agent = ${agent} and ${isUser}`;
  const kept = sql`exists (select 1 from amendments where amendments.agent = standings.agent
    and amendments.user_id = standings.user_id and amendments.section = standings.section and erased_at is null)`;
  const invited = sql`select user_id from tokens where ${ofAgent} and kind = 'invitation'`;
  const tables = ["sessions", "memories", "links", "identities", "schedules"].map(
    (table) => sql`select user_id from ${raw(table)} where ${ofAgent}`,
  );
  return joinQueries([...tables, invited, sql`select user_id from standings where ${ofAgent} and ${kept}`], " union ");
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
    // Erasure keeps the row while the user is known with other agents.
    erase: { blank: "keep" },
    exported: false,
  },
  { id: name(), zone: name().nullable(), createdAt: time() },
);

/**
 * Permission for a user to come to an agent, once and for some days. Its secret is in the link, and only a digest of it is
 * stored.
 */
export type Invitation = {
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly state: "open" | "used" | "revoked" | "expired";
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly revokedAt: string | null;
};

/** A user to be invited. */
export type Invitee = { readonly user: string; readonly agent: string; readonly zone?: string };

/**
 * `store.invitations`: who was invited to which agent.
 *
 * @opaque
 */
export type Invitations = {
  /**
   * Invites all of them, or nobody. A user who was invited to that agent before, and came or still may, is left out; with `again`
   * they get a new invitation, and an open one ends. Everyone who is invited is a user from then on.
   */
  readonly create: (
    invitees: readonly Invitee[],
    about?: { readonly days?: number; readonly again?: boolean },
  ) => Promise<{ readonly made: readonly NewInvitation[]; readonly already: readonly Invitation[] }>;
  /** Finds the open invitation with this secret. */
  readonly find: (secret: string) => Promise<Invitation | undefined>;
  /** Spends an open invitation, by its secret, for a sign-in of its user: both or neither. */
  readonly accept: (secret: string) => Promise<NewSession | undefined>;
  readonly list: (page?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Invitation[]>;
  /** Revokes open invitations, by id or by user; throws a Problem if there is none. */
  readonly revoke: (
    which: { readonly id: string } | { readonly user: string; readonly agent?: string },
  ) => Promise<Invitation[]>;
};

/** An invitation with its secret, which is shown this once. */
type NewInvitation = Invitation & { readonly secret: string };

const invitationDays = { usual: 7, most: 90 } as const;

const ours = raw("kind = 'invitation'");
const openAt = (at: string): Query => sql`${ours} and revoked_at is null and expires_at > ${at}`;

export function createInvitations({ home, now, newId }: StoreDeps, random: (bytes: Uint8Array) => void): Invitations {
  const insert = createNewToken({ newId }, random);
  const invite = async (db: Database, { user, agent, zone }: Invitee, expiresAt: string): Promise<NewInvitation> => {
    const at = now();
    await addUser(db, { id: user, zone }, at);
    const { id, secret } = await insert(db, { name: "invitation", kind: "invitation", user, agent, expiresAt }, at);
    const facts = { id, agent, user, createdAt: at, expiresAt, usedAt: null, revokedAt: null };
    return { ...facts, state: "open", secret };
  };
  return {
    create: async (invitees, { days = invitationDays.usual, again = false } = {}) => {
      checkList("store.invitations.create", invitees);
      for (const { user, agent, zone } of invitees) {
        checkUser(user);
        checkName("agent", agent);
        if (zone !== undefined) checkZone(zone);
      }
      const expiresAt = later(now(), checkDays(days) * 86_400_000);
      return home.write("everything", async (db) => {
        const made: NewInvitation[] = [];
        const already: Invitation[] = [];
        for (const invitee of invitees) {
          const before = again ? undefined : await lastOf(db, invitee, now());
          if (before) already.push(before);
          else {
            await revokeOpen(db, matching({ user_id: invitee.user, agent: invitee.agent }), now());
            made.push(await invite(db, invitee, expiresAt));
          }
        }
        return { made, already };
      });
    },
    find: (secret) =>
      home.read("everything", async (db) => {
        const at = now();
        const open = sql`select * from tokens where digest = ${secretDigest(secret)} and ${openAt(at)}`;
        return (await invitations(db, open, at))[0];
      }),
    accept: (secret) =>
      home.write("everything", async (db) => {
        const spent = await spendInvitation(db, sql`digest = ${secretDigest(secret)}`, now());
        return spent && insert(db, { name: "invitation", kind: "sign-in", ...spent }, now());
      }),
    list: ({ agent, user, ...page } = {}) =>
      home.read("everything", (db) => {
        const filter = sql`${ours} and ${matching({ agent, user_id: user })}`;
        return invitations(db, sql`select * from tokens where ${filter} order by id ${onPage(page)}`, now());
      }),
    revoke: async (which) => {
      const chosen = "id" in which ? sql`id = ${which.id}` : matching({ user_id: which.user, agent: which.agent });
      const revoked = await home.write("everything", (db) => revokeOpen(db, chosen, now()));
      if (revoked.length > 0) return revoked;
      const label = "id" in which ? which.id : which.user;
      throw new Problem(
        "unknown-invitation",
        `There is no open invitation “${label}”.`,
        "See what is open: charter users invitations.",
      );
    },
  };
}

/** Finds the last invitation of a user to an agent that is open, or that they used. */
async function lastOf(db: Database, { user, agent }: Invitee, at: string): Promise<Invitation | undefined> {
  const last = sql`select * from tokens where ${ours} and user_id = ${user} and agent = ${agent}
    and (last_used_at is not null or (revoked_at is null and expires_at > ${at})) order by id desc limit 1`;
  return (await invitations(db, last, at))[0];
}

function revokeOpen(db: Database, whose: Query, at: string): Promise<Invitation[]> {
  return invitations(db, sql`update tokens set revoked_at = ${at} where ${whose} and ${openAt(at)} returning *`, at);
}

/** Spends an open invitation, once, and returns whose it was. */
export async function spendInvitation(
  db: Database,
  which: Query,
  at: string,
): Promise<{ readonly agent: string; readonly user: string } | undefined> {
  const spent = sql`update tokens set revoked_at = ${at}, last_used_at = ${at} where ${which} and ${openAt(at)} returning *`;
  const token = await findRecord(db, tokens, spent);
  return token && { agent: token.agent as string, user: token.user as string };
}

async function invitations(db: Database, query: Query, at: string): Promise<Invitation[]> {
  return (await findRecords(db, tokens, query)).map((token) => invitationOf(token, at));
}

function invitationOf({ id, agent, user, createdAt, expiresAt, lastUsedAt, revokedAt }: Token, at: string): Invitation {
  const [ends, used] = [expiresAt as string, lastUsedAt !== null];
  const over = revokedAt !== null ? "revoked" : ends <= at ? "expired" : "open";
  const facts = { id, agent: agent as string, user: user as string, createdAt, expiresAt: ends, usedAt: lastUsedAt };
  return { ...facts, state: used ? "used" : over, revokedAt: used ? null : revokedAt };
}

function checkDays(days: number): number {
  if (Number.isSafeInteger(days) && days >= 1 && days <= invitationDays.most) return days;
  throw new Problem(
    "usage",
    `An invitation cannot last ${days} days.`,
    `Give a whole number from 1 to ${invitationDays.most}; ${invitationDays.usual}, unless given.`,
  );
}
