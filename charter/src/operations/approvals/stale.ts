import type { Operation } from "../../amend/operation.ts";
import { colours, painted } from "../print/colour.ts";
import { hintsHere } from "../print/command-name.ts";
import type { ProposalDecision } from "./approval-fields.ts";

/** Both texts, each as what it changes in the words the proposal was made against. */
export function staleLines(
  { section, refusals, against, diff, since = "", operation = "rewrite" }: ProposalDecision,
  id: string,
): string[] {
  return [
    colours(process.stdout).red("refused"),
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    `The proposed change of revision ${against}:`,
    ...labelled(diff, section, [`revision ${against}`, "proposed"]),
    since === "" ? "The current text is the same." : `What has changed since revision ${against}:`,
    ...labelled(since, section, [`revision ${against}`, "current"]),
    "Nothing was changed. The proposal was made against an older revision, so it is not applied as it is.",
    hintsHere(`To ${appliesTo[operation]}: charter approve ${id} --current`),
    hintsHere(`To approve other text: charter approve ${id} --current --content …`),
    hintsHere(`To reject it: charter reject ${id}`),
  ];
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
