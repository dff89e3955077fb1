import type { Scope } from "../../amend/amendment.ts";
import { findSection, sectionMutability } from "../../prompt/charter.ts";
import type { Home } from "../../store/home/database.ts";
import { sectionScope } from "../../store/scope.ts";
import { createStore } from "../../store/store.ts";
import { loadAgent } from "./load-agent.ts";

/** A section found by whatever name it answers to; `why` says why nobody amends it, where nobody does. */
export type SectionScope = { readonly section: string; readonly scope: Scope; readonly note?: string };

/** Which section of an agent a name means, and whose copy of it; one there is not is a Problem that lists those there are. */
export async function placeSection(home: Home, { agent, user }: Scope, asked: string): Promise<SectionScope> {
  const { declaredTurn, scope } = await loadAgent(await createStore(home), { agent, user });
  const { section, layer } = findSection(declaredTurn.charter, asked);
  const { name } = section;
  const mutability = sectionMutability(section, layer);
  if (typeof mutability === "object") return { section: name, scope: sectionScope(section, scope) };
  const kind = mutability === "fixed" ? "is fixed" : "is generated per turn";
  return { section: name, scope: { agent }, note: `“${name}” ${kind}: nobody can amend it.` };
}
