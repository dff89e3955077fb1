import { sourceTimeout } from "../agent/limits.ts";
import type { Proposal, Verdict } from "../amend/amend.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Operation } from "../amend/operation.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { type Baseline, baselineOf, turnsBeside } from "../delivery/baseline.ts";
import type { Quote } from "../delivery/cost.ts";
import { historyOf } from "../delivery/history.ts";
import type { Message } from "../delivery/model.ts";
import { quoteInSession } from "../delivery/prediction.ts";
import { isCold, loadReceiverTokenizer, type Receiver } from "../delivery/receiver.ts";
import { boundsOf, type Room } from "../prompt/assemble.ts";
import { gather, withStanding } from "../prompt/gather.ts";
import type { AmendmentContext } from "../store/amendments/judge.ts";
import { scopeNamed } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** A quote, and the session it was made for. A cold session sends everything again with its next request, whatever changed. */
export type SessionQuote = Quote & { readonly session: string | null; readonly cold: boolean };

type HostQuoteOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly user: string | undefined;
  /** Receiver of the session it is quoted for. */
  readonly receiver: Receiver;
  readonly proposal: Proposal;
  readonly now: Date;
};

/**
 * Computes what a change would cost in the newest session with the model, as the next request would find it. Refused and empty
 * changes cost nothing, and have no quote.
 */
export async function quoteFor(verdict: Verdict, quoted: HostQuoteOptions): Promise<SessionQuote | undefined> {
  const { store, agent, user, receiver, proposal, now } = quoted;
  if (verdict.verdict === "refused" || verdict.verdict === "unchanged") return undefined;
  const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
  const scope = scopeNamed(agent, user ?? null);
  const latest = await store.sessions.latest(scope);
  // A session with another model counts as none: the model gets the whole prompt with its first request, whatever changed.
  const session = latest?.receiver === receiver.name ? await store.sessions.get(latest.id) : undefined;
  const baseline = session ? baselineOf(session.baseline) : null;
  const cold = session !== undefined && isCold(receiver, Date.parse(session.lastAt), now);
  const messages = session && baseline ? await messagesIn(store, session.id, baseline, receiver) : [];
  const quote = quoteInSession({
    section: proposal.section,
    verdict: verdict.verdict,
    before: verdict.before,
    after: verdict.after,
    takesBack: takesBack(proposal),
    receiver,
    tokenizer,
    baseline,
    messages,
    cold,
  });
  return { ...quote, session: baseline ? (session?.id ?? null) : null, cold };
}

/** Checks whether the old text must be gone at once: the operator changed it, or it was reset or reverted. */
function takesBack({ actor, operation }: { readonly actor: string; readonly operation: Operation }): boolean {
  return actor === "operator" || operation.kind === "reset" || operation.kind === "revert";
}

async function messagesIn(store: Store, session: string, baseline: Baseline, receiver: Receiver): Promise<Message[]> {
  const turns = await store.sessions.history(session, turnsBeside(baseline.summary));
  return historyOf(turns, baseline, receiver).flatMap((one) => one.messages);
}

/** Limits under which a change is judged: the prompt's room, and how many seconds a source may take. */
export type AmendmentQuery = {
  readonly room?: Room | undefined;
  readonly seconds?: number | undefined;
  /** Foreign words that may have led to the change, to go on after “because”. */
  readonly taintedBy?: string | undefined;
};

/** Context in which a proposal for an agent is judged: its charter's rules, and its current readings. */
export async function amendmentContextFor(
  { declaredTurn, scope }: { readonly declaredTurn: DeclaredTurn; readonly scope: Scope },
  limits: Room,
  { seconds = declaredTurn.limits?.sourceSeconds ?? 10, taintedBy }: Omit<AmendmentQuery, "room"> = {},
): Promise<AmendmentContext> {
  const readings = await gather(declaredTurn.charter, declaredTurn.turn, sourceTimeout(seconds));
  const rulesFor = await declaredTurn.rules();
  return {
    charter: declaredTurn.charter,
    scope,
    rules: (section, standing) => rulesFor(section, withStanding(declaredTurn.charter, readings, standing), limits),
    turn: { ...declaredTurn.turnFacts, ...(taintedBy === undefined ? {} : { tainted: true, taintedBy }) },
    ...(declaredTurn.fault ? { fault: declaredTurn.fault } : {}),
  };
}

/** Adds a tokenizer to the room if the charter is limited in tokens. */
export async function countedRoom(charter: Parameters<typeof boundsOf>[0], room: Room): Promise<Room> {
  if (boundsOf(charter, room).tokens === undefined) return room;
  return { ...room, tokenizer: await loadReceiverTokenizer({ name: "o200k_base", exact: false }) };
}
