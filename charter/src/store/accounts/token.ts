import { listed, Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { findRecord, insertInto, lockNamed } from "../home/query.ts";
import { listOf, type Query, sql } from "../home/sql.ts";
import type { RecordOf } from "../home/table.ts";
import { timeOf } from "../home/time.ts";
import { checkName, checkUser } from "../scope.ts";
import { sha256 } from "../texts/sha256.ts";
import { type TokenKind, tokenKinds, tokens } from "./account-tables.ts";

/** What is kept beside tokens, and opens nothing itself: an invitation, and a sign-in that is under way at an issuer. */
type KeptKind = TokenKind | "invitation" | "oidc";

/** A token for the HTTP API, without its secret: only a digest of that is stored. */
export type Token = RecordOf<typeof tokens>;

/** A token with its secret, which is told this once. */
export type NewSession = Token & { readonly secret: string };

/** A token to be created. A user's or an agent's names whom it is for. */
export type NewToken = {
  readonly name: string;
  readonly kind: TokenKind;
  readonly agent?: string;
  readonly user?: string;
  readonly expiresAt?: string;
};

const signInMinutes = 10;

/** What is shown to the API itself, each by one secret. */
export const ofApi = ["operator", "user", "agent", "inbox"] as const;

/** Neither taken back nor over, and of a kind that opens more than the door. */
export const isOpen = (at: string, kinds: readonly KeptKind[] = ofApi): Query =>
  sql`revoked_at is null and (expires_at is null or expires_at > ${at}) and kind in ${listOf(kinds)}`;

/** Writes a token down, by the digest of its secret, in the transaction of whoever makes it. */
export function createNewToken({ newId }: Pick<StoreDeps, "newId">, random: (bytes: Uint8Array) => void) {
  const half = () => {
    const bytes = new Uint8Array(32);
    random(bytes);
    return Buffer.from(bytes).toString("base64url");
  };
  return async (
    db: Database,
    token: Omit<NewToken, "kind"> & { readonly kind: KeptKind },
    at: string,
  ): Promise<NewSession> => {
    const { name, agent, user, expiresAt } = token;
    // Invitations and sign-ins under way are kept beside the tokens.
    const kind = token.kind as TokenKind;
    const usual = ["sign-in", "oidc"].includes(kind) ? later(at, signInMinutes * 60_000) : null;
    if (agent !== undefined) await requireAgent(db, agent);
    // Those that were spent or are over are of no use to anyone: they go when the next one comes.
    if (["sign-in", "chat", "oidc"].includes(kind))
      await db.run(sql`delete from tokens where kind = ${kind} and (revoked_at is not null or expires_at <= ${at})`);
    if (kind === "inbox") await checkNameFree(db, name, agent as string, at);
    const secret = kind === "chat" ? `charter_${half()}.${half()}` : `charter_${half()}`;
    const facts = { id: newId(), digest: sha256(secret), name, kind, agent, user, createdAt: at };
    const row = { ...facts, expiresAt: expiresAt === undefined ? usual : timeOf(expiresAt) };
    return { ...((await findRecord(db, tokens, sql`${insertInto(tokens, row)} returning *`)) as Token), secret };
  };
}

export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/** Senders are called after the token that vouches for them: while one holds, there is no second of its name. */
async function checkNameFree(db: Database, name: string, agent: string, at: string): Promise<void> {
  await lockNamed(db, ["inbox-token", agent]);
  const taken = await db.one(sql`select 1 as there from tokens where agent = ${agent} and name = ${name}
    and ${isOpen(at, ["inbox"])}`);
  if (taken)
    throw new Problem(
      "bad-token",
      `“${agent}” has an inbox token “${name}” already.`,
      "Revoke that one first, or choose another name.",
    );
}

const needs: Readonly<Record<TokenKind, { readonly user: Need; readonly agent: Need }>> = {
  operator: { user: "none", agent: "none" },
  "sign-in": { user: "any", agent: "any" },
  user: { user: "one", agent: "any" },
  agent: { user: "any", agent: "one" },
  inbox: { user: "none", agent: "one" },
  chat: { user: "one", agent: "one" },
};
type Need = "none" | "one" | "any";

/** Whether a token says whose it is, as its kind asks for. */
export function checkToken({ kind, ...given }: NewToken): void {
  const wanted = Object.hasOwn(needs, kind) ? needs[kind] : undefined;
  if (!wanted)
    throw new Problem("bad-token", `There is no kind of token “${kind}”.`, `It is one of ${listed(tokenKinds)}.`);
  for (const whose of ["user", "agent"] as const) {
    const name = given[whose];
    if (name !== undefined && wanted[whose] === "none")
      throw new Problem("bad-token", `A token of kind “${kind}” is for no ${whose}.`, `Leave out the ${whose}.`);
    if (name === undefined && wanted[whose] === "one")
      throw new Problem("bad-token", `A token of kind “${kind}” needs the ${whose} it is for.`, `Name the ${whose}.`);
    if (name !== undefined) checkName(whose, name);
  }
  if (given.user !== undefined) checkUser(given.user);
  if (kind === "sign-in" && (given.user === undefined) !== (given.agent === undefined))
    throw new Problem(
      "bad-token",
      "A sign-in token is for the operator, or for one user with one agent.",
      "Name the user and the agent, or neither.",
    );
  if (kind === "inbox" && !namesSenders(given.name))
    throw new Problem(
      "bad-token",
      `“${given.name}” cannot be the name of a token of kind “inbox”: senders are called after it.`,
      "Use 1 to 64 of the letters A to Z, digits, _ . and -; “operator” is taken, and so are addresses (0x…).",
    );
}

/** Senders and messages are called after a token; those of operators and of who signs, after “operator” and an address. */
function namesSenders(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && name !== "operator" && !/^0x[0-9a-f]{40}$/i.test(name);
}
