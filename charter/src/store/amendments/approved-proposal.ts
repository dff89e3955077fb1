import type { Operation } from "../../amend/operation.ts";
import type { Proposal } from "../../amend/proposal.ts";
import { Problem } from "../../prompt/problem.ts";
import type { EditedText } from "./amendment-tables.ts";
import type { HeldProposal } from "./held-proposal.ts";

/** How a held proposal is approved: as it was made, with other text, or on the section's current text. */
export type ApproveOptions = {
  /** Who approves: `operator` unless given. */
  readonly hand?: "operator" | "user";
  /** Text in place of the proposed one. It is judged as the text of whoever approves. */
  readonly content?: string;
  /** Apply it to the section's current text, even if that has changed since. */
  readonly current?: true;
  /** With `current`: the revision that was read. If the section has another by now, nothing is applied. */
  readonly revision?: number;
};

/** What is judged when a person approves, and what of it they wrote themselves. */
type ApprovedProposal = { readonly proposal: Proposal; readonly edited?: EditedText };

/**
 * The proposal that is judged again. Edited text is its editor's: the guards know them as its author, and the reason
 * says who proposed it.
 */
export function approvedProposal(
  { id, section, proposal }: Pick<HeldProposal, "id" | "section" | "proposal">,
  by: string,
  { hand = "operator", content, current, revision }: ApproveOptions = {},
): ApprovedProposal {
  if (revision !== undefined && !current)
    throw new Problem(
      "bad-argument",
      `A revision of “${section}” was named, and the proposal is not to be applied to the current text.`,
      "Give `current: true` with it, or leave it out.",
    );
  const { revision: madeAgainst, ...wish } = proposal;
  const base = current ? revision : madeAgainst;
  const based = { ...wish, ...(base === undefined ? {} : { revision: base }) };
  if (content === undefined) return { proposal: based };
  const { operation } = proposal;
  if (!("content" in operation))
    throw new Problem(
      "bad-argument",
      `The proposal “${id}” has no text to edit: it is a ${operation.kind} of “${section}”.`,
      "Approve it as it is, or reject it and edit the section yourself.",
    );
  if (content === operation.content) return { proposal: based };
  const edited = { by, actor: hand, content };
  return { proposal: { ...based, ...editedBy(proposal, operation, edited) }, edited };
}

function editedBy(
  { actor, reason }: Proposal,
  operation: Extract<Operation, { readonly content: string }>,
  edited: EditedText,
): Pick<Proposal, "operation" | "actor" | "reason"> {
  const editor = edited.by === "operator" ? "the operator" : `“${edited.by}”`;
  // The proposed compact line was written for other words.
  const { compact: _, ...words } = operation;
  const said = `Proposed by the ${actor}, edited by ${editor} before approving it.`;
  return {
    operation: { ...words, content: edited.content },
    actor: edited.actor,
    reason: reason === undefined ? said : `${said} The ${actor}'s reason: ${reason}`,
  };
}
