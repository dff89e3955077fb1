import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import {
  findRecord,
  findRecords,
  insertInto,
  lockAgainstErasure,
  matching,
  onPage,
  type Page,
  reachOf,
} from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import { name, table, text, time } from "../home/table.ts";
import { createNewToken, isOpen, secretDigest, tokens } from "./tokens.ts";
import { spendInvitation } from "./users.ts";

/** Users of issuers' people, with each agent. */
export const identities = table(
  "identities",
  {
    of: "user",
    key: ["agent", "issuer", "subject"],
    isByKey: true,
    indexes: { identities_person: "(issuer, subject)", identities_user: "(user_id, agent)" },
  },
  { issuer: name(), subject: text(), at: time() },
);

/** A person as an issuer knows them. Names and addresses that the issuer tells are left out, because they change hands. */
export type Person = { readonly issuer: string; readonly subject: string };

/** A person, and the user that they are with an agent. */
export type BoundPerson = Person & { readonly agent: string; readonly user: string; readonly at: string };

/**
 * `store.identities`: which people of issuers are which users.
 *
 * @opaque
 */
export type Identities = {
  /**
   * Begins a sign-in at an issuer, and returns its secret: it lasts ten minutes, and can be taken once. `leadsTo` is a door, or
   * the id of an invitation. If too many are under way, the oldest ends: strangers who begin them keep nobody out.
   */
  readonly begin: (about: {
    readonly leadsTo: string;
    readonly agent?: string;
    readonly user?: string;
  }) => Promise<string>;
  /** Returns what was begun with this secret, once. */
  readonly take: (
    secret: string,
  ) => Promise<{ readonly leadsTo: string; readonly agent: string | null; readonly user: string | null } | undefined>;
  /** Spends an open invitation, by its id: the person is its user from then on. Both or neither. */
  readonly bind: (invitation: string, person: Person) => Promise<BoundPerson | undefined>;
  /** Lists the users that this person is, with their agents. */
  readonly of: (person: Person) => Promise<BoundPerson[]>;
  readonly list: (page?: Page & { readonly user?: string }) => Promise<BoundPerson[]>;
  /** Removes a user's bindings to issuers' people, with one agent or all. Sessions stay. */
  readonly remove: (whose: { readonly user: string; readonly agent?: string }) => Promise<BoundPerson[]>;
};

/** Maximum number of sign-ins that are under way at a time. */
const maxSignIns = 10_000;

export function createIdentities(
  { home, now, newId }: Pick<StoreDeps, "home" | "now" | "newId">,
  random: (bytes: Uint8Array) => void,
  max = maxSignIns,
): Identities {
  const insert = createNewToken({ newId }, random);
  return {
    begin: ({ leadsTo, ...whose }) =>
      home.write("everything", async (db) => {
        await db.run(sql`delete from tokens where id in (select id from tokens where ${isOpen(now(), ["oidc"])}
          order by created_at desc, id desc limit ${max} offset ${max - 1})`);
        return (await insert(db, { name: leadsTo, kind: "oidc", ...whose }, now())).secret;
      }),
    take: (secret) =>
      home.write("everything", async (db) => {
        const taken = await findRecord(
          db,
          tokens,
          sql`update tokens set revoked_at = ${now()}
            where digest = ${secretDigest(secret)} and ${isOpen(now(), ["oidc"])} returning *`,
        );
        return taken && { leadsTo: taken.name, agent: taken.agent, user: taken.user };
      }),
    bind: (invitation, person) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const at = now();
        const invitee = await spendInvitation(db, sql`id = ${invitation}`, at);
        if (!invitee) return undefined;
        const { issuer, subject } = person;
        await db.run(sql`${insertInto(identities, { scope: invitee, issuer, subject, at })}
          on conflict (agent, issuer, subject) do nothing`);
        const bound = (await persons(db, of(person))).find(({ agent }) => agent === invitee.agent) as BoundPerson;
        if (bound.user !== invitee.user) throw takenIdentity(bound);
        const another = await db.one(sql`select subject from identities where agent = ${invitee.agent}
          and user_id = ${invitee.user} and issuer = ${issuer} and subject <> ${subject}`);
        if (another) throw takenUser(bound);
        return bound;
      }),
    of: (person) => home.read("everything", (db) => persons(db, of(person))),
    list: ({ user, ...page } = {}) =>
      home.read("everything", (db) =>
        persons(
          db,
          sql`select * from identities where ${matching({ user_id: user })}
            order by user_id, agent, issuer, subject ${onPage(page)}`,
        ),
      ),
    remove: ({ user, agent }) =>
      home.write(reachOf(agent, user), async (db) => {
        const filter = matching({ user_id: user, agent });
        const removed = await persons(db, sql`delete from identities where ${filter} returning *`);
        if (removed.length > 0) return removed;
        throw new Problem(
          "unknown-identity",
          `“${user}” signs in by no issuer${agent === undefined ? "" : ` with “${agent}”`}.`,
          "See who does: charter users identities. Those in the configuration (oidc.people) are taken out there.",
        );
      }),
  };
}

function of({ issuer, subject }: Person): Query {
  return sql`select * from identities where issuer = ${issuer} and subject = ${subject} order by agent`;
}

async function persons(db: Database, query: Query): Promise<BoundPerson[]> {
  const rows = await findRecords(db, identities, query);
  return rows.map(({ scope: { agent, user = "" }, ...person }) => ({ ...person, agent, user }));
}

/** Makes the Problem of a user who is taken: two persons who are one user would read each other's text. */
function takenUser({ agent, user }: Pick<BoundPerson, "agent" | "user">): Problem {
  return new Problem(
    "identity-taken",
    `Somebody else signs in as “${user}” with “${agent}” already.`,
    "Whoever runs this can end that (charter users unbind), or invite you as a user of your own.",
  );
}

export function takenIdentity({ agent, user }: Pick<BoundPerson, "agent" | "user">): Problem {
  return new Problem(
    "identity-taken",
    `You are “${user}” with “${agent}” already, and this invitation is for somebody else.`,
    "Sign in without it. If that is wrong, whoever runs this can free your sign-in (charter users unbind, or oidc.people).",
  );
}
