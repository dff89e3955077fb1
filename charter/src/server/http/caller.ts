import type { Scope } from "../../amend/amendment.ts";
import { usualChannels } from "../../charters/assistant/channel.ts";
import { Problem } from "../../prompt/problem.ts";

/** Who makes a request, as their token or signature says. `id` names them in limits and logs; it is no secret. */
export type Caller = {
  readonly id: string;
  /** When a JSON Web Token is over. When a token is, the store says. */
  readonly until?: number;
  /** What the JSON Web Token claims of their requests: the context of their turns. */
  readonly context?: unknown;
} & (
  | ({ readonly by: "token" | "jwt" | "cookie" | "chat-cookie" } & TokenHolder)
  /** Whoever signed the one message they post, or has the secret of the one reply they read. */
  | {
      readonly kind: "signer";
      readonly by: "signature" | "secret";
      readonly agent: string;
      /** Whose key has signed. */
      readonly address: string;
      /** Whether the agent knows the address. */
      readonly known?: boolean;
    }
);

type TokenHolder =
  | { readonly kind: "operator" }
  | { readonly kind: "user"; readonly user: string; readonly agent?: string }
  | { readonly kind: "agent"; readonly agent: string; readonly user?: string }
  /** Posts to one agent's inbox, and reads what was answered; senders are called after its name. */
  | { readonly kind: "inbox"; readonly agent: string; readonly name: string };

export function notAllowed(what: string): Problem {
  return new Problem("not-allowed", `This token does not allow ${what}.`, "Ask the operator for one that does.");
}

/** What is said to those who may post messages, wherever else they ask. */
export function onlyInbox(): Problem {
  return notAllowed("anything but posting messages and reading the replies");
}

/** Operators, and users about themselves. */
type Person = Extract<Caller, { readonly kind: "operator" | "user" }>;

/** What only people may do. */
export function checkPerson(caller: Caller, what: string): asserts caller is Person {
  if (caller.kind !== "operator" && caller.kind !== "user") throw notAllowed(what);
}

/** What only an operator may do. */
export function checkOperator(caller: Caller, what: string): void {
  if (caller.kind !== "operator") throw notAllowed(what);
}

/** Where turns come from that this service takes itself. What users ask over HTTP comes by none of these. */
const ownChannels = new Set([...Object.keys(usualChannels).filter((name) => name !== "web"), "automaton"]);

/** A turn on the channel of reminders is one that nobody waits for: only an operator may say so of one. */
export function checkChannel(caller: Caller, channel: string): void {
  if (caller.kind === "operator" || !ownChannels.has(channel)) return;
  throw new Problem(
    "not-allowed",
    `Nothing that a user asks over HTTP comes by “${channel}”.`,
    "Leave the channel out: it is “web”.",
  );
}

/**
 * Whose copy a request is about. An operator may name any user; a user is always themselves. Someone else's is answered
 * as if it were not there.
 */
export function scopeFor(caller: Caller, agent: string, user?: string): Scope {
  if (caller.kind === "operator") return user === undefined ? { agent } : { agent, user };
  if (caller.kind === "agent") throw notAllowed("anything but the agent's own tools");
  if (caller.kind !== "user") throw onlyInbox();
  if (caller.agent !== undefined && caller.agent !== agent) throw notFound(`agent “${agent}”`);
  if (user !== undefined && user !== caller.user) throw notFound(`user “${user}”`);
  return { agent, user: caller.user };
}

export function notFound(what: string): Problem {
  return new Problem("not-found", `There is no ${what} here.`, "Check the address, and that your token has access.");
}

export function badToken(): Problem {
  return new Problem(
    "wrong-token",
    "The token is unknown, has expired or was revoked.",
    "Ask the operator for a new one.",
  );
}

/** What is said at the page for users to whoever has no session there, and to whoever's is over. */
export function signedOut(): Problem {
  return new Problem(
    "signed-out",
    "You are not signed in here, or your session is over.",
    "Open a new link: ask the assistant's bot for it (/web), or whoever runs the assistant.",
  );
}

export function noToken(): Problem {
  return new Problem(
    "no-token",
    "The request has no token.",
    "Send “Authorization: Bearer <token>”; the operator creates tokens with `charter tokens create`.",
  );
}
