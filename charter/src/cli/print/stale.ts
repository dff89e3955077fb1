import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal-row.ts";
import type { RefusedOutcome } from "../../store/amendments/stale-outcome.ts";
import { colours, painted } from "./colour.ts";
import { hintsHere } from "./command-name.ts";

/** Both texts, each as what it changes in the words the proposal was made against. */
export function staleReport({ before: now, refusals }: RefusedOutcome, held: HeldProposal): string {
  const paint = colours(process.stdout);
  const { id, section, scope, before, after, proposal } = held;
  const whose = `--agent ${scope.agent}${scope.user === undefined ? "" : ` --user ${scope.user}`}`;
  const made = proposal.revision ?? 0;
  const since = unified(before, now, section);
  const lines = [
    paint.red("refused"),
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    `The proposed change of revision ${made}:`,
    ...labelled(unified(before, after, section), section, [`revision ${made}`, "proposed"]),
    since === "" ? "The current text is the same." : `What has changed since revision ${made}:`,
    ...labelled(since, section, [`revision ${made}`, "current"]),
    "Nothing was changed. The proposal was made against an older revision, so it cannot be approved any more.",
    hintsHere(`To make the change anyway, propose it again: charter amend ${whose} --section ${section} …`),
    hintsHere(`Then reject this one: charter reject ${id}`),
  ];
  return `${lines.join("\n")}\n`;
}

function labelled(diff: string, section: string, [one, other]: readonly [string, string]): string[] {
  if (diff === "") return [];
  const [, , ...hunks] = diff.split("\n").slice(0, -1);
  return painted([`--- ${section} (${one})`, `+++ ${section} (${other})`, ...hunks]);
}
