import type { Proposal } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import { isForOperator } from "../../amend/guards/permission.ts";
import type { Operation, Refusal } from "../../amend/operation.ts";
import { type OpinionRequest, opinionObjection } from "../../amend/second-opinion.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { insertedEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import type { RecordOf } from "../home/table.ts";
import { addExpense } from "../turns/spending.ts";
import { type EditedText, held } from "./amendments.ts";
import type { Adviser, AdviserResult, AmendmentContext, ProposalOutcome } from "./judge.ts";

/** A proposal that waits for a person's approval, or did. */
export type HeldProposal = RecordOf<typeof held> & {
  /** Shows that the section has changed since it was proposed: it can only be applied to the current text. */
  readonly stale: boolean;
  /** Current text of the section, if the proposal is stale. */
  readonly standing: { readonly text: string; readonly revision: number } | null;
};

/** Tells whether only the operator may approve. */
export function waitsForOperator({ refusals }: Pick<HeldProposal, "refusals">): boolean {
  return refusals.some(isForOperator);
}

/** Reads held proposals, each with its section's present text, in one query. */
export async function findHeld(db: Database, which: Query): Promise<HeldProposal[]> {
  const rows = await db.all<StandingRow>(sql`select h.*, s.revision as standing_revision, s.words as standing_words
    from held h left join standings s on s.agent = h.agent and s.section = h.section
      and s.user_id = case when h.shared = 1 then '' else h.user_id end
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

/** Current text of the section; null if it was never amended. */
type StandingRow = { readonly standing_revision: number | null; readonly standing_words: string | null };

/** Adds reasons why a proposal waits. */
export async function addObjections(
  db: Database,
  { id, refusals }: HeldProposal,
  objections: readonly Refusal[],
): Promise<Refusal[]> {
  const all = [...refusals, ...objections];
  await db.run(sql`update held set refusals = ${JSON.stringify(all)} where id = ${id}`);
  return all;
}

/** Choices of the person who approves: the proposal as it was made, other text, or the section's current text. */
export type ApproveOptions = {
  /** Actor who approves; `operator` unless given. */
  readonly hand?: "operator" | "user";
  /** Text in place of the proposed one. It is judged as the text of the person who approves. */
  readonly content?: string;
  /** Applies it to the section's current text, even if that has changed since. */
  readonly current?: true;
  /** Revision that was read, with `current`. If the section has another by now, nothing is applied. */
  readonly revision?: number;
};

/** Proposal that is judged when a person approves, and the text that person wrote. */
type ApprovedProposal = { readonly proposal: Proposal; readonly edited?: EditedText };

/**
 * Returns the proposal that is judged again. Edited text counts as its editor's, for the guards too, and the reason says who
 * proposed it.
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
  // The proposed compact line is dropped, because it was written for other text.
  const { compact: _, ...words } = operation;
  const origin = `Proposed by the ${actor}, edited by ${editor} before approving it.`;
  return {
    operation: { ...words, content: edited.content },
    actor: edited.actor,
    reason: reason === undefined ? origin : `${origin} The ${actor}'s reason: ${reason}`,
  };
}

/** Answer of the second opinion about one change: it holds for exactly this text before and after. */
export type HeardOpinion = Pick<OpinionRequest, "before" | "after"> & {
  readonly objection: Refusal | undefined;
  /** Event of the question: it loses its detail when its user is erased. */
  readonly event: number;
  /** Number of times a model was asked about this proposal. */
  readonly rounds: number;
};

/** An accepted change that the adviser has to be asked about first. */
export type OpinionNeeded = { readonly adviser: Adviser; readonly about: OpinionRequest };

/** Maximum number of times a model is asked about a proposal whose section changes while the model thinks. */
const maxRounds = 3;

/**
 * Chooses the adviser for a proposal. The operator's own proposals need none, nor does a reset, which brings back the operator's
 * text. If the agent's settings name a model, a caller that cannot ask it does not get around it: the answer is then “none”.
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

/** Decides what to do about an accepted amendment: apply it (undefined), ask the adviser, or hold it with an objection. */
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

/** Decides, asks outside the transaction and decides again, until there is nothing left to ask. */
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

/** Asks the adviser. Its cost is recorded whatever becomes of the proposal; an adviser that throws gave no answer. */
async function askAdviser(
  parts: StoreDeps,
  { scope }: AmendmentContext,
  { adviser, about }: OpinionNeeded,
  rounds: number,
): Promise<HeardOpinion> {
  const { home, now } = parts;
  const detail = { section: about.section, actor: about.actor, model: adviser.model };
  const event = await home.write(scope, async (db) => {
    const inserted = insertedEvent(db, now(), { scope, kind: "second-opinion-asked", detail });
    return ((await db.one<{ id: number }>(inserted)) as { id: number }).id;
  });
  const { opinion, spent } = await answerOf(adviser, about, scope);
  if (spent) await home.write(scope, async (db) => addExpense(db, scope, spent));
  const { before, after } = about;
  return { before, after, objection: opinionObjection(adviser.model, opinion), event, rounds };
}

/** Refuses to store anything about a user who was erased while the model thought. The caller holds the lock against erasure. */
export async function checkUserNotErased(db: Database, { user }: Scope, { event }: HeardOpinion): Promise<void> {
  if (user === undefined) return;
  const row = await db.one<{ detail: string }>(sql`select detail from events where id = ${event}`);
  if (row && row.detail !== "{}") return;
  throw new Problem("erased", `“${user}” was erased while a second opinion was asked for.`, "Nothing of it is kept.");
}

/**
 * Asks, and turns an error into “none” with only its code: users read why something is held, and details of the operator's keys,
 * limits and providers are not for them.
 */
async function answerOf(adviser: Adviser, about: OpinionRequest, scope: Scope): Promise<AdviserResult> {
  try {
    return await adviser.ask(about, scope);
  } catch (error) {
    const code = error instanceof Problem ? ` (${error.code})` : "";
    return { opinion: { says: "none", reason: `It could not be asked${code}.` } };
  }
}
