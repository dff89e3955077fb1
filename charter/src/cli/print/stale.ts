import type { Operation } from "../../amend/operation.ts";
import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal-row.ts";
import type { RefusedOutcome } from "../../store/amendments/stale-outcome.ts";
import { colours, painted } from "./colour.ts";
import { hintsHere } from "./command-name.ts";

/** Both texts, each as what it changes in the words the proposal was made against. */
export function staleReport({ before: now, refusals }: RefusedOutcome, held: HeldProposal): string {
  const paint = colours(process.stdout);
  const { id, section, before, after, proposal } = held;
  const made = proposal.revision ?? 0;
  const since = unified(before, now, section);
  const lines = [
    paint.red("refused"),
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    `The proposed change of revision ${made}:`,
    ...labelled(unified(before, after, section), section, [`revision ${made}`, "proposed"]),
    since === "" ? "The current text is the same." : `What has changed since revision ${made}:`,
    ...labelled(since, section, [`revision ${made}`, "current"]),
    "Nothing was changed. The proposal was made against an older revision, so it is not applied as it is.",
    hintsHere(`To ${appliesTo[proposal.operation.kind]}: charter approve ${id} --current`),
    hintsHere(`To approve other text: charter approve ${id} --current --content …`),
    hintsHere(`To reject it: charter reject ${id}`),
  ];
  return `${lines.join("\n")}\n`;
}

const appliesTo: Readonly<Record<Operation["kind"], string>> = {
  append: "append it to the current text",
  prepend: "put it before the current text",
  replace_section: "replace the passage in the current text",
  rewrite: "overwrite the current text with it",
  reset: "reset the current text",
  revert: "replace the current text",
};

function labelled(diff: string, section: string, [one, other]: readonly [string, string]): string[] {
  if (diff === "") return [];
  const [, , ...hunks] = diff.split("\n").slice(0, -1);
  return painted([`--- ${section} (${one})`, `+++ ${section} (${other})`, ...hunks]);
}
