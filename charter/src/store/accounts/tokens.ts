import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { findIds, findRecord, findRecords, insertInto, lockNamed } from "../home/query.ts";
import { listOf, type Query, raw, sql, timeOf } from "../home/sql.ts";
import { code, digest, id, name, type RecordOf, table, text, time } from "../home/table.ts";
import { checkName, checkUser } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";

/**
 * Kind of a token. It allows: everything (`operator`), one user's part (`user`), one agent's tools (`agent`), writing to one
 * agent's inbox (`inbox`), turns of whomever a header names (`gateway`), a user's session with one agent at the page for users (`chat`), or signing in once (`sign-in`): the
 * operator to the studio, or, if it names a user and an agent, that user to their page.
 */
export type TokenKind = (typeof tokenKinds)[number];

export const tokenKinds = ["operator", "user", "agent", "inbox", "gateway", "chat", "sign-in"] as const;

export const tokens = table(
  "tokens",
  { of: "store", key: ["id"], owner: { agent: "agent", user: "user_id" } },
  {
    id: id(),
    digest: digest().unique().inner().hidden(),
    name: text(),
    kind: code<TokenKind>(),
    agent: name().nullable(),
    user: name().nullable(),
    createdAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable().passing("exported"),
    revokedAt: time().nullable(),
  },
);

/**
 * Kinds that are stored beside tokens and open nothing themselves: an invitation, and a sign-in that is under way at an issuer.
 */
type KeptKind = TokenKind | "invitation" | "oidc";

/** A token for the HTTP API, without its secret: only a digest of that is stored. */
export type Token = RecordOf<typeof tokens>;

/** A token with its secret, which is shown this once. */
export type NewSession = Token & { readonly secret: string };

/** A token to be created. A user's or an agent's token names whom it is for. */
export type NewToken = {
  readonly name: string;
  readonly kind: TokenKind;
  readonly agent?: string;
  readonly user?: string;
  readonly expiresAt?: string;
};

const signInMinutes = 10;

/** Kinds that the API itself accepts, each by one secret. */
const apiKinds = ["operator", "user", "agent", "inbox", "gateway"] as const;

/** SQL condition: a token is valid, that is not revoked and not expired, and of one of these kinds. */
export const isOpen = (at: string, kinds: readonly KeptKind[] = apiKinds): Query =>
  sql`revoked_at is null and (expires_at is null or expires_at > ${at}) and kind in ${listOf(kinds)}`;

/** Creates the function that stores a token, by the digest of its secret, in the caller's transaction. */
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
    // Invitations and sign-ins under way are stored beside the tokens.
    const kind = token.kind as TokenKind;
    const usual = ["sign-in", "oidc"].includes(kind) ? later(at, signInMinutes * 60_000) : null;
    if (agent !== undefined) await requireAgent(db, agent);
    // Spent and expired rows are of no use, so they are deleted when the next one is made.
    if (["sign-in", "chat", "oidc"].includes(kind))
      await db.run(sql`delete from tokens where kind = ${kind} and (revoked_at is not null or expires_at <= ${at})`);
    if (kind === "inbox") await checkNameFree(db, name, agent as string, at);
    const secret = kind === "chat" ? `charter_${half()}.${half()}` : `charter_${half()}`;
    const facts = { id: newId(), digest: sha256(secret), name, kind, agent, user, createdAt: at };
    const row = { ...facts, expiresAt: expiresAt === undefined ? usual : timeOf(expiresAt) };
    return { ...((await findRecord(db, tokens, sql`${insertInto(tokens, row)} returning *`)) as Token), secret };
  };
}

/** Returns the digest that a secret is stored by. A missing secret, as in a request without its header, is a Problem. */
export function secretDigest(secret: string): string {
  if (!isText(secret)) throw badArgument(`The secret is ${kindOf(secret)}.`, "Give the text that was made with it.");
  return sha256(secret);
}

export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/** Refuses a second valid token with the same name, because senders are named after the token that vouches for them. */
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
  gateway: { user: "none", agent: "any" },
  chat: { user: "one", agent: "one" },
};
type Need = "none" | "one" | "any";

