import type { Scope } from "../../amend/amendment.ts";
import type { Host } from "../../host/host.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { type PlacedSection, sectionMutability } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { mutabilityName } from "../../prompt/section.ts";
import { sectionScope } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { notice } from "../common-fields.ts";
import { list, object, oneOf, text, time, whole } from "../field.ts";
import { actor } from "../proposal-fields.ts";

/** Fields of sections, and of what happens to them. */

export const sectionName = text("The name of a section.").example("instructions");
const mutability = oneOf(["fixed", "live", "amendable"]);

export const section = object({
  name: text().example("instructions").told(),
  layer: text(),
  owner: text("Who is responsible for the layer.").example("operator").nullable(),
  heading: text().example("## User Instructions").told().nullable(),
  mutability: mutability.told(),
  amendableBy: list(actor, "Who can change it: `agent`, `user` or `operator`.").told(),
  approvedBy: oneOf(["operator"], "Who approves what others change; null if nobody has to.").told().nullable(),
  scope: oneOf(["agent", "user"], "`agent`: one text for all users. `user`: each user has their own.").told(),
  original: text("The original text; reset goes back to it.").told().nullable(),
  text: text("The current text. Null if it is generated per turn, or if it is per user and no user was given.")
    .told()
    .nullable(),
  rendered: text("As it is in the next prompt, with its heading. Null if it is not in it.").nullable(),
  revision: whole("The number of amendments so far; proposals name it.").told().nullable(),
  updatedAt: time("When it was last amended.").told().nullable(),
  updatedByTurn: text("The turn that last amended it; null if a person did.").told().nullable(),
  digest: text("For a fixed section: the SHA-256 of its text, as pinned in charter.lock. Otherwise null.")
    .told()
    .nullable(),
  notices: list(notice).told(),
}).named("Section");

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
