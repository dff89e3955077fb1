import type { Scope } from "../amend/amendment.ts";
import { usualChannels } from "../charters/assistant/sections.ts";
import type { Host } from "../host/host.ts";
import type { AgentSnapshot } from "../host/snapshot.ts";
import { defined } from "../prompt/argument.ts";
import { findSection, type PlacedSection, sectionScope } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import { checkCounterpart, checkUser, copyScope, counterpartKey, scopeNamed } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** Caller of a request, as their token or signature says. `id` names them in limits and logs; it is not secret. */
export type Caller = {
  readonly id: string;
  /** Id of the token, where it is not the caller's alone. */
  readonly token?: string;
  /** Expiry of a JSON Web Token. The expiry of a stored token is in the store. */
  readonly until?: number;
  /** Context that the JSON Web Token claims for its user's turns. */
  readonly context?: unknown;
} & (
  | ({ readonly by: "token" | "jwt" | "cookie" | "chat-cookie" | "command" } & TokenHolder)
  /** Sender who signed the one message they post, or who has the secret of the one reply they read. */
  | {
      readonly kind: "signer";
      readonly by: "signature" | "secret";
      readonly agent: string;
      /** Address whose key signed. */
      readonly address: string;
      /** Shows that the agent knows the address. */
      readonly known?: boolean;
    }
);

type TokenHolder =
  | { readonly kind: "operator" }
  | { readonly kind: "user"; readonly user: string; readonly agent?: string }
  | { readonly kind: "agent"; readonly agent: string; readonly user?: string }
  /** Posts to one agent's inbox, and reads what was answered; senders are called after its name. */
  | { readonly kind: "inbox"; readonly agent: string; readonly name: string };

/** Caller of every command: who has the database file has everything in it, so a command acts as the operator. */
export const commandCaller = { kind: "operator", by: "command", id: "command" } as const satisfies Caller;

/** Callers who are people: operators, and users about themselves. */
export type Person = Extract<Caller, { readonly kind: "operator" | "user" }>;
/** Callers an inbox is for: they write to agents and read the replies. */
type Poster = Extract<Caller, { readonly kind: "operator" | "inbox" | "signer" }>;

/** Refuses callers who are not people. */
export function checkPerson(caller: Caller, what: string): asserts caller is Person {
  if (caller.kind !== "operator" && caller.kind !== "user") throw notAllowed(what);
}

/** Refuses callers who are not operators. */
export function checkOperator(caller: Caller, what: string): void {
  if (caller.kind !== "operator") throw notAllowed(what);
}

/**
 * Permission an operation needs, which operators always have: `person`, about themselves (the operation checks that); `jwt`, a
 * user with a JSON Web Token; `agent`, with the agent's own token; `inbox`, a sender to an agent's inbox; or `anyone` with a
 * token.
 */
export type Who = "operator" | "person" | "jwt" | "agent" | "inbox" | "anyone";

const whoMay: Readonly<Record<Who, (caller: Caller) => boolean>> = {
  operator: () => false,
  person: ({ kind }) => kind === "user",
  jwt: ({ kind, by }) => kind === "user" && by === "jwt",
  agent: ({ kind }) => kind === "agent",
  inbox: ({ kind }) => kind === "inbox" || kind === "signer",
  anyone: () => true,
};

/** Refuses a caller who may not run this operation. */
export function checkWho({ who, says }: { readonly who: Who; readonly says: string }, caller: Caller): void {
  if (caller.kind === "operator" || whoMay[who](caller)) return;
  throw notAllowed(`to ${says.charAt(0).toLowerCase()}${says.slice(1)}`);
}

/** Checks access to an agent's inbox: an operator has access to each, others to the one their token or key is for. */
export function checkPoster(caller: Caller, agent: string, what: string): asserts caller is Poster {
  if (caller.kind === "user" || caller.kind === "agent") throw notAllowed(what);
  if (caller.kind !== "operator" && caller.agent !== agent) throw notFound(`agent “${agent}”`);
}

/** Channels whose turns this service starts itself. A user's request over HTTP never uses one. */
const ownChannels = new Set([...Object.keys(usualChannels).filter((name) => name !== "web"), "automaton"]);

/** Refuses a user's turn on a channel of the service itself, such as reminders: nobody would wait for its reply. */
export function checkChannel(caller: Caller, channel: string): void {
  if (caller.kind === "operator" || !ownChannels.has(channel)) return;
  throw new Problem(
    "not-allowed",
    `Nothing that a user asks over HTTP comes by “${channel}”.`,
    "Leave the channel out: it is “web”.",
  );
}

/**
 * Scope a request is about. An operator may name any user; a user is always themselves. Another user's data is answered as not
 * found.
 */
export function scopeFor(caller: Caller, agent: string, user?: string): Scope {
  if (caller.kind === "operator") return scopeNamed(agent, user ?? null);
  if (caller.kind === "agent") throw notAllowed("anything but the agent's own tools");
  if (caller.kind !== "user") throw onlyInbox();
  return ownScope(caller, agent, user);
}

/** Scope of a tool call: an agent's token fixes the agent and the user; an operator may name anyone. */
export function toolScopeFor(caller: Caller, agent: string, user?: string): Scope {
  if (caller.kind === "operator") return scopeFor(caller, agent, user);
  if (caller.kind !== "agent") throw notAllowed("calling an agent's tools");
  return ownScope(caller, agent, user);
}

/** Scope of a token that is limited to one user, one agent or both; refuses any other. */
function ownScope(own: { readonly agent?: string; readonly user?: string }, agent: string, user?: string): Scope {
  if (own.agent !== undefined && own.agent !== agent) throw notFound(`agent “${agent}”`);
  if (user !== undefined && user !== own.user) throw notFound(`user “${user}”`);
  return scopeNamed(agent, own.user ?? null);
}

