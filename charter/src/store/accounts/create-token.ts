import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { type Query, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { sha256 } from "../texts/sha256.ts";
import { type KeptKind, type NewToken, ofKinds, rightsOf, type Token, type TokenRow, tokenOf } from "./token-row.ts";

/** A token with its secret, which is told this once. */
export type NewSession = Token & { readonly secret: string };

const signInMinutes = 10;

/** What is shown to the API itself, each by one secret. */
export const ofApi = ["operator", "user", "agent", "inbox"] as const;

/** Neither taken back nor over, and of a kind that opens more than the door. */
export const isOpen = (at: string, kinds: readonly KeptKind[] = ofApi): Query =>
  sql`revoked_at is null and (expires_at is null or expires_at > ${at}) and rights in ${ofKinds(...kinds)}`;

/** Writes a token down, by the digest of its secret, in the transaction of whoever makes it. */
export function createNewToken({ newId }: Pick<StoreDeps, "newId">, random: (bytes: Uint8Array) => void) {
  const words = () => {
    const bytes = new Uint8Array(32);
    random(bytes);
    return Buffer.from(bytes).toString("base64url");
  };
  return async (
    db: Database,
    token: Omit<NewToken, "kind"> & { readonly kind: KeptKind },
    at: string,
  ): Promise<NewSession> => {
    const { name, kind, agent = null, user = null, expiresAt } = token;
    const usual = kind === "sign-in" || kind === "oidc" ? later(at, signInMinutes * 60_000) : null;
    const end = expiresAt === undefined ? usual : timeOf(expiresAt);
    if (agent !== null) await requireAgent(db, agent);
    // Those that were spent or are over are of no use to anyone: they go when the next one comes.
    if (kind === "sign-in" || kind === "chat" || kind === "oidc")
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
}

export function later(at: string, ms: number): string {
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
