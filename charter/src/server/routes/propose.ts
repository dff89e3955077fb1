import type { Operation } from "../../amend/operation.ts";
import type { Proposal } from "../../amend/proposal.ts";
import { type Outcome, outcomeFacts } from "../../amend/verdict.ts";
import { Problem } from "../../prompt/problem.ts";
import { isStale, type Refused } from "../../store/amendments/stale.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import type { Serving } from "../http/api.ts";
import type { Caller } from "../http/caller.ts";
import { defined, type SectionFor, sectionFor } from "./whose.ts";

/** What someone wishes to change, as a request says it. */
export type Wish = {
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

export type Answered = { readonly status: 200 | 201 | 202 | 409 | 422; readonly answer: object };

/** The one way a request changes words: the guards are asked, and what they say is the answer. */
export async function propose(serving: Serving, caller: Caller, wish: Wish): Promise<Answered> {
  const { house } = serving;
  const { dryRun, quote, key } = wish;
  const found = await sectionFor(serving, caller, wish);
  const { name } = found.placed.section;
  const proposal: Proposal = {
    section: name,
    operation: wish.operation,
    actor: caller.kind === "operator" ? "operator" : "user",
    ...defined({ reason: wish.reason, revision: wish.revision }),
  };
  const { scope } = found.looked;
  if (quote) {
    const { verdict, quote: price } = await house.quote(scope, proposal);
    return answered(serving, found, verdict, { kept: false, ...defined({ quote: price, against: wish.revision }) });
  }
  const desk = await house.desk(scope);
  const settled = dryRun
    ? await house.store.judge(desk, proposal)
    : await house.store.propose(key === undefined ? desk : { ...desk, key: sha256(key) }, proposal).catch(reused);
  return answered(serving, found, settled, { kept: !dryRun, ...defined({ against: wish.revision }) });
}

/** The store knows a key by its digest, which whoever sent it has never seen. */
function reused(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "key-reused") throw error;
  throw new Problem(error.code, "This Idempotency-Key was used for another proposal.", error.hint);
}

type About = { readonly kept: boolean; readonly quote?: object; readonly against?: number };

async function answered(
  serving: Serving,
  found: SectionFor,
  settled: Outcome,
  { kept, quote, against = 0 }: About,
): Promise<Answered> {
  const { name } = found.placed.section;
  if (settled.verdict === "refused")
    return isStale(settled) ? stale(serving, found, settled, against) : refused(settled, name);
  const status = kept ? ({ accepted: 201, unchanged: 200, held: 202 } as const)[settled.verdict] : 200;
  return { status, answer: { ...outcomeFacts(settled, name), ...(quote ? { quote } : {}) } };
}

const objections = ({ refusals }: Refused) => refusals.map(({ guard, because }) => ({ guard, because }));

export function refused(settled: Refused, section: string): Answered {
  const { before, proposed = null, held, repeated } = settled;
  const refusals = objections(settled);
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
export async function stale(
  { house }: Serving,
  { placed, looked }: Pick<SectionFor, "placed" | "looked">,
  settled: Refused,
  against: number,
): Promise<Answered> {
  const { section } = placed;
  const standing = (await house.look(looked.scope)).given.turn.standing[section.name];
  const stands = standing && "text" in standing ? standing : { text: settled.before, revision: 0 };
  const { code, message, hint } = new Problem(
    "stale",
    `“${section.name}” has changed since: revision ${stands.revision} stands, and this was made against ${against}.`,
    "Read what stands, decide what is to become of both texts, and propose that.",
  );
  const error = {
    code,
    message,
    hint,
    refusals: objections(settled),
    standing: { revision: stands.revision, text: stands.text },
    proposed: { revision: against, text: settled.proposed ?? null },
    ...defined({ held: settled.held }),
  };
  return { status: 409, answer: { error } };
}
