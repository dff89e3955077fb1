import { listed, Problem } from "../../prompt/problem.ts";
import { listOf, type Query } from "../home/sql.ts";
import { checkName, checkUser } from "../scope.ts";

/**
 * What a token allows: everything, one user's part, one agent's tools, writing to one agent's inbox; the session of a
 * user at the page for users, with one agent (`chat`); or signing in, once: the operator to the studio, or, where it
 * names both, a user to their page.
 */
export type TokenKind = (typeof tokenKinds)[number];

export const tokenKinds = ["operator", "user", "agent", "inbox", "chat", "sign-in"] as const;

/** What is kept beside tokens, and opens nothing itself: an invitation, and a sign-in that is under way at an issuer. */
export type KeptKind = TokenKind | "invitation" | "oidc";

/** A token for the HTTP API, without its secret: only a digest of that is stored. */
export type Token = {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly agent: string | null;
  readonly user: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
};

/** A token to be created. A user's or an agent's names whom it is for. */
export type NewToken = {
  readonly name: string;
  readonly kind: TokenKind;
  readonly agent?: string;
  readonly user?: string;
  readonly expiresAt?: string;
};

export type TokenRow = {
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

export function tokenOf(row: TokenRow): Token {
  const { id, name, agent, user_id, rights } = row;
  return {
    id,
    name,
    kind: JSON.parse(rights)[0],
    agent,
    user: user_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

export const rightsOf = (kind: KeptKind): string => JSON.stringify([kind]);

/** Tokens from before there were kinds say nothing of what they open: they open nothing, and are not shown. */
export function ofKinds(...kinds: readonly KeptKind[]): Query {
  return listOf(kinds.map(rightsOf));
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
