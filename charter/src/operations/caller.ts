import type { Scope } from "../amend/amendment.ts";
import { usualChannels } from "../charters/assistant/sections.ts";
import type { Host } from "../host/host.ts";
import type { AgentSnapshot } from "../host/snapshot.ts";
import { findSection, type PlacedSection } from "../prompt/charter.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { Section } from "../prompt/section.ts";
import { counterpartKey } from "../store/conversations/inbox-row.ts";
import { checkCounterpart, checkUser, sectionScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** Who makes a request, as their token or signature says. `id` names them in limits and logs; it is no secret. */
export type Caller = {
  readonly id: string;
  /** When a JSON Web Token is over. When a token is, the store says. */
  readonly until?: number;
  /** What the JSON Web Token claims of their requests: the context of their turns. */
  readonly context?: unknown;
} & (
  | ({ readonly by: "token" | "jwt" | "cookie" | "chat-cookie" | "command" } & TokenHolder)
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

/** Whoever has the database has everything in it: a command is the operator's. */
export const commandCaller = { kind: "operator", by: "command", id: "command" } as const satisfies Caller;

/** Operators, and users about themselves. */
export type Person = Extract<Caller, { readonly kind: "operator" | "user" }>;
/** Those whom an inbox is for: they write to agents, and read what was answered. */
type Poster = Extract<Caller, { readonly kind: "operator" | "inbox" | "signer" }>;

/** What only people may do. */
export function checkPerson(caller: Caller, what: string): asserts caller is Person {
  if (caller.kind !== "operator" && caller.kind !== "user") throw notAllowed(what);
}

/** What only an operator may do. */
export function checkOperator(caller: Caller, what: string): void {
  if (caller.kind !== "operator") throw notAllowed(what);
}

/**
 * Who may ask for an operation, besides operators: people, each about themselves (which it sees to itself); people by a
 * JSON Web Token alone; the agent's own token; whoever posts to an agent's inbox; or anyone with a token.
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

/** Refuses whoever may not ask for an operation. */
export function checkWho({ who, says }: { readonly who: Who; readonly says: string }, caller: Caller): void {
  if (caller.kind === "operator" || whoMay[who](caller)) return;
  throw notAllowed(`to ${says.charAt(0).toLowerCase()}${says.slice(1)}`);
}

/** What is done with an agent's inbox: by an operator with any, by others with the one their token or key is for. */
export function checkPoster(caller: Caller, agent: string, what: string): asserts caller is Poster {
  if (caller.kind === "user" || caller.kind === "agent") throw notAllowed(what);
  if (caller.kind !== "operator" && caller.agent !== agent) throw notFound(`agent “${agent}”`);
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
  return ownScope(caller, agent, user);
}

/** Whom a call of a tool is for: an agent's token says it, and opens no other agent; an operator may name anyone. */
export function toolScopeFor(caller: Caller, agent: string, user?: string): Scope {
  if (caller.kind === "operator") return scopeFor(caller, agent, user);
  if (caller.kind !== "agent") throw notAllowed("calling an agent's tools");
  return ownScope(caller, agent, user);
}

/** What a token for one user, for one agent or for both opens, if that is what was asked for. */
function ownScope(own: { readonly agent?: string; readonly user?: string }, agent: string, user?: string): Scope {
  if (own.agent !== undefined && own.agent !== agent) throw notFound(`agent “${agent}”`);
  if (user !== undefined && user !== own.user) throw notFound(`user “${user}”`);
  return { agent, ...(own.user === undefined ? {} : { user: own.user }) };
}

type Reach = { readonly agent?: string; readonly user?: string };

/** What lists go by that reach over all agents: everything for an operator, their own for a user. */
export function reachFor(caller: Caller, { agent, user }: { [Name in keyof Reach]: Reach[Name] | undefined }): Reach {
  if (caller.kind === "operator") return { ...(agent !== undefined && { agent }), ...(user !== undefined && { user }) };
  const named = agent ?? caller.agent;
  const { user: own } = scopeFor(caller, named ?? "", user);
  return { ...(named !== undefined && { agent: named }), ...(own !== undefined && { user: own }) };
}

/** Who asks, as a user: with the one agent they may ask about, or with all. `operator` is who the operator is then. */
export function selfFor(caller: Person, operator: string): { readonly user: string; readonly agent?: string } {
  if (caller.kind === "operator") return { user: operator };
  const { user, agent } = caller;
  return { user, ...(agent === undefined ? {} : { agent }) };
}

/** Whether what is in this scope is there for a person: all of it for an operator, their own for a user. */
export function sees(caller: Person, { agent, user }: Scope): boolean {
  return caller.kind === "operator" || (user === caller.user && (caller.agent ?? agent) === agent);
}

/** To a user there are only those sections that are each user's own. */
export function seesSection({ kind }: Pick<Caller, "kind">, { scope }: Section): boolean {
  return kind === "operator" || scope === "user";
}

export function notAllowed(what: string): Problem {
  return new Problem("not-allowed", `This token does not allow ${what}.`, "Ask the operator for one that does.");
}

/** What is said to those who may post messages, wherever else they ask. */
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

/** Who asks, of which store. */
type Asking = { readonly store: Store; readonly caller: Caller };

/**
 * The agent a request names, and whose copy of it is meant. To a user, an agent that is not there and one their token
 * does not open are the same; an operator is told which there are.
 */
export async function agentScopeFor(asking: Asking, name: string, user?: string): Promise<Scope> {
  return found(asking, scopeFor(asking.caller, name, user));
}

/** The same for the tools of an agent. */
export async function callScopeFor(asking: Asking, name: string, user?: string): Promise<Scope> {
  return found(asking, toolScopeFor(asking.caller, name, user));
}

async function found({ store, caller: { kind } }: Asking, scope: Scope): Promise<Scope> {
  if (kind === "operator") await store.agents.get(scope.agent);
  else if (!(await store.agents.find(scope.agent))) throw notFound(`agent “${scope.agent}”`);
  return scope;
}

/** The user that is meant, or what stands in a user's place for a counterpart. */
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

/** The same where no agent need be named: then it is about all that the caller may see. */
export async function reachOf(
  asking: Asking,
  { agent, user }: { readonly agent?: string | undefined; readonly user?: string | undefined },
): Promise<Partial<Scope>> {
  return agent === undefined ? reachFor(asking.caller, { agent, user }) : agentScopeFor(asking, agent, user);
}

/** The same, to act in that user's name: nobody acts in that of a counterpart, who only ever writes messages. */
export async function actingScopeFor(...asked: Parameters<typeof agentScopeFor>): Promise<Scope> {
  const scope = await agentScopeFor(...asked);
  if (scope.user !== undefined) checkUser(scope.user);
  return scope;
}

/** The same for what someone does as a user: an operator who names nobody does it as themselves. */
export async function ownScopeFor(
  asking: Asking & { readonly operator: string },
  name: string,
  user?: string,
): Promise<Required<Scope>> {
  const whose = user ?? (asking.caller.kind === "operator" ? asking.operator : undefined);
  return (await actingScopeFor(asking, name, whose)) as Required<Scope>;
}

type ScopedSection = { readonly snapshot: AgentSnapshot; readonly placed: PlacedSection; readonly scope: Scope };

/** A section by its name. */
export async function sectionFor(
  asking: Asking & { readonly host: () => Promise<Host> },
  asked: { readonly agent: string; readonly section: string; readonly user?: string | undefined },
): Promise<ScopedSection> {
  const whose = await agentScopeFor(asking, asked.agent, asked.user);
  const looked = await (await asking.host()).snapshot(whose);
  const placed = await findPlaced(looked, asked.section, asking.caller);
  return { snapshot: looked, placed, scope: sectionScope(placed.section, whose) };
}

async function findPlaced({ declaredTurn }: AgentSnapshot, name: string, caller: Caller): Promise<PlacedSection> {
  if (caller.kind === "operator") return findSection(declaredTurn.charter, name);
  try {
    const placed = findSection(declaredTurn.charter, name);
    if (seesSection(caller, placed.section)) return placed;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-section") throw error;
  }
  throw notFound(`section “${name}”`);
}

/** The agent that is named, or the only one there is. */
export async function onlyAgent(store: Store, agent?: string): Promise<string> {
  if (agent !== undefined) return (await store.agents.get(agent)).name;
  const names = (await store.agents.list()).map(({ name }) => name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new Problem("usage", `With which agent? There are ${listed(names)}.`, "Say --agent and its name.");
}
