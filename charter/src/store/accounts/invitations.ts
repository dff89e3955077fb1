import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { checkName, checkUser } from "../scope.ts";
import { sha256 } from "../texts/sha256.ts";
import { checkZone } from "../zone.ts";
import { createNewToken, later, type NewSession } from "./create-token.ts";
import { ofKinds, type TokenRow } from "./token-row.ts";
import { addUser } from "./users.ts";

/** That a user may come to an agent: some days, once. Its secret is in the link, and only a digest of it is stored. */
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

/** Somebody to be invited. */
export type Invitee = { readonly user: string; readonly agent: string; readonly zone?: string };

/** `store.invitations`: who was invited to which agent. */
export type Invitations = {
  /**
   * Invites all of them, or nobody. Who was invited to that agent before, and came or still may, is left alone; `again`
   * makes them a new invitation, and an open one ends. Whoever is invited is a user from then on.
   */
  readonly create: (
    invitees: readonly Invitee[],
    about?: { readonly days?: number; readonly again?: boolean },
  ) => Promise<{ readonly made: readonly NewInvitation[]; readonly already: readonly Invitation[] }>;
  /** The open invitation with this secret. */
  readonly find: (secret: string) => Promise<Invitation | undefined>;
  /** Spends an open invitation, by its secret, for a sign-in of its user: both or neither. */
  readonly accept: (secret: string) => Promise<NewSession | undefined>;
  readonly list: (page?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Invitation[]>;
  /** Takes open invitations back, by id, or by user; an error if there is none. */
  readonly revoke: (
    which: { readonly id: string } | { readonly user: string; readonly agent?: string },
  ) => Promise<Invitation[]>;
};

/** An invitation with its secret, which is told this once. */
export type NewInvitation = Invitation & { readonly secret: string };

const invitationDays = { usual: 7, most: 90 } as const;

const ours = sql`rights in ${ofKinds("invitation")}`;
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
            await revokeOpen(db, ofInvitee(invitee), now());
            made.push(await invite(db, invitee, expiresAt));
          }
        }
        return { made, already };
      });
    },
    find: (secret) =>
      home.read("everything", async (db) => {
        const at = now();
        const row = await db.one<TokenRow>(
          sql`select * from tokens where digest = ${sha256(secret)} and ${openAt(at)}`,
        );
        return row && invitationOf(row, at);
      }),
    accept: (secret) =>
      home.write("everything", async (db) => {
        const spent = await spendInvitation(db, sql`digest = ${sha256(secret)}`, now());
        return spent && insert(db, { name: "invitation", kind: "sign-in", ...spent }, now());
      }),
    list: ({ agent, user, ...page } = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<TokenRow>(sql`select * from tokens where ${ours}
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`} order by id limit ${limit} offset ${offset}`);
        return rows.map((row) => invitationOf(row, now()));
      }),
    revoke: async (which) => {
      const whose = "id" in which ? sql`id = ${which.id}` : ofInvitee(which);
      const gone = await home.write("everything", (db) => revokeOpen(db, whose, now()));
      if (gone.length > 0) return gone;
      const named = "id" in which ? which.id : which.user;
      throw new Problem(
        "unknown-invitation",
        `There is no open invitation “${named}”.`,
        "See what is open: charter users invitations.",
      );
    },
  };
}

function ofInvitee({ user, agent }: { readonly user: string; readonly agent?: string }): Query {
  return agent === undefined ? sql`user_id = ${user}` : sql`user_id = ${user} and agent = ${agent}`;
}

/** The last invitation of a user to an agent that is open, or that they came by. */
async function lastOf(db: Database, invitee: Invitee, at: string): Promise<Invitation | undefined> {
  const row = await db.one<TokenRow>(sql`select * from tokens where ${ours} and ${ofInvitee(invitee)}
    and (last_used_at is not null or (revoked_at is null and expires_at > ${at})) order by id desc limit 1`);
  return row && invitationOf(row, at);
}

async function revokeOpen(db: Database, whose: Query, at: string): Promise<Invitation[]> {
  const rows = await db.all<TokenRow>(
    sql`update tokens set revoked_at = ${at} where ${whose} and ${openAt(at)} returning *`,
  );
  return rows.map((row) => invitationOf(row, at));
}

/** For the first who asks: whose it was. From then on it is used. */
export async function spendInvitation(
  db: Database,
  which: Query,
  at: string,
): Promise<{ readonly agent: string; readonly user: string } | undefined> {
  const row = await db.one<TokenRow>(
    sql`update tokens set revoked_at = ${at}, last_used_at = ${at} where ${which} and ${openAt(at)} returning *`,
  );
  return row && { agent: row.agent as string, user: row.user_id as string };
}

function invitationOf(row: TokenRow, at: string): Invitation {
  const { id, agent, user_id, created_at, expires_at, last_used_at, revoked_at } = row;
  const [ends, used] = [expires_at as string, last_used_at !== null];
  const over = revoked_at !== null ? "revoked" : ends <= at ? "expired" : "open";
  return {
    id,
    agent: agent as string,
    user: user_id as string,
    state: used ? "used" : over,
    createdAt: created_at,
    expiresAt: ends,
    usedAt: last_used_at,
    revokedAt: used ? null : revoked_at,
  };
}

function checkDays(days: number): number {
  if (Number.isSafeInteger(days) && days >= 1 && days <= invitationDays.most) return days;
  throw new Problem(
    "usage",
    `An invitation cannot last ${days} days.`,
    `Give a whole number from 1 to ${invitationDays.most}; ${invitationDays.usual}, unless given.`,
  );
}
