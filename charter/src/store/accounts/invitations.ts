import { checkList } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { findRecord, findRecords, matching, onPage, type Page } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { checkName, checkUser, checkZone } from "../scope.ts";
import { createNewToken, later, type NewSession, secretDigest, type Token, tokens } from "./tokens.ts";
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

/**
 * `store.invitations`: who was invited to which agent.
 *
 * @opaque
 */
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
        const those = sql`${ours} and ${matching({ agent, user_id: user })}`;
        return invitations(db, sql`select * from tokens where ${those} order by id ${onPage(page)}`, now());
      }),
    revoke: async (which) => {
      const whose = "id" in which ? sql`id = ${which.id}` : matching({ user_id: which.user, agent: which.agent });
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

/** The last invitation of a user to an agent that is open, or that they came by. */
async function lastOf(db: Database, { user, agent }: Invitee, at: string): Promise<Invitation | undefined> {
  const last = sql`select * from tokens where ${ours} and user_id = ${user} and agent = ${agent}
    and (last_used_at is not null or (revoked_at is null and expires_at > ${at})) order by id desc limit 1`;
  return (await invitations(db, last, at))[0];
}

function revokeOpen(db: Database, whose: Query, at: string): Promise<Invitation[]> {
  return invitations(db, sql`update tokens set revoked_at = ${at} where ${whose} and ${openAt(at)} returning *`, at);
}

/** For the first who asks: whose it was. From then on it is used. */
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
