import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { Proposal } from "../../amend/proposal.ts";
import type { Refusal } from "../../amend/refusal.ts";
import { type OpinionRequest, opinionObjection } from "../../amend/second-opinion.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { addExpense } from "../turns/spending.ts";
import type { Adviser, AdviserResult, AmendmentContext, ProposalOutcome } from "./context.ts";

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
