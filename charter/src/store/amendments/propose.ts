import { checkContext, checkProposal, type Proposal, type Rules, type Verdict } from "../../amend/amend.ts";
import type { PublicationOutcome, Publisher, Scope } from "../../amend/amendment.ts";
import { applyOperation, type Refusal } from "../../amend/operation.ts";
import { findSection } from "../../prompt/charter.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Section } from "../../prompt/section.ts";
import { lockAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure, lockNamed, matching, ownRows } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { insertPublication } from "../publications/publications.ts";
import { checkName, placeProposal } from "../scope.ts";
import type { Texts } from "../texts/text.ts";
import { checkNotErased } from "../turns/turn.ts";
import { type AmendmentRow, amendmentAt, amendmentEntryOf, held, insertAmendment } from "./amendments.ts";
import {
  adviserFor,
  checkUserNotErased,
  decideWithOpinion,
  findHeld,
  type HeardOpinion,
  type OpinionNeeded,
  opinionOn,
} from "./held-proposal.ts";
import { type AmendmentContext, consider, type ProposalOutcome, turnUser } from "./judge.ts";

/** `store.propose`: judges a proposal and stores the result, in one transaction. The only way to change a section's text. */
export type Propose = (desk: AmendmentContext, proposal: Proposal) => Promise<ProposalOutcome>;

/**
 * Creates the one write path: everything from reading the current text to the amendment is one transaction.
 *
 * If a model has to be asked, it is asked between two transactions: the first stores nothing, and the second judges the proposal
 * again. An answer counts only for exactly the text it was given about.
 */
export function createPropose(deps: StoreDeps): Propose {
  return async (desk, proposal) => {
    checkContext("store.propose", desk);
    checkProposal(proposal);
    if (desk.idempotencyKey !== undefined) checkName("key", desk.idempotencyKey);
    if (proposal.turn !== undefined) checkName("turn", proposal.turn);
    const { scope, section, reach } = placeProposal(desk, proposal);
    const sent = createSender();
    const context = { ...desk, whose: scope, onPublisher: sent.take };
    return sent.after(
      await decideWithOpinion(deps, desk, (heard) =>
        deps.home.write(reach, (db) => decideProposal(deps, db, context, { ...proposal, section }, heard)),
      ),
    );
  };
}

/** `whose`: the scope whose copy of the section is changed; `scope` is that of the door. `id`: the held proposal it is. */
type DecisionContext = AmendmentContext & {
  readonly whose: Scope;
  readonly id?: string;
  readonly onPublisher: Sender["take"];
};

/**
 * Decides a proposal, or returns what a model has to be asked first. `approved`: the operator has decided, so no model is asked.
 */
export async function decideProposal(
  deps: StoreDeps,
  db: Database,
  desk: DecisionContext,
  proposal: Proposal,
  heard: HeardOpinion | "approved" | undefined,
): Promise<ProposalOutcome | OpinionNeeded> {
  const { texts, now, newId } = deps;
  const { whose: scope, idempotencyKey } = desk;
  const context = { ...desk, scope };
  const { section, actor, turn = null } = proposal;
  await takeLocks(db, context, proposal);
  const user = turnUser(await checkNotErased(db, turn), desk);
  // What waits belongs to the user in whose turn it was proposed: they see it, and it is erased with them.
  const owner = user === undefined ? scope : { ...scope, user };
  if (heard && heard !== "approved") await checkUserNotErased(db, scope, heard);
  const agent = await lockAgent(db, scope.agent);
  const at = now();
  const {
    rules,
    revision,
    verdict: judged,
  } = await consider({ ...deps, now: () => at }, db, { ...context, agent, user }, proposal);
  const before =
    idempotencyKey === undefined
      ? undefined
      : await findIdempotentOutcome(db, texts, { ...context, owner, idempotencyKey, rules }, proposal);
  if (before) return before;

  const adviser = heard === "approved" ? undefined : adviserFor(context, agent, proposal);
  const opinion: { left?: OpinionNeeded | Refusal | undefined } = {};
  const accepted = await judged(async (amendment) => {
    if (adviser) opinion.left = opinionOn(adviser, context, amendment, heard as HeardOpinion | undefined);
    if (opinion.left) return;
    await insertAmendment(db, texts, amendment);
    if (!rules.publisher) return;
    context.onPublisher(rules.publisher, await insertPublication(db, amendment, rules.publisher));
  });
  if (opinion.left && "adviser" in opinion.left) return opinion.left;
  const verdict = opinion.left ? heldFor(opinion.left, accepted) : accepted;
  const about = { section, operation: proposal.operation.kind, actor };
  if (verdict.verdict === "accepted") {
    const detail = { ...about, revision: verdict.revision };
    recordEvent(db, at, { scope, kind: "amended", turn, detail });
    return verdict;
  }
  if (verdict.verdict === "unchanged") return verdict;
  const objections = verdict.refusals.map(({ guard, because }) => ({ guard, because }));
  if (verdict.verdict === "refused") {
    const detail = { ...about, refusals: objections };
    recordEvent(db, at, { scope: owner, kind: "amendment-refused", turn, detail });
    return verdict;
  }
  if (desk.id !== undefined) return { ...verdict, held: desk.id };
  const { before: words, after, refusals } = verdict;
  const id = newId();
  // Approval is for this text in place of that: if the section changes, the proposal is stale.
  const based = { revision, ...proposal };
  const waits = { status: "waiting", at, key: idempotencyKey } as const;
  const shared = scope.user === undefined;
  const text = { section, shared, proposal: based, refusals, before: words, after };
  await db.run(insertInto(held, { id, scope: owner, ...text, ...waits }));
  recordEvent(db, at, {
    scope: owner,
    kind: "amendment-held",
    turn,
    detail: { ...about, held: id, refusals: objections },
  });
  return { ...verdict, held: id };
}

