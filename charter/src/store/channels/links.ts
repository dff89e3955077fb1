import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { exactly, insertInto, lockAgainstErasure, lockNamed, matching, recordOf } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { digest, name, type RecordOf, type RowOf, table, text, time } from "../home/table.ts";
import { checkName, checkScope, checkUser } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";

/** A chat that belongs to a user: what comes from there is theirs, and what is for them is sent there. */
export type Link = RecordOf<typeof links> & { readonly scope: Scope & { readonly user: string } };

/** `store.links`: which chats belong to which users. */
export type Links = {
  /** Creates a code; the chat it is sent from will belong to the user. An earlier code becomes invalid. */
  readonly createCode: (
    scope: Scope,
    channel: string,
  ) => Promise<{ readonly code: string; readonly expiresAt: string }>;
  /**
   * Links the chat a code came from, once and in time; if it was another user's, it no longer is. Returns `undefined` for a code
   * that is wrong, used, expired or another agent's.
   */
  readonly redeem: (agent: string, channel: string, code: string, address: string) => Promise<Link | undefined>;
  readonly find: (agent: string, channel: string, address: string) => Promise<Link | undefined>;
  readonly of: (scope: Scope) => Promise<Link[]>;
  /** Lists the agents that have linked chats on a channel, by name. */
  readonly agentsOn: (channel: string) => Promise<string[]>;
  /** Unlinks a chat. What still waits to be sent there is dropped. */
  readonly remove: (scope: Scope, channel: string, address: string) => Promise<void>;
};

type LinkRow = RowOf<typeof links>;

const linkOf = (row: LinkRow) => recordOf(links, row) as Link;

/** Minutes for which a code can be used. */
const codeMinutes = 10;

export function createLinks({ home, now }: StoreDeps, random: (bytes: Uint8Array) => void): Links {
  return {
    createCode: async (scope, channel) => {
      const { agent, user } = userScope(scope);
      checkUser(user);
      checkName("channel", channel);
      const at = now();
      const expiresAt = new Date(Date.parse(at) + codeMinutes * 60_000).toISOString();
      return home.write(scope, async (db) => {
        await requireAgent(db, agent);
        await lockNamed(db, ["link-code", agent, user, channel]);
        const code = newCode(random);
        await db.run(sql`delete from link_codes where ${matching({ agent, user_id: user, channel })}`);
        const digest = codeDigest(agent, channel, code);
        await db.run(insertInto(linkCodes, { digest, scope: { agent, user }, channel, at, expiresAt }));
        return { code, expiresAt };
      });
    },
    redeem: async (agent, channel, code, address) => {
      checkName("chat", address);
      return home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const at = now();
        const used = await db.one<{ user_id: string }>(sql`update link_codes set used_at = ${at}
          where ${matching({ digest: codeDigest(agent, channel, code), agent, channel, used_at: null })}
            and expires_at > ${at} returning user_id`);
        if (!used) return undefined;
        const scope = { agent, user: used.user_id };
        await lockNamed(db, ["link", agent, channel, address]);
        const before = await findLink(db, agent, channel, address);
        if (before && before.scope.user !== scope.user) await unlink(db, at, before);
        await db.run(sql`${insertInto(links, { scope, channel, address, at })}
          on conflict (agent, channel, address) do update set user_id = excluded.user_id, at = excluded.at`);
        recordEvent(db, at, { scope, kind: "chat-linked", detail: { channel } });
        return { scope, channel, address, at };
      });
    },
    find: (agent, channel, address) => home.read("everything", (db) => findLink(db, agent, channel, address)),
    of: (scope) => {
      const { agent, user } = userScope(scope);
      return home.read(scope, async (db) => {
        const rows = await db.all<LinkRow>(sql`select * from links where ${matching({ agent, user_id: user })}
          order by at, channel, address`);
        return rows.map(linkOf);
      });
    },
    agentsOn: (channel) =>
      home.read("everything", async (db) => {
        const rows = await db.all<Pick<LinkRow, "agent">>(
          sql`select distinct agent from links where channel = ${channel} order by agent`,
        );
        return rows.map(({ agent }) => agent);
      }),
    remove: async (scope, channel, address) => {
      const { agent, user } = userScope(scope);
      const isRemoved = await home.write(scope, (db) =>
        unlink(db, now(), { scope: { agent, user }, channel, address }),
      );
      if (!isRemoved)
        throw new Problem(
          "unknown-link",
          `There is no chat “${address}” on “${channel}” that is linked here.`,
          "See what is linked, and check the address.",
        );
    },
  };
}

export async function findLink(
  db: Database,
  agent: string,
  channel: string,
  address: string,
): Promise<Link | undefined> {
  const row = await db.one<LinkRow>(sql`select * from links where ${matching({ agent, channel, address })}`);
  return row && linkOf(row);
}

/** Removes a link, and what was on its way through it: a user's text does not follow a chat to its next user. */
async function unlink(db: Database, at: string, { scope, channel, address }: Omit<Link, "at">): Promise<boolean> {
  const linkRows = sql`${exactly({ agent: scope.agent, channel, address })} and ${matching({ user_id: scope.user })}`;
  const deleted = await db.run(sql`delete from links where ${linkRows}`);
  if (deleted === 0) return false;
  await db.run(sql`delete from dispatches where ${linkRows} and state = 'waiting'`);
  recordEvent(db, at, { scope, kind: "chat-unlinked", detail: { channel } });
  return true;
}

function userScope(scope: Scope): Scope & { readonly user: string } {
  checkScope(scope);
  if (scope.user !== undefined) return { agent: scope.agent, user: scope.user };
  throw new Problem("needs-user", "A chat is linked to a user, and no user was named.", "Say whose chat it is.");
}

/** Letters and digits that nobody takes for one another: no I, L, O or U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeLength = 8;

/** Returns forty random bits, in a form that people can read off one screen and type into another. */
export function newCode(random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(codeLength);
  random(bytes);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}

/**
 * Returns the digest under which a code is stored: a reader of the database cannot type the code. It is of no use for another
 * agent or channel.
 */
export function codeDigest(agent: string, channel: string, code: string): string {
  return sha256(JSON.stringify([agent, channel, asWritten(code)]));
}

/** Normalises a code that was typed in small letters, in groups, or with the letter O for the digit. */
function asWritten(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
}

/** Links between chats and users. */
export const links = table(
  "links",
  { of: "user", key: ["agent", "channel", "address"], isByKey: true, indexes: { links_user: "(agent, user_id)" } },
  {
    channel: name(),
    /** Id of the chat on its channel. */
    address: text(),
    at: time(),
  },
);

/** Codes to link a chat. Checkpoints leave them out, because a restored copy could be used a second time. */
export const linkCodes = table(
  "link_codes",
  {
    of: "user",
    key: ["digest"],
    keep: { when: "expires_at < {until}", size: "digest" },
    isLeftOut: true,
  },
  { digest: digest().inner(), channel: name(), at: time(), expiresAt: time(), usedAt: time().nullable() },
);
