import type { Scope } from "../../amend/amendment.ts";
import type { Operation } from "../../amend/operation.ts";
import type { Proposal } from "../../amend/proposal.ts";
import { outcomeFacts, type ReportableOutcome } from "../../amend/verdict.ts";
import { Problem } from "../../prompt/problem.ts";
import { isStale, type RefusedOutcome } from "../../store/amendments/stale-outcome.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import type { RouteContext } from "../api.ts";
import type { Caller } from "../http/caller.ts";
import { defined, type ScopedSection, sectionFor } from "./scope-for.ts";

/** What someone wishes to change, as a request says it. */
type ProposeOptions = {
  readonly agent: string;
  readonly section: string;
  readonly operation: Operation;
  readonly user?: string | undefined;
  readonly reason?: string | undefined;
  readonly revision?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly quote?: boolean | undefined;
  /** Kept as a digest: it outlives the words of its amendment, and may hold some. */
  readonly key?: string | undefined;
};

type ProposeResult = { readonly status: 200 | 201 | 202 | 409 | 422; readonly answer: object };

/** The one way a request changes words: the guards are asked, and what they say is the answer. */
export async function proposeFor(serving: RouteContext, caller: Caller, wish: ProposeOptions): Promise<ProposeResult> {
  const { host } = serving;
  const { dryRun, quote, key } = wish;
  const found = await sectionFor(serving, caller, wish);
  const { name } = found.placed.section;
  const proposal: Proposal = {
    section: name,
    operation: wish.operation,
    actor: caller.kind === "operator" ? "operator" : "user",
    ...defined({ reason: wish.reason, revision: wish.revision }),
  };
  const { scope } = found.snapshot;
  if (quote) {
    const { verdict, quote: price } = await host.quote(scope, proposal);
    return proposeResultOf(serving, found, verdict, {
      kept: false,
      ...defined({ quote: price, against: wish.revision }),
    });
  }
  const context = await host.amendmentContext(scope);
  const outcome = dryRun
    ? await host.store.judge(context, proposal)
    : await host.store
        .propose(key === undefined ? context : { ...context, idempotencyKey: sha256(key) }, proposal)
        .catch(rethrowKeyReused);
  return proposeResultOf(serving, found, outcome, { kept: !dryRun, ...defined({ against: wish.revision }) });
}

/** The store knows a key by its digest, which whoever sent it has never seen. */
function rethrowKeyReused(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "key-reused") throw error;
  throw new Problem(error.code, "This Idempotency-Key was used for another proposal.", error.hint);
}

type About = { readonly kept: boolean; readonly quote?: object; readonly against?: number };

async function proposeResultOf(
  serving: RouteContext,
  found: ScopedSection,
  outcome: ReportableOutcome,
  { kept, quote, against = 0 }: About,
): Promise<ProposeResult> {
  const { name } = found.placed.section;
  if (outcome.verdict === "refused") {
    const about = { scope: found.snapshot.scope, section: name };
    return isStale(outcome) ? staleResult(serving, about, outcome, against) : refusedResult(serving, about, outcome);
  }
  const status = kept ? ({ accepted: 201, unchanged: 200, held: 202 } as const)[outcome.verdict] : 200;
  const held = outcome.verdict === "held" ? { refusals: refusalsOf(outcome) } : {};
  return { status, answer: { ...outcomeFacts(outcome, name), ...held, ...(quote ? { quote } : {}) } };
}

const refusalsOf = ({ refusals }: Pick<RefusedOutcome, "refusals">) =>
  refusals.map(({ guard, because, places }) => ({ guard, because, ...(places ? { places } : {}) }));

/** Every refusal, with the current text and the proposed one. */
export async function refusedResult(
  serving: RouteContext,
  about: SectionOf,
  outcome: RefusedOutcome,
): Promise<ProposeResult> {
  const { proposed, held, repeated } = outcome;
  const refusals = refusalsOf(outcome);
  const standing = await standingOf(serving, about, outcome);
  const { code, message, hint } = new Problem(
    "refused",
    `“${about.section}” was not changed: the proposal was refused for ${refusals.length === 1 ? "one reason" : `${refusals.length} reasons`}.`,
    "Change what `refusals` names, and propose it again.",
  );
  const wanted = proposed === undefined ? null : { text: proposed, revision: standing.revision };
  const error = { code, message, hint, refusals, standing, proposed: wanted, ...defined({ held, repeated }) };
  return { status: 422, answer: { error } };
}

/** Both texts: the current one, and the one that was proposed against an older revision. */
export async function staleResult(
  serving: RouteContext,
  about: SectionOf,
  outcome: RefusedOutcome,
  against: number,
  todo = "Read the current text, merge both, and propose the result.",
): Promise<ProposeResult> {
  const standing = await standingOf(serving, about, outcome);
  const { code, message, hint } = new Problem(
    "stale",
    `“${about.section}” has changed: it is at revision ${standing.revision}, and the proposal was made against revision ${against}.`,
    todo,
  );
  const error = {
    code,
    message,
    hint,
    refusals: refusalsOf(outcome),
    standing,
    proposed: outcome.proposed === undefined ? null : { text: outcome.proposed, revision: against },
    ...defined({ held: outcome.held }),
  };
  return { status: 409, answer: { error } };
}

type SectionOf = { readonly scope: Scope; readonly section: string };

/** As it is now: the text the outcome was judged against may be older than the snapshot a request began with. */
async function standingOf({ host }: RouteContext, { scope, section }: SectionOf, { before }: RefusedOutcome) {
  const standing = (await host.snapshot(scope)).declaredTurn.turn.standing[section];
  const { text, revision } = standing && "text" in standing ? standing : { text: before, revision: 0 };
  return { text, revision };
}