/** Sends what is published with an amendment, once that is committed. */
type Sender = {
  readonly take: (publisher: Publisher, id: string) => void;
  readonly after: (outcome: ProposalOutcome) => Promise<ProposalOutcome>;
};

/**
 * Creates a sender. An accepted change stands whatever becomes of the sending: what cannot be sent now waits in the store, and
 * goes out later under the same id.
 */
export function createSender(): Sender {
  let taken: { readonly publisher: Publisher; readonly id: string } | undefined;
  return {
    take: (publisher, id) => {
      taken = { publisher, id };
    },
    after: async (outcome) => {
      if (!taken || outcome.verdict !== "accepted" || outcome.repeated) return outcome;
      const { publisher, id } = taken;
      const publication = await publisher.send(id).catch((error: unknown): PublicationOutcome => {
        return { id, state: "waiting", taken: [], missed: [{ place: "nowhere", reason: reasonOf(error) }] };
      });
      return publication ? { ...outcome, publication } : outcome;
    },
  };
}

function heldFor(objection: Refusal, verdict: Verdict): Verdict {
  if (verdict.verdict !== "accepted") return verdict;
  return { verdict: "held", before: verdict.before, after: verdict.after, refusals: [objection] };
}

/**
 * Takes the locks of a proposal: until it is decided, nobody amends the section, counts the turn's amendments, or erases text
 * that was just read.
 */
async function takeLocks(db: Database, { scope }: AmendmentContext, { section, turn }: Proposal): Promise<void> {
  const { agent, user = "" } = scope;
  const names = turn === undefined ? [] : [["turn", agent, turn]];
  for (const name of [...names, ["amend", agent, user, section]]) await lockNamed(db, name);
  await lockAgainstErasure(db);
}

/** Finds the outcome of a proposal that was sent with this key before. */
async function findIdempotentOutcome(
  db: Database,
  texts: Texts,
  {
    charter,
    scope,
    owner,
    idempotencyKey,
    rules,
  }: Omit<AmendmentContext, "rules"> & {
    readonly owner: Scope;
    readonly idempotencyKey: string;
    readonly rules: Rules;
  },
  proposal: Proposal,
): Promise<ProposalOutcome | undefined> {
  const { agent, user = "" } = owner;
  const [held] = await findHeld(db, matching({ "h.agent": agent, "h.user_id": user, "h.key": idempotencyKey }));
  const row = held?.revision
    ? await amendmentAt(db, scope, held.section, held.revision)
    : await db.one<AmendmentRow>(sql`select * from amendments where ${ownRows(scope)} and key = ${idempotencyKey}`);
  const checkSame = (section: string, operation: string, words: boolean) => {
    if (section === proposal.section && operation === proposal.operation.kind && words) return;
    throw new Problem(
      "key-reused",
      `The key “${idempotencyKey}” was used for another proposal (${operation} of “${section}”).`,
      "Give every proposal a key of its own.",
    );
  };
  if (row) {
    if (row.erased_at !== null)
      throw new Problem(
        "erased",
        `What was proposed under the key “${idempotencyKey}” was erased ${row.erased_at}.`,
        "To propose it anew, give it another key.",
      );
    const before = (await texts.get(db, row.user_id, row.before_digest)) ?? "";
    const after = (await texts.get(db, row.user_id, row.after_digest)) ?? "";
    const { section } = findSection(charter, proposal.section);
    const words = held ? isSameOperation(held.proposal, proposal) : makes(proposal, rules, section, before, after);
    checkSame(row.section, row.operation, words);
    const { erasedAt: _, ...entry } = amendmentEntryOf(row);
    const amendment = { ...entry, before, after };
    return { verdict: "accepted", before, after, revision: row.revision, amendment, repeated: true };
  }
  if (!held) return undefined;
  checkSame(held.section, held.proposal.operation.kind, isSameOperation(held.proposal, proposal));
  const { before, after, refusals, id, status, decisionReason } = held;
  if (status === "rejected") {
    const refusal = { guard: "needs-approval", because: decisionReason ?? "A person said no." };
    return { verdict: "refused", before, proposed: after, refusals: [refusal], held: id, repeated: true };
  }
  // An approved proposal has no revision if its text was already there.
  if (status === "approved" && held.revision === null) {
    const revision = held.proposal.revision ?? 0;
    return { verdict: "unchanged", before: after, after, revision, held: id, repeated: true };
  }
  return { verdict: "held", before, after, refusals, held: id, repeated: true };
}

function isSameOperation({ operation: one }: Proposal, { operation: other }: Proposal): boolean {
  const fields = (operation: object) => JSON.stringify(Object.entries(operation).sort());
  return fields(one) === fields(other);
}

/** Tells whether a proposal turns the text before into the text after; one without text of its own always does. */
function makes({ operation }: Proposal, rules: Rules, section: Section, before: string, after: string): boolean {
  if (!("content" in operation)) return true;
  const { opening = 0, normalise: inOrder = (text: string) => text } = rules;
  const { original = "", compact } = section;
  const context = { text: before, original, opening, lined: compact === "line", revisionText: () => undefined };
  const made = applyOperation(operation, context);
  return "after" in made && inOrder(made.after) === after;
}
