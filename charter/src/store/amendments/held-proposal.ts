import type { Proposal } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { Operation, Refusal } from "../../amend/operation.ts";
import { type OpinionRequest, opinionObjection } from "../../amend/second-opinion.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import type { RecordOf } from "../home/table.ts";
import { addExpense } from "../turns/spending.ts";
import { type EditedText, held } from "./amendments.ts";
import type { Adviser, AdviserResult, AmendmentContext, ProposalOutcome } from "./judge.ts";

/** A proposal that waits for a person's approval, or did. */
export type HeldProposal = RecordOf<typeof held> & {
  /** While it waits: the section has changed since it was proposed, so it can only be applied to the current text. */
  readonly stale: boolean;
  /** The section's current text, where it is stale. */
  readonly standing: { readonly text: string; readonly revision: number } | null;
};

/**
 * What a model took for an override is the operator's to let pass, and what a charter keeps for the operator: whoever asked
 * for it, or had their agent ask, does not approve it themselves.
 */
export function isForOperator({ refusals }: HeldProposal): boolean {
  return refusals.some(({ guard }) => guard === "second-opinion" || guard === "approved-by");
}

/** Held proposals, each with the text its section has now: one question for all of them. */
export async function findHeld(db: Database, which: Query): Promise<HeldProposal[]> {
  const rows = await db.all<StandingRow>(sql`select h.*, s.revision as standing_revision, s.words as standing_words
    from held h left join standings s on s.agent = h.agent and s.user_id = h.user_id and s.section = h.section
    where ${which}`);
  return rows.map((row) => {
    const proposal = recordOf(held, row);
    const { standing_revision: now, standing_words: text } = row;
    const { revision: base } = proposal.proposal;
    const stale = proposal.status === "waiting" && base !== undefined && base !== (now ?? 0);
    const standing = stale && now !== null && text !== null ? { text, revision: now } : null;
    return { ...proposal, stale, standing };
  });
}

/** Where the section stands now; null where it was never amended. */
type StandingRow = { readonly standing_revision: number | null; readonly standing_words: string | null };

/** One more reason why it waits. */
export async function addObjection(
  db: Database,
  { id, refusals }: HeldProposal,
  objection: Refusal,
): Promise<Refusal[]> {
  const all = [...refusals, objection];
  await db.run(sql`update held set refusals = ${JSON.stringify(all)} where id = ${id}`);
  return all;
}

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

/** What was said of one change: it holds for these words over those, and for no others. */
export type HeardOpinion = Pick<OpinionRequest, "before" | "after"> & {
  readonly objection: Refusal | undefined;
  /** The event that tells of it, which goes when its user is erased. */
  readonly event: number;
  /** How often a model was asked about this proposal by now. */
  readonly rounds: number;
};

/** An accepted change nobody was asked about yet. */
export type OpinionNeeded = { readonly adviser: Adviser; readonly about: OpinionRequest };

/** So often a proposal is put to a model whose section changes while the model thinks. */
const maxRounds = 3;

/**
 * The adviser on a proposal. The operator's hand needs none, nor does a reset: it brings back the operator's words. Where
 * the agent's settings name a model, a desk that brings no way to ask it does not go round it.
 */
export function adviserFor(
  context: AmendmentContext,
  { settings }: AgentRecord,
  { actor, operation }: Proposal,
): Adviser | undefined {
  if (actor === "operator" || operation.kind === "reset" || context.madeElsewhere) return undefined;
  const setting = settings.secondOpinion ?? undefined;
  const adviser = context.secondOpinion?.(typeof setting === "string" ? setting : undefined);
  if (adviser || setting === undefined) return adviser;
  const model = typeof setting === "string" ? setting : JSON.stringify(setting);
  return { model, ask: async () => ({ opinion: { says: "none", reason: "There was no way to ask it here." } }) };
}

/** What is left to do about an accepted amendment: nothing, ask, or hold it. */
export function opinionOn(
  adviser: Adviser,
  { charter }: AmendmentContext,
  { section, actor, before, after }: Amendment,
  heard: HeardOpinion | undefined,
): OpinionNeeded | Refusal | undefined {
  if (before === after) return undefined;
  if (heard && heard.before === before && heard.after === after) return heard.objection;
  if (!heard || heard.rounds < maxRounds) return { adviser, about: { charter, section, actor, before, after } };
  return opinionObjection(adviser.model, {
    says: "none",
    reason: `The section changed each of the ${maxRounds} times before it had answered.`,
  });
}

/** Settles, asks outside the transaction and settles anew, until there is nothing left to ask. */
export async function decideWithOpinion(
  deps: StoreDeps,
  context: AmendmentContext,
  decide: (heard: HeardOpinion | undefined) => Promise<ProposalOutcome | OpinionNeeded>,
): Promise<ProposalOutcome> {
  for (let heard: HeardOpinion | undefined; ; ) {
    const outcome = await decide(heard);
    if (!("adviser" in outcome)) return outcome;
    heard = await askAdviser(deps, context, outcome, (heard?.rounds ?? 0) + 1);
  }
}

/** Asks. What it cost is on record whatever becomes of the proposal; an adviser that throws gave no answer. */
async function askAdviser(
  parts: StoreDeps,
  { scope }: AmendmentContext,
  { adviser, about }: OpinionNeeded,
  rounds: number,
): Promise<HeardOpinion> {
  const { home, now } = parts;
  const detail = { section: about.section, actor: about.actor, model: adviser.model };
  const event = await home.write(scope, (db) =>
    recordEvent(db, now(), { scope, kind: "second-opinion-asked", detail }),
  );
  const { opinion, spent } = await answerOf(adviser, about, scope);
  if (spent) await home.write(scope, (db) => addExpense(db, scope, spent));
  const { before, after } = about;
  return { before, after, objection: opinionObjection(adviser.model, opinion), event, rounds };
}

/** Of someone who was erased while the model thought nothing is kept. Asked when no one can be erasing any more. */
export async function checkUserNotErased(db: Database, { user }: Scope, { event }: HeardOpinion): Promise<void> {
  if (user === undefined) return;
  const row = await db.one<{ detail: string }>(sql`select detail from events where id = ${event}`);
  if (row && row.detail !== "{}") return;
  throw new Problem("erased", `“${user}” was erased while a second opinion was asked for.`, "Nothing of it is kept.");
}

/** Users read why something is held: what the operator's keys, limits and providers have to say is not for them. */
async function answerOf(adviser: Adviser, about: OpinionRequest, scope: Scope): Promise<AdviserResult> {
  try {
    return await adviser.ask(about, scope);
  } catch (error) {
    const code = error instanceof Problem ? ` (${error.code})` : "";
    return { opinion: { says: "none", reason: `It could not be asked${code}.` } };
  }
}
