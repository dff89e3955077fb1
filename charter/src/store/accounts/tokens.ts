import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { findIds } from "../home/find-ids.ts";
import { findRecord, findRecords } from "../home/query.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { type TokenKind, tokenKinds, tokens } from "./account-tables.ts";
import {
  checkToken,
  createNewToken,
  isOpen,
  later,
  type NewSession,
  type NewToken,
  ofApi,
  type Token,
} from "./token.ts";

/** `store.tokens`: who may use the HTTP API. */
export type Tokens = {
  /**
   * Creates a token. Its secret is returned only here; that of a chat has two halves with a dot between, and is known
   * by both together. A sign-in token is valid for ten minutes, unless given.
   */
  readonly create: (token: NewToken) => Promise<NewSession>;
  /** The token with this secret, if it is valid, and neither for signing in nor a chat's. */
  readonly authenticate: (secret: string) => Promise<Token | undefined>;
  /** The chat with this secret, both halves of it, if it is valid. */
  readonly authenticateChat: (secret: string) => Promise<Token | undefined>;
  /**
   * The sign-in token with this secret, for the first who asks, and the session of thirty days that it is spent for: both
   * or neither. One for the other is left alone.
   */
  readonly redeem: (
    secret: string,
    whose?: "operator" | "user",
  ) => Promise<(Token & { readonly session: NewSession }) | undefined>;
  /** Ends a user's chats with an agent, and sign-in tokens and invitations of theirs that nobody has used yet. */
  readonly endChats: (scope: { readonly agent: string; readonly user: string }) => Promise<void>;
  /** Which of these tokens, by id, are still valid. */
  readonly findValid: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** All but invitations and what is under way at an issuer. */
  readonly list: () => Promise<Token[]>;
  readonly revoke: (id: string) => Promise<void>;
};

/** So long whoever signed in stays so. */
export const sessionDays = 30;
/** So many tokens are remembered as written down in this minute. */
const remembered = 10_000;

export function createTokens({ home, now, newId }: StoreDeps, random: (bytes: Uint8Array) => void): Tokens {
  const marked = createBoundedMap<string, string>(remembered);
  /** That it was used in this minute: once for each process. A disk that is full is no reason to turn anyone away. */
  const mark = async ({ id, lastUsedAt }: Token, at: string) => {
    const minute = at.slice(0, 16);
    if (lastUsedAt?.slice(0, 16) === minute || marked.get(id) === minute) return;
    marked.set(id, minute);
    await home
      .write("everything", (db) => db.run(sql`update tokens set last_used_at = ${at} where id = ${id}`))
      .catch(() => {});
  };
  const find = async (secret: string, kinds: readonly TokenKind[]) => {
    const at = now();
    const token = await home.read("everything", (db) =>
      findRecord(db, tokens, sql`select * from tokens where digest = ${sha256(secret)} and ${isOpen(at, kinds)}`),
    );
    if (token) await mark(token, at);
    return token;
  };
  const insert = createNewToken({ newId }, random);
  return {
    create: async (token) => {
      checkToken(token);
      const at = now();
      return home.write("everything", (db) => insert(db, token, at));
    },
    authenticate: (secret) => find(secret, ofApi),
    authenticateChat: (secret) => find(secret, ["chat"]),
    redeem: async (secret, whose = "operator") => {
      const at = now();
      const named = raw(whose === "user" ? "user_id is not null" : "user_id is null");
      const spent = sql`update tokens set revoked_at = ${at}, last_used_at = ${at}
        where digest = ${sha256(secret)} and ${named} and ${isOpen(at, ["sign-in"])} returning *`;
      return home.write("everything", async (db) => {
        const token = await findRecord(db, tokens, spent);
        return token && { ...token, session: await insert(db, sessionFor(token, at), at) };
      });
    },
    findValid: (ids) =>
      findIds(home, ids, (list) => sql`tokens where id in ${list} and ${isOpen(now(), [...ofApi, "chat"])}`),
    endChats: async ({ agent, user }) => {
      await home.write("everything", (db) =>
        db.run(sql`update tokens set revoked_at = ${now()} where agent = ${agent} and user_id = ${user}
          and kind in ('chat', 'sign-in', 'invitation', 'oidc') and revoked_at is null`),
      );
    },
    list: () =>
      home.read("everything", (db) =>
        findRecords(db, tokens, sql`select * from tokens where kind in ${listOf(tokenKinds)} order by id`),
      ),
    revoke: async (id) => {
      const gone = await home.write("everything", (db) =>
        db.run(sql`update tokens set revoked_at = ${now()} where id = ${id} and revoked_at is null`),
      );
      if (gone === 0) throw new Problem("unknown-token", `There is no token “${id}” to revoke.`, "Check the id.");
    },
  };
}

/** What a sign-in token is spent for: a user's chat with their agent, or the operator's cookie. */
function sessionFor({ agent, user }: Token, at: string): NewToken {
  const expiresAt = later(at, sessionDays * 86_400_000);
  if (user === null || agent === null) return { name: "signed in", kind: "operator", expiresAt };
  return { name: "page for users", kind: "chat", user, agent, expiresAt };
}