/** Checks that a token names the user and agent that its kind needs. */
function checkToken({ kind, ...given }: NewToken): void {
  const wanted = Object.hasOwn(needs, kind) ? needs[kind] : undefined;
  if (!wanted)
    throw new Problem("bad-token", `There is no kind of token “${kind}”.`, `It is one of ${listed(tokenKinds)}.`);
  for (const field of ["user", "agent"] as const) {
    const name = given[field];
    if (name !== undefined && wanted[field] === "none")
      throw new Problem("bad-token", `A token of kind “${kind}” is for no ${field}.`, `Leave out the ${field}.`);
    if (name === undefined && wanted[field] === "one")
      throw new Problem("bad-token", `A token of kind “${kind}” needs the ${field} it is for.`, `Name the ${field}.`);
    if (name !== undefined) checkName(field, name);
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

/**
 * Tells whether senders can be named after a token. The senders of operators and of signed messages are named “operator” and by
 * an address, so those are taken.
 */
function namesSenders(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && name !== "operator" && !/^0x[0-9a-f]{40}$/i.test(name);
}

/** `store.tokens`: who may use the HTTP API. */
export type Tokens = {
  /**
   * Creates a token. Its secret is returned only here; that of a chat has two halves with a dot between, and only both together
   * are valid. A sign-in token is valid for ten minutes, unless given.
   */
  readonly create: (token: NewToken) => Promise<NewSession>;
  /** Finds the valid token with this secret; tokens for signing in and chats are not accepted. */
  readonly authenticate: (secret: string) => Promise<Token | undefined>;
  /** Finds the valid chat with this secret, both halves of it. */
  readonly authenticateChat: (secret: string) => Promise<Token | undefined>;
  /**
   * Spends the sign-in token with this secret, once, and creates a session of thirty days for it: both or neither. A token for
   * the other kind of sign-in is left alone.
   */
  readonly redeem: (
    secret: string,
    whose?: "operator" | "user",
  ) => Promise<(Token & { readonly session: NewSession }) | undefined>;
  /** Ends a user's chats with an agent, and their unused sign-in tokens and invitations. */
  readonly endChats: (scope: { readonly agent: string; readonly user: string }) => Promise<void>;
  /** Returns the ids of those tokens that are still valid. */
  readonly findValid: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Lists tokens, without invitations and sign-ins under way at an issuer. */
  readonly list: () => Promise<Token[]>;
  readonly revoke: (id: string) => Promise<void>;
};

/** Days that a sign-in lasts. */
export const sessionDays = 30;
/** Maximum number of tokens whose `lastUsed` of this minute is cached, so that one is written at most once a minute. */
const maxRecentTokens = 10_000;

export function createTokens({ home, now, newId }: StoreDeps, random: (bytes: Uint8Array) => void): Tokens {
  const marked = createBoundedMap<string, string>(maxRecentTokens);
  /** Writes that a token was used, once a minute in each process. A full disk is no reason to refuse anyone. */
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
      findRecord(db, tokens, sql`select * from tokens where digest = ${secretDigest(secret)} and ${isOpen(at, kinds)}`),
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
    authenticate: (secret) => find(secret, apiKinds),
    authenticateChat: (secret) => find(secret, ["chat"]),
    redeem: async (secret, whose = "operator") => {
      const at = now();
      const forKind = raw(whose === "user" ? "user_id is not null" : "user_id is null");
      const spent = sql`update tokens set revoked_at = ${at}, last_used_at = ${at}
        where digest = ${secretDigest(secret)} and ${forKind} and ${isOpen(at, ["sign-in"])} returning *`;
      return home.write("everything", async (db) => {
        const token = await findRecord(db, tokens, spent);
        return token && { ...token, session: await insert(db, sessionFor(token, at), at) };
      });
    },
    findValid: (ids) =>
      findIds(home, ids, (list) => sql`tokens where id in ${list} and ${isOpen(now(), [...apiKinds, "chat"])}`),
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
      const revoked = await home.write("everything", (db) =>
        db.run(sql`update tokens set revoked_at = ${now()} where id = ${id} and revoked_at is null`),
      );
      if (revoked === 0) throw new Problem("unknown-token", `There is no token “${id}” to revoke.`, "Check the id.");
    },
  };
}

/** Returns the session that a sign-in token is spent for: a user's chat with their agent, or the operator's cookie. */
function sessionFor({ agent, user }: Token, at: string): NewToken {
  const expiresAt = later(at, sessionDays * 86_400_000);
  if (user === null || agent === null) return { name: "signed in", kind: "operator", expiresAt };
  return { name: "page for users", kind: "chat", user, agent, expiresAt };
}