type Reach = { readonly agent?: string; readonly user?: string };

/** Filter for lists over all agents: everything for an operator, their own for a user. */
export function reachFor(caller: Caller, { agent, user }: { [Name in keyof Reach]: Reach[Name] | undefined }): Reach {
  if (caller.kind === "operator") return defined({ agent, user });
  const agentName = agent ?? caller.agent;
  const { user: ownUser } = scopeFor(caller, agentName ?? "", user);
  return defined({ agent: agentName, user: ownUser });
}

/** The caller as a user, with the one agent they may ask about, or with all. `operator` is the operator's user id. */
export function selfFor(caller: Person, operator: string): { readonly user: string; readonly agent?: string } {
  if (caller.kind === "operator") return { user: operator };
  const { user, agent } = caller;
  return { user, ...defined({ agent }) };
}

/** Checks whether a person may see what is in this scope: an operator sees all of it, a user what is their own. */
export function sees(caller: Person, { agent, user }: Scope): boolean {
  return caller.kind === "operator" || (user === caller.user && (caller.agent ?? agent) === agent);
}

/** Checks whether a caller may see a section: users only see sections of which each user has a copy. */
export function seesSection({ kind }: Pick<Caller, "kind">, { section, layer }: PlacedSection): boolean {
  return kind === "operator" || sectionScope(section, layer) === "user";
}

export function notAllowed(what: string): Problem {
  return new Problem("not-allowed", `This token does not allow ${what}.`, "Ask the operator for one that does.");
}

/** Refusal for senders, who may post messages and nothing else. */
export function onlyInbox(): Problem {
  return notAllowed("anything but posting messages and reading the replies");
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

/** Answer of the page for users to a visitor without a session, or with one that has ended. */
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

/** Store of a request, and its caller. */
type Asking = { readonly store: Store; readonly caller: Caller };

/**
 * Agent and user of a request. A user cannot tell a missing agent from one their token does not open; an operator is told which
 * agents there are.
 */
export async function agentScopeFor(asking: Asking, name: string, user?: string): Promise<Scope> {
  return checkAgentExists(asking, scopeFor(asking.caller, name, user));
}

/** Agent and user of a tool call. */
export async function callScopeFor(asking: Asking, name: string, user?: string): Promise<Scope> {
  return checkAgentExists(asking, toolScopeFor(asking.caller, name, user));
}

async function checkAgentExists({ store, caller: { kind } }: Asking, scope: Scope): Promise<Scope> {
  try {
    // What is kept of the agent is what its turn begins with: it is not read for this alone.
    await store.agents.get(scope.agent);
  } catch (error) {
    const isMissing = error instanceof Problem && ["unknown-agent", "agent-removed"].includes(error.code);
    throw isMissing && kind !== "operator" ? notFound(`agent “${scope.agent}”`) : error;
  }
  return scope;
}

/** Returns the given user, or the id that stands for the given counterpart in a user's place. */
export function userNamed({
  user,
  counterpart,
}: {
  readonly user?: string | undefined;
  readonly counterpart?: string | undefined;
}): string | undefined {
  if (counterpart === undefined) return user;
  if (user !== undefined)
    throw new Problem(
      "usage",
      "Both --user and --counterpart were given.",
      "Give one of them: they are never the same.",
    );
  checkCounterpart(counterpart);
  return counterpartKey(counterpart);
}

/** Scope of a request that may leave the agent out: then it covers all that the caller may see. */
export async function reachOf(
  asking: Asking,
  { agent, user }: { readonly agent?: string | undefined; readonly user?: string | undefined },
): Promise<Partial<Scope>> {
  return agent === undefined ? reachFor(asking.caller, { agent, user }) : agentScopeFor(asking, agent, user);
}

/** Scope to act in as a user. Counterparts are refused: they only write messages, and nobody acts in their name. */
export async function actingScopeFor(...asked: Parameters<typeof agentScopeFor>): Promise<Scope> {
  const scope = await agentScopeFor(...asked);
  if (scope.user !== undefined) checkUser(scope.user);
  return scope;
}

/** Scope of something done as a user. An operator who names no user acts as themselves. */
export async function ownScopeFor(
  asking: Asking & { readonly operator: string },
  name: string,
  user?: string,
): Promise<Required<Scope>> {
  const actingUser = user ?? (asking.caller.kind === "operator" ? asking.operator : undefined);
  return (await actingScopeFor(asking, name, actingUser)) as Required<Scope>;
}

type ScopedSection = { readonly snapshot: AgentSnapshot; readonly placed: PlacedSection; readonly scope: Scope };

/** Finds a section by its name. */
export async function sectionFor(
  asking: Asking & { readonly host: () => Promise<Host> },
  asked: { readonly agent: string; readonly section: string; readonly user?: string | undefined },
): Promise<ScopedSection> {
  const scope = await agentScopeFor(asking, asked.agent, asked.user);
  const snapshot = await (await asking.host()).snapshot(scope);
  const result = await findPlaced(snapshot, asked.section, asking.caller);
  return { snapshot, placed: result, scope: copyScope(result, scope) };
}

async function findPlaced({ declaredTurn }: AgentSnapshot, name: string, caller: Caller): Promise<PlacedSection> {
  if (caller.kind === "operator") return findSection(declaredTurn.charter, name);
  try {
    const placed = findSection(declaredTurn.charter, name);
    if (seesSection(caller, placed)) return placed;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-section") throw error;
  }
  throw notFound(`section “${name}”`);
}
