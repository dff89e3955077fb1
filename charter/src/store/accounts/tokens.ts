import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { findIds } from "../home/find-ids.ts";
import { type Query, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { sha256 } from "../texts/sha256.ts";
import {
  checkToken,
  type NewToken,
  ofKinds,
  rightsOf,
  type Token,
  type TokenKind,
  type TokenRow,
  tokenKinds,
  tokenOf,
} from "./token-row.ts";

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
  /** Ends a user's chats with an agent, and sign-in tokens of theirs that nobody has used yet. */
  readonly endChats: (scope: { readonly agent: string; readonly user: string }) => Promise<void>;
  /** Which of these tokens, by id, are still valid. */
  readonly findValid: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly list: () => Promise<Token[]>;
  readonly revoke: (id: string) => Promise<void>;
};

/** A token with its secret, which is told this once. */
export type NewSession = Token & { readonly secret: string };

const signInMinutes = 10;
/** So long whoever signed in stays so. */
export const sessionDays = 30;
/** So many tokens are remembered as written down in this minute. */
const remembered = 10_000;

/** What is shown to the API itself, each by one secret. */
const ofApi = ["operator", "user", "agent", "inbox"] as const;

/** Neither taken back nor over, and of a kind that opens more than the door. */
const isOpen = (at: string, kinds: readonly TokenKind[] = ofApi): Query =>
  sql`revoked_at is null and (expires_at is null or expires_at > ${at}) and rights in ${ofKinds(...kinds)}`;

export function createTokens({ home, now, newId }: StoreDeps, random: (bytes: Uint8Array) => void): Tokens {
  const marked = createBoundedMap<string, string>(remembered);
  /** That it was used in this minute: once for each process. A disk that is full is no reason to turn anyone away. */
  const mark = async ({ id, last_used_at }: TokenRow, at: string) => {
    const minute = at.slice(0, 16);
    if (last_used_at?.slice(0, 16) === minute || marked.get(id) === minute) return;
    marked.set(id, minute);
    await home
      .write("everything", (db) => db.run(sql`update tokens set last_used_at = ${at} where id = ${id}`))
      .catch(() => {});
  };
  const find = async (secret: string, kinds: readonly TokenKind[]) => {
    const at = now();
    const row = await home.read("everything", (db) =>
      db.one<TokenRow>(sql`select * from tokens where digest = ${sha256(secret)} and ${isOpen(at, kinds)}`),
    );
    if (!row) return undefined;
    await mark(row, at);
    return tokenOf(row);
  };
  const words = () => {
    const bytes = new Uint8Array(32);
    random(bytes);
    return Buffer.from(bytes).toString("base64url");
  };
  const insert = async (db: Database, token: NewToken, at: string): Promise<NewSession> => {
    const { name, kind, agent = null, user = null, expiresAt } = token;
    const usual = kind === "sign-in" ? later(at, signInMinutes * 60_000) : null;
    const end = expiresAt === undefined ? usual : timeOf(expiresAt);
    if (agent !== null) await requireAgent(db, agent);
    // Those that were spent or are over are of no use to anyone: they go when the next one comes.
    if (kind === "sign-in" || kind === "chat")
      await db.run(sql`delete from tokens where rights = ${rightsOf(kind)}
        and (revoked_at is not null or expires_at <= ${at})`);
    if (kind === "inbox") await checkNameFree(db, { name, agent: agent as string, at });
    const secret = kind === "chat" ? `charter_${words()}.${words()}` : `charter_${words()}`;
    const row = await db.one<TokenRow>(sql`insert into tokens
      (id, digest, name, agent, user_id, rights, created_at, expires_at)
      values (${newId()}, ${sha256(secret)}, ${name}, ${agent}, ${user}, ${rightsOf(kind)}, ${at}, ${end})
      returning *`);
    return { ...tokenOf(row as TokenRow), secret };
  };
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
      const named = whose === "user" ? sql`user_id is not null` : sql`user_id is null`;
      return home.write("everything", async (db) => {
        const row = await db.one<TokenRow>(sql`update tokens set revoked_at = ${at}, last_used_at = ${at}
          where digest = ${sha256(secret)} and rights in ${ofKinds("sign-in")} and ${named}
            and revoked_at is null and (expires_at is null or expires_at > ${at}) returning *`);
        if (!row) return undefined;
        const token = tokenOf(row);
        return { ...token, session: await insert(db, sessionFor(token, at), at) };
      });
    },
    findValid: (ids) =>
      findIds(home, ids, (list) => sql`tokens where id in ${list} and ${isOpen(now(), [...ofApi, "chat"])}`),
    endChats: async ({ agent, user }) => {
      await home.write("everything", (db) =>
        db.run(sql`update tokens set revoked_at = ${now()} where agent = ${agent} and user_id = ${user}
          and rights in ${ofKinds("chat", "sign-in")} and revoked_at is null`),
      );
    },
    list: () =>
      home.read("everything", async (db) => {
        const kinds = ofKinds(...tokenKinds);
        return (await db.all<TokenRow>(sql`select * from tokens where rights in ${kinds} order by id`)).map(tokenOf);
      }),
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

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/** Senders are called after the token that vouches for them: while one holds, there is no second of its name. */
async function checkNameFree(
  db: Database,
  { name, agent, at }: { readonly name: string; readonly agent: string; readonly at: string },
): Promise<void> {
  const lock = db.dialect.lock(JSON.stringify(["inbox-token", agent]));
  if (lock) await db.all(lock);
  const taken = await db.one(sql`select 1 as there from tokens where agent = ${agent} and name = ${name}
    and rights in ${ofKinds("inbox")} and ${isOpen(at)}`);
  if (taken)
    throw new Problem(
      "bad-token",
      `“${agent}” has an inbox token “${name}” already.`,
      "Revoke that one first, or choose another name.",
    );
}
