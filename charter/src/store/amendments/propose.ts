import type { Proposal } from "../../amend/proposal.ts";
import type { Refusal } from "../../amend/refusal.ts";
import type { Verdict } from "../../amend/verdict.ts";
import { agentAtWork } from "../agents.ts";
import type { Parts } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { checkName, placed } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { insertAmendment } from "./amendments.ts";
import type { Desk, Settled } from "./context.ts";
import { insertHeld } from "./held-row.ts";
import { settledBefore } from "./idempotency.ts";
import { consider } from "./judge.ts";
import {
  adviserFor,
  checkStillThere,
  type Heard,
  hearUntilSettled,
  opinionOn,
  type Unheard,
} from "./second-opinion.ts";

export type Propose = (desk: Desk, proposal: Proposal) => Promise<Settled>;

/**
 * The one write path: everything from reading what stands to the amendment is one transaction.
 *
 * Where a model is to be asked, it is asked between two of them: the first keeps nothing, and the second judges the
 * proposal anew. An answer counts only for the very words it was given about.
 */
export function createPropose(parts: Parts): Propose {
  return async (desk, proposal) => {
    if (desk.key !== undefined) checkName("key", desk.key);
    if (proposal.turn !== undefined) checkName("turn", proposal.turn);
    const { scope, section } = placed(desk, proposal);
    return hearUntilSettled(parts, desk, (heard) =>
      parts.home.write(scope, (db) => settle(parts, db, { ...desk, scope }, { ...proposal, section }, heard)),
    );
  };
}

/** Settles a proposal, or says what a model is to be asked first. `approved`: the operator has decided, so nobody is. */
export async function settle(
  parts: Parts,
  db: Database,
  desk: Desk,
  proposal: Proposal,
  heard: Heard | "approved" | undefined,
): Promise<Settled | Unheard> {
  const { texts, now, newId } = parts;
  const { scope, key } = desk;
  const { section, actor, turn = null } = proposal;
  await takeLocks(db, desk, proposal);
  await checkNotErased(db, turn);
  if (heard && heard !== "approved") await checkStillThere(db, scope, heard);
  const agent = await agentAtWork(db, scope.agent);
  const at = now();
  const {
    rules,
    revision,
    verdict: judged,
  } = await consider({ ...parts, now: () => at }, db, { ...desk, agent }, proposal);
  const before = key === undefined ? undefined : await settledBefore(db, texts, { ...desk, key, rules }, proposal);
  if (before) return before;

  const adviser = heard === "approved" ? undefined : adviserFor(desk, agent, proposal);
  const opinion: { left?: Unheard | Refusal | undefined } = {};
  const accepted = await judged(async (amendment) => {
    if (adviser) opinion.left = opinionOn(adviser, desk, amendment, heard as Heard | undefined);
    if (!opinion.left) await insertAmendment(db, texts, amendment);
  });
  if (opinion.left && "adviser" in opinion.left) return opinion.left;
  const verdict = opinion.left ? heldFor(opinion.left, accepted) : accepted;
  const about = { section, operation: proposal.operation.kind, actor };
  if (verdict.verdict === "accepted") {
    const detail = { ...about, revision: verdict.revision };
    await recordEvent(db, at, { scope, kind: "amended", turn, detail });
    return verdict;
  }
  if (verdict.verdict === "unchanged") return verdict;
  const objections = verdict.refusals.map(({ guard, because }) => ({ guard, because }));
  if (verdict.verdict === "refused") {
    await recordEvent(db, at, { scope, kind: "amendment-refused", turn, detail: { ...about, refusals: objections } });
    return verdict;
  }
  const held = newId();
  // Whoever approves it approves these words over those: on any others it is stale.
  await insertHeld(db, { id: held, scope, proposal: { revision, ...proposal }, verdict, at, key: key ?? null });
  await recordEvent(db, at, { scope, kind: "amendment-held", turn, detail: { ...about, held, refusals: objections } });
  return { ...verdict, held };
}

function heldFor(objection: Refusal, verdict: Verdict): Verdict {
  if (verdict.verdict !== "accepted") return verdict;
  return { verdict: "held", before: verdict.before, after: verdict.after, refusals: [objection] };
}

/** Until it is settled, nobody amends the section, counts the turn's amendments, or erases words that were just read. */
async function takeLocks(db: Database, { scope }: Desk, { section, turn }: Proposal): Promise<void> {
  const { agent, user = "" } = scope;
  const names = turn === undefined ? [] : [["turn", agent, turn]];
  for (const name of [...names, ["amend", agent, user, section]]) {
    const lock = db.dialect.lock(JSON.stringify(name));
    if (lock) await db.all(lock);
  }
  const kept = db.dialect.notAlone("texts");
  if (kept) await db.run(kept);
}
