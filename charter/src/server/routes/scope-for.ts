import type { Scope } from "../../amend/amendment.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { findSection, type PlacedSection } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { checkUser, sectionScope } from "../../store/scope.ts";
import type { RouteContext } from "../api.ts";
import { type Caller, notFound, scopeFor } from "../http/caller.ts";

/**
 * The agent a request names, and whose copy of it is meant. To a user, an agent that is not there and one their token
 * does not open are the same; an operator is told which there are.
 */
export async function agentScopeFor(
  { host }: RouteContext,
  caller: Caller,
  name: string,
  user?: string,
): Promise<Scope> {
  const scope = scopeFor(caller, name, user);
  if (caller.kind === "operator") await host.store.agents.get(name);
  else if (!(await host.store.agents.find(name))) throw notFound(`agent “${name}”`);
  return scope;
}

/** The same, to act in that user's name: nobody acts in that of a counterpart, who only ever writes messages. */
export async function actingScopeFor(...asked: Parameters<typeof agentScopeFor>): Promise<Scope> {
  const scope = await agentScopeFor(...asked);
  if (scope.user !== undefined) checkUser(scope.user);
  return scope;
}

export type ScopedSection = { readonly snapshot: AgentSnapshot; readonly placed: PlacedSection; readonly scope: Scope };

/** A section by its name. To a user there are only those that are each user's own. */
export async function sectionFor(
  serving: RouteContext,
  caller: Caller,
  asked: { readonly agent: string; readonly section: string; readonly user?: string | undefined },
): Promise<ScopedSection> {
  const whose = await agentScopeFor(serving, caller, asked.agent, asked.user);
  const looked = await serving.host.snapshot(whose);
  const placed = findPlaced(looked, asked.section, caller);
  return { snapshot: looked, placed, scope: sectionScope(placed.section, whose) };
}

function findPlaced({ declaredTurn }: AgentSnapshot, name: string, caller: Caller): PlacedSection {
  if (caller.kind === "operator") return findSection(declaredTurn.charter, name);
  try {
    const placed = findSection(declaredTurn.charter, name);
    if (placed.section.scope === "user") return placed;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-section") throw error;
  }
  throw notFound(`section “${name}”`);
}

/** What lists go by that reach over all agents: everything for an operator, their own for a user. */
export function reachFor(
  caller: Caller,
  asked: { readonly agent?: string | undefined; readonly user?: string | undefined },
): { readonly agent?: string; readonly user?: string } {
  if (caller.kind === "operator") return defined(asked);
  const { agent = caller.agent } = asked;
  const { user } = scopeFor(caller, agent ?? caller.agent ?? "", asked.user);
  return defined({ agent, user });
}

/** The same without what was left open. */
export function defined<Asked extends object>(
  asked: Asked,
): { [Name in keyof Asked]?: Exclude<Asked[Name], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as never;
}
