import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { findIds } from "../home/find-ids.ts";
import { type Query, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { sha256 } from "../texts/sha256.ts";
import { checkToken, type NewToken, ofKinds, rightsOf, type Token, type TokenRow, tokenOf } from "./token-row.ts";

/** `store.tokens`: who may use the HTTP API. */
export type Tokens = {
  /** Creates a token. Its secret is returned only here. A sign-in token is valid for ten minutes, unless given. */
  readonly create: (token: NewToken) => Promise<Token & { readonly secret: string }>;
  /** The token with this secret, if it is valid and not for signing in. */
  readonly authenticate: (secret: string) => Promise<Token | undefined>;
  /** The sign-in token with this secret, for the first who asks; it is revoked then. */
  readonly redeem: (secret: string) => Promise<Token | undefined>;
  /** Which of these tokens, by id, are still valid. */
  readonly findValid: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly list: () => Promise<Token[]>;
  readonly revoke: (id: string) => Promise<void>;
};

const signInMinutes = 10;
/** So many tokens are remembered as written down in this minute. */
const remembered = 10_000;

/** Neither taken back nor over, and of a kind that opens more than the door. */
const isOpen = (at: string): Query => sql`revoked_at is null and (expires_at is null or expires_at > ${at})
  and rights in ${ofKinds("operator", "user", "agent", "inbox")}`;

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
  return {
    create: async (token) => {
      checkToken(token);
      const { name, kind, agent = null, user = null, expiresAt } = token;
      const at = now();
      const usual = kind === "sign-in" ? new Date(Date.parse(at) + signInMinutes * 60_000).toISOString() : null;
      const end = expiresAt === undefined ? usual : timeOf(expiresAt);
      return home.write("everything", async (db) => {
        if (agent !== null) await requireAgent(db, agent);
        // Those that were spent or are over are of no use to anyone: they go when the next one comes.
        if (kind === "sign-in")
          await db.run(sql`delete from tokens where rights = ${rightsOf(kind)}
            and (revoked_at is not null or expires_at <= ${at})`);
        if (kind === "inbox") await checkNameFree(db, { name, agent: agent as string, at });
        const bytes = new Uint8Array(32);
        random(bytes);
        const secret = `charter_${Buffer.from(bytes).toString("base64url")}`;
        const row = await db.one<TokenRow>(sql`insert into tokens
          (id, digest, name, agent, user_id, rights, created_at, expires_at)
          values (${newId()}, ${sha256(secret)}, ${name}, ${agent}, ${user}, ${rightsOf(kind)}, ${at}, ${end})
          returning *`);
        return { ...tokenOf(row as TokenRow), secret };
      });
    },
    authenticate: async (secret) => {
      const at = now();
      const row = await home.read("everything", (db) =>
        db.one<TokenRow>(sql`select * from tokens where digest = ${sha256(secret)} and ${isOpen(at)}`),
      );
      if (!row) return undefined;
      await mark(row, at);
      return tokenOf(row);
    },
    redeem: async (secret) => {
      const at = now();
      const row = await home.write("everything", (db) =>
        db.one<TokenRow>(sql`update tokens set revoked_at = ${at}, last_used_at = ${at}
          where digest = ${sha256(secret)} and rights in ${ofKinds("sign-in")}
            and revoked_at is null and (expires_at is null or expires_at > ${at}) returning *`),
      );
      return row && tokenOf(row);
    },
    findValid: (ids) => findIds(home, ids, (list) => sql`tokens where id in ${list} and ${isOpen(now())}`),
    list: () =>
      home.read("everything", async (db) => {
        const kinds = ofKinds("operator", "user", "agent", "inbox", "sign-in");
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
