import type { Scope } from "../amend/amendment.ts";
import type { Host } from "../host/host.ts";
import type { AgentSnapshot } from "../host/snapshot.ts";
import type { PlacedSection } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import { counterpartKey } from "../store/conversations/inbox-row.ts";
import { checkCounterpart, checkUser, sectionScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { type Caller, notFound, reachFor, scopeFor, seesSection, toolScopeFor } from "./caller.ts";

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
  const { findSection } = await import("../prompt/charter.ts");
  if (caller.kind === "operator") return findSection(declaredTurn.charter, name);
  try {
    const placed = findSection(declaredTurn.charter, name);
    if (seesSection(caller, placed.section)) return placed;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-section") throw error;
  }
  throw notFound(`section “${name}”`);
}
