import type { Scope } from "../../amend/amendment.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { AmendmentEntry, RevisionRange } from "../../store/amendments/amendments.ts";

/** So many revisions of a section are looked at: more between two turns tell nobody anything. */
const maxRevisions = 20;

/** The amendments that may be new in a request: of every amendable section the latest up to the revision that was sent. */
export function sentRevisions(scope: Scope, { slots }: Pick<Receipt, "slots">): RevisionRange[] {
  const newest = new Map<string, RevisionRange>();
  for (const { name, mutability, revision, whose } of slots.flatMap(({ sections }) => sections)) {
    if (mutability !== "amendable" || revision === null || revision <= (newest.get(name)?.upTo ?? 0)) continue;
    const owner = whose === "agent" ? { agent: scope.agent } : scope;
    newest.set(name, { scope: owner, section: name, after: Math.max(0, revision - maxRevisions), upTo: revision });
  }
  return [...newest.values()];
}

/** Those that were made after a time, in the order in which they were. */
export function amendmentsSince(time: string, entries: readonly AmendmentEntry[]) {
  return entries
    .filter(({ at }) => at >= time)
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.revision - other.revision))
    .map(({ scope, section, revision, actor, turn, reason, at }) => ({
      ...{ scope, section, revision, actor, turn, reason, at },
    }));
}
