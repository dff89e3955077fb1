import { Problem } from "../prompt/problem.ts";
import { sql } from "./home/sql.ts";
import { timeOf } from "./home/time.ts";
import type { Parts } from "./parts.ts";
import { sha256 } from "./sha256.ts";

/** A key to the API. Only its digest is kept: whoever reads the database cannot use it. */
export type Token = {
  readonly id: string;
  readonly name: string;
  readonly agent: string | null;
  readonly user: string | null;
  readonly rights: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
};

export type NewToken = {
  readonly name: string;
  readonly agent?: string;
  readonly user?: string;
  readonly rights?: readonly string[];
  readonly expiresAt?: string;
};

export type Tokens = {
  /** The one time its words are seen. */
  readonly create: (token: NewToken) => Promise<Token & { readonly secret: string }>;
  /** The token these words belong to, unless it was revoked or is over. */
  readonly check: (secret: string) => Promise<Token | undefined>;
  readonly list: () => Promise<Token[]>;
  readonly revoke: (id: string) => Promise<void>;
};

type TokenRow = {
  id: string;
  name: string;
  agent: string | null;
  user_id: string | null;
  rights: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
};

function tokenOf(row: TokenRow): Token {
  const { id, name, agent, user_id, rights } = row;
  return {
    id,
    name,
    agent,
    user: user_id,
    rights: JSON.parse(rights),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

export function createTokens({ home, now, newId }: Parts, random: (bytes: Uint8Array) => void): Tokens {
  return {
    create: async ({ name, agent = null, user = null, rights = [], expiresAt = null }) => {
      const end = expiresAt === null ? null : timeOf(expiresAt);
      return home.write("everything", async (db) => {
        const bytes = new Uint8Array(32);
        random(bytes);
        const secret = `charter_${Buffer.from(bytes).toString("base64url")}`;
        const id = newId();
        await db.run(sql`insert into tokens (id, digest, name, agent, user_id, rights, created_at, expires_at)
          values (${id}, ${sha256(secret)}, ${name}, ${agent}, ${user}, ${JSON.stringify(rights)}, ${now()}, ${end})`);
        return { ...tokenOf((await db.one<TokenRow>(sql`select * from tokens where id = ${id}`)) as TokenRow), secret };
      });
    },
    check: async (secret) => {
      const at = now();
      const row = await home.read("everything", (db) =>
        db.one<TokenRow>(sql`select * from tokens where digest = ${sha256(secret)} and revoked_at is null
          and (expires_at is null or expires_at > ${at})`),
      );
      if (!row) return undefined;
      const minute = at.slice(0, 16);
      if (row.last_used_at?.slice(0, 16) !== minute)
        await home.write("everything", (db) =>
          db.run(sql`update tokens set last_used_at = ${at} where id = ${row.id}`),
        );
      return tokenOf(row);
    },
    list: () =>
      home.read("everything", async (db) =>
        (await db.all<TokenRow>(sql`select * from tokens order by id`)).map(tokenOf),
      ),
    revoke: async (id) => {
      const gone = await home.write("everything", (db) =>
        db.run(sql`update tokens set revoked_at = ${now()} where id = ${id} and revoked_at is null`),
      );
      if (gone === 0) throw new Problem("unknown-token", `There is no token “${id}” to revoke.`, "Check the id.");
    },
  };
}
