import { SideBySide } from "../../kit/text/diff.tsx";
import { count } from "../../kit/words.ts";
import type { HeldProposal } from "./waiting.ts";

/** The section has changed since: the text it was made for, the current one and the proposed one. */
export function Stale({ held }: { readonly held: HeldProposal }) {
  const { before, after, proposal, standing } = held;
  const base = `Before, revision ${count(proposal.revision ?? 0)}`;
  return (
    <div role="note" className="space-y-2 rounded-md border border-wait/50 p-3 text-sm">
      <p>
        The section has changed since this was proposed
        {standing &&
          `: it is at revision ${count(standing.revision)}, and this was made for revision ${count(proposal.revision ?? 0)}`}
        . It can be applied to the current text, edited, or rejected.
      </p>
      {standing && (
        <SideBySide before={before} after={standing.text} names={[base, `Now, revision ${count(standing.revision)}`]} />
      )}
      <SideBySide before={before} after={after} names={[base, "Proposed"]} />
    </div>
  );
}
