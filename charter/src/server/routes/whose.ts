import type { Scope } from "../../amend/amendment.ts";
import type { Looked } from "../../host/snapshot.ts";
import { findSection, type Placed } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { sectionScope } from "../../store/scope.ts";
import type { Serving } from "../http/api.ts";
import { type Caller, notFound, scopeFor } from "../http/caller.ts";

/**
 * The agent a request names, and whose copy of it is meant. To a user, an agent that is not there and one their token
 * does not open are the same; an operator is told which there are.
 */
export async function agentFor({ house }: Serving, caller: Caller, name: string, user?: string): Promise<Scope> {
  const scope = scopeFor(caller, name, user);
  if (caller.kind === "operator") await house.store.agents.get(name);
  else if (!(await house.store.agents.find(name))) throw notFound(`agent “${name}”`);
  return scope;
}

export type SectionFor = { readonly looked: Looked; readonly placed: Placed; readonly scope: Scope };

/** A section by its name. To a user there are only those that are each user's own. */
export async function sectionFor(
  serving: Serving,
  caller: Caller,
  asked: { readonly agent: string; readonly section: string; readonly user?: string | undefined },
): Promise<SectionFor> {
  const whose = await agentFor(serving, caller, asked.agent, asked.user);
  const looked = await serving.house.look(whose);
  const placed = found(looked, asked.section, caller);
  return { looked, placed, scope: sectionScope(placed.section, whose) };
}

function found({ given }: Looked, name: string, caller: Caller): Placed {
  if (caller.kind === "operator") return findSection(given.charter, name);
  try {
    const placed = findSection(given.charter, name);
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
