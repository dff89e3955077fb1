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
  if (outcome.verdict === "refused")
    return isStale(outcome) ? staleResult(serving, found, outcome, against) : refusedResult(outcome, name);
  const status = kept ? ({ accepted: 201, unchanged: 200, held: 202 } as const)[outcome.verdict] : 200;
  return { status, answer: { ...outcomeFacts(outcome, name), ...(quote ? { quote } : {}) } };
}

const objections = ({ refusals }: RefusedOutcome) => refusals.map(({ guard, because }) => ({ guard, because }));

export function refusedResult(outcome: RefusedOutcome, section: string): ProposeResult {
  const { before, proposed = null, held, repeated } = outcome;
  const refusals = objections(outcome);
  const count = refusals.length === 1 ? "one objection" : `${refusals.length} objections`;
  const { code, message, hint } = new Problem(
    "refused",
    `“${section}” stays as it is: there ${refusals.length === 1 ? "is" : "are"} ${count}.`,
    "See `refusals`, and propose it anew so that none of them is left.",
  );
  return {
    status: 422,
    answer: { error: { code, message, hint, refusals, before, proposed, ...defined({ held, repeated }) } },
  };
}

/** Both texts: those that stand now, and those that were wanted. */
export async function staleResult(
  { host }: RouteContext,
  { placed, snapshot }: Pick<ScopedSection, "placed" | "snapshot">,
  outcome: RefusedOutcome,
  against: number,
): Promise<ProposeResult> {
  const { section } = placed;
  const standing = (await host.snapshot(snapshot.scope)).declaredTurn.turn.standing[section.name];
  const stands = standing && "text" in standing ? standing : { text: outcome.before, revision: 0 };
  const { code, message, hint } = new Problem(
    "stale",
    `“${section.name}” has changed since: revision ${stands.revision} stands, and this was made against ${against}.`,
    "Read what stands, decide what is to become of both texts, and propose that.",
  );
  const error = {
    code,
    message,
    hint,
    refusals: objections(outcome),
    standing: { revision: stands.revision, text: stands.text },
    proposed: { revision: against, text: outcome.proposed ?? null },
    ...defined({ held: outcome.held }),
  };
  return { status: 409, answer: { error } };
}
