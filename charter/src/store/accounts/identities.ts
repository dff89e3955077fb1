import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { createNewToken, isOpen } from "./create-token.ts";
import { spendInvitation } from "./invitations.ts";
import type { TokenRow } from "./token-row.ts";

/** A person as an issuer knows them. Names and addresses that it tells are no part of it: they change hands. */
export type Person = { readonly issuer: string; readonly subject: string };

/** A person, and the user that they are with an agent. */
export type BoundPerson = Person & { readonly agent: string; readonly user: string; readonly at: string };

/** `store.identities`: who of an issuer is which user. */
export type Identities = {
  /**
   * Begins a sign-in at an issuer, and gives its secret: it is over in ten minutes, and taken once. `leadsTo` is a door, or
   * the id of an invitation. Where too many are under way, the oldest gives way: strangers who begin them keep nobody out.
   */
  readonly begin: (about: {
    readonly leadsTo: string;
    readonly agent?: string;
    readonly user?: string;
  }) => Promise<string>;
  /** What was begun with this secret, for the first who asks. */
  readonly take: (
    secret: string,
  ) => Promise<{ readonly leadsTo: string; readonly agent: string | null; readonly user: string | null } | undefined>;
  /** Spends an open invitation, by its id: the person is its user from then on. Both or neither. */
  readonly bind: (invitation: string, person: Person) => Promise<BoundPerson | undefined>;
  /** Who this person is, with which agents. */
  readonly of: (person: Person) => Promise<BoundPerson[]>;
  readonly list: (page?: Page & { readonly user?: string }) => Promise<BoundPerson[]>;
  /** The user is nobody's of an issuer any more, with one agent or all. Sessions stay. */
  readonly remove: (whose: { readonly user: string; readonly agent?: string }) => Promise<BoundPerson[]>;
};

type IdentityRow = { agent: string; user_id: string; issuer: string; subject: string; at: string };

function identityOf({ agent, user_id: user, issuer, subject, at }: IdentityRow): BoundPerson {
  return { issuer, subject, agent, user, at };
}

/** So many sign-ins are under way at a time. */
const mostUnderWay = 10_000;

export function createIdentities(
  { home, now, newId }: Pick<StoreDeps, "home" | "now" | "newId">,
  random: (bytes: Uint8Array) => void,
  most = mostUnderWay,
): Identities {
  const insert = createNewToken({ newId }, random);
  return {
    begin: ({ leadsTo, ...whose }) =>
      home.write("everything", async (db) => {
        await db.run(sql`delete from tokens where id in (select id from tokens where ${isOpen(now(), ["oidc"])}
          order by created_at desc, id desc limit ${most} offset ${most - 1})`);
        return (await insert(db, { name: leadsTo, kind: "oidc", ...whose }, now())).secret;
      }),
    take: (secret) =>
      home.write("everything", async (db) => {
        const row = await db.one<TokenRow>(sql`update tokens set revoked_at = ${now()}
          where digest = ${sha256(secret)} and ${isOpen(now(), ["oidc"])} returning *`);
        return row && { leadsTo: row.name, agent: row.agent, user: row.user_id };
      }),
    bind: (invitation, person) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const at = now();
        const whose = await spendInvitation(db, sql`id = ${invitation}`, at);
        if (!whose) return undefined;
        await db.run(sql`insert into identities (agent, user_id, issuer, subject, at)
          values (${whose.agent}, ${whose.user}, ${person.issuer}, ${person.subject}, ${at})
          on conflict (agent, issuer, subject) do nothing`);
        const bound = (await found(db, person)).find(({ agent }) => agent === whose.agent) as BoundPerson;
        if (bound.user !== whose.user) throw takenIdentity(bound);
        const another = await db.one(sql`select subject from identities where agent = ${whose.agent}
          and user_id = ${whose.user} and issuer = ${person.issuer} and subject <> ${person.subject}`);
        if (another) throw takenUser(bound);
        return bound;
      }),
    of: (person) => home.read("everything", (db) => found(db, person)),
    list: ({ user, ...page } = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<IdentityRow>(sql`select * from identities
          ${user === undefined ? raw("") : sql`where user_id = ${user}`}
          order by user_id, agent, issuer, subject limit ${limit} offset ${offset}`);
        return rows.map(identityOf);
      }),
    remove: ({ user, agent }) =>
      home.write("everything", async (db) => {
        const rows = await db.all<IdentityRow>(sql`delete from identities where user_id = ${user}
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`} returning *`);
        if (rows.length > 0) return rows.map(identityOf);
        throw new Problem(
          "unknown-identity",
          `“${user}” signs in by no issuer${agent === undefined ? "" : ` with “${agent}”`}.`,
          "See who does: charter users identities. Those in the configuration (oidc.people) are taken out there.",
        );
      }),
  };
}

async function found(db: Database, { issuer, subject }: Person): Promise<BoundPerson[]> {
  const rows = await db.all<IdentityRow>(
    sql`select * from identities where issuer = ${issuer} and subject = ${subject} order by agent`,
  );
  return rows.map(identityOf);
}

/** Two persons who are one user would read each other's words. */
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
