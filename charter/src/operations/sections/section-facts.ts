import type { Scope } from "../../amend/amendment.ts";
import type { Host } from "../../host/host.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { type PlacedSection, sectionMutability } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { mutabilityName } from "../../prompt/section.ts";
import { sectionScope } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/packing.ts";

export type SectionFacts = Awaited<ReturnType<typeof sectionFacts>>[number];

/** What is told of sections: what they are, the words that stand, how they stand in the prompt, who wrote them last. */
export async function sectionFacts(host: Host, snapshot: AgentSnapshot, wanted: readonly PlacedSection[]) {
  const { declaredTurn, scope } = snapshot;
  const found = wanted.map((placed) => {
    const mutability = sectionMutability(placed.section, placed.layer);
    const known = typeof mutability === "object" && (placed.section.scope !== "user" || scope.user !== undefined);
    const standing = declaredTurn.turn.standing[placed.section.name];
    const stands = standing && "text" in standing ? standing : undefined;
    const revision = known ? (stands?.revision ?? 0) : null;
    return { ...placed, mutability, known, stands, revision };
  });
  const [rendered, amended] = await Promise.all([renderings(host, scope), lastAmendments(host, scope, found)]);
  return found.map(({ section, layer, mutability, known, stands, revision }) => {
    const { name, heading = null, scope: whose = "agent" as const, original = "", words } = section;
    const amendable = typeof mutability === "object";
    const last = amended.get(name);
    return {
      ...{ name, layer: layer.name, owner: layer.owner ?? null, heading, mutability: mutabilityName(mutability) },
      amendableBy: amendable ? mutability.amendableBy : [],
      approvedBy: amendable ? (mutability.approvedBy ?? null) : null,
      scope: whose,
      original: amendable ? original : null,
      text: known ? (stands?.text ?? original) : (words ?? null),
      rendered: rendered.get(name) ?? null,
      revision,
      updatedAt: last?.at ?? null,
      updatedByTurn: last?.turn ?? null,
      digest: mutability === "fixed" ? sha256(words ?? "") : null,
      notices: stands?.notices ?? [],
    };
  });
}

/** Each section as the next prompt has it; none of a prompt that cannot be made: why not is told where one is asked for. */
async function renderings(host: Host, scope: Scope): Promise<ReadonlyMap<string, string>> {
  try {
    const { prompt } = await host.preview(scope);
    return new Map(prompt.sections.map(({ name, start, end, gap }) => [name, prompt.text.slice(start, end - gap)]));
  } catch (error) {
    if (error instanceof Problem) return new Map();
    throw error;
  }
}

type Revised = Pick<PlacedSection, "section"> & { readonly revision: number | null };

async function lastAmendments({ store }: Host, scope: Scope, found: readonly Revised[]) {
  const ranges = found.flatMap(({ section, revision }) =>
    revision === null || revision === 0
      ? []
      : [{ scope: sectionScope(section, scope), section: section.name, after: revision - 1, upTo: revision }],
  );
  const entries = ranges.length === 0 ? [] : await store.history.between(ranges);
  return new Map(entries.map((entry) => [entry.section, entry]));
}
