import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal-row.ts";
import type { RefusedOutcome } from "../../store/amendments/stale-outcome.ts";
import { colours } from "./colour.ts";
import { painted } from "./verdict.ts";

/** Both texts, each as what it changes in the words the proposal was made against. */
export function staleReport({ before: now, refusals }: RefusedOutcome, held: HeldProposal): string {
  const paint = colours(process.stdout);
  const { id, section, scope, before, after, proposal } = held;
  const whose = `--agent ${scope.agent}${scope.user === undefined ? "" : ` --user ${scope.user}`}`;
  const since = unified(before, now, section);
  const lines = [
    paint.red("refused"),
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    `What it wants, of the words it was made against (revision ${proposal.revision ?? 0}):`,
    ...labelled(unified(before, after, section), section, ["made against", "wanted"]),
    since === "" ? "The same words stand now as then." : "What has become of those words since:",
    ...labelled(since, section, ["made against", "stands now"]),
    "It still waits, and nothing was changed. Its revision has passed, so it cannot be approved any more.",
    `To have it all the same, say it anew about what stands now: charter amend ${whose} --section ${section} …`,
    `And let go of this one: charter reject ${id}`,
  ];
  return `${lines.join("\n")}\n`;
}

function labelled(diff: string, section: string, [one, other]: readonly [string, string]): string[] {
  if (diff === "") return [];
  const [, , ...hunks] = diff.split("\n").slice(0, -1);
  return painted([`--- ${section} (${one})`, `+++ ${section} (${other})`, ...hunks]);
}
