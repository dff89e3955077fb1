import type { NewAttachment } from "../../store/turns/attachments.ts";
import { maxLeaseSeconds } from "../../store/turns/lease.ts";
import type { Watcher } from "../agent-event.ts";
import type { RunTurnOptions } from "../turn-input.ts";
import { settleAllowances } from "./acting/permission.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { turnReason } from "./end-turn.ts";
import type { HeldSession, SentSession } from "./live-session.ts";
import { type AskedTurn, declareTurn, prepareTurn } from "./prepare.ts";
import { unrecordedSpendOf } from "./record.ts";
import { chooseModel, seatOf } from "./seat.ts";
import type { TurnIdentity, TurnState } from "./turn-state.ts";

/** What a turn that is put on record is opened with, besides its input. */
type TurnOpening = Pick<TurnIdentity, "scope"> & {
  readonly signal: AbortSignal | undefined;
  readonly on?: Watcher | undefined;
  readonly approve?: RunTurnOptions["approve"] | undefined;
  readonly ask?: TurnIdentity["ask"];
  readonly output?: TurnIdentity["output"];
  readonly context?: unknown;
  readonly attachments?: readonly NewAttachment[];
  /** The context as it is kept with the turn. */
  readonly kept?: unknown;
};

/** A turn that has begun, with the time it has. */
export type BegunTurn = { readonly running: TurnState; readonly deadline: Deadline };

/**
 * A turn is put on record in the session it has, under its lease; who answers is chosen, and it is prepared. What goes
 * wrong by then is recorded with it.
 */
export async function beginTurn(
  deps: AgentDeps,
  held: HeldSession,
  asked: AskedTurn,
  { scope, signal, attachments = [], kept, ask = "never", on, approve, context, output }: TurnOpening,
): Promise<BegunTurn> {
  const terms = await declareTurn(deps, { ...scope, channel: asked.channel, turn: asked.id }, asked.limits);
  const turn = await deps.store.turns.open({
    ...{ scope, input: asked.input, runner: deps.runner },
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(held.id === undefined
      ? { ownSession: deps.models[0].receiver.name }
      : { session: held.id, inSession: true as const }),
    leaseSeconds: Math.min(Math.ceil(terms.limits.turnSeconds) + 60, maxLeaseSeconds),
    ...(asked.channel === undefined ? {} : { channel: asked.channel }),
    ...(asked.id === undefined ? {} : { id: asked.id }),
    ...(kept === undefined ? {} : { context: kept }),
  });
  const deadline = startDeadline(terms.limits.turnSeconds, signal);
  try {
    let [model] = deps.models;
    const choose = async (sent: SentSession) => {
      model = await chooseModel(deps, terms, sent);
      return model.receiver;
    };
    const session = await held.enter(turn, deps.models.length > 1 ? choose : undefined);
    const seat = await seatOf(deps, terms, model, deadline.signal);
    const about = { id: turn.id, scope, session, signal: deadline.signal, approve, ask, context, output };
    const begun = { ...about, attachments: turn.attachments ?? [] };
    return { deadline, running: await prepareTurn(deps, { terms, seat, on, begun }, asked) };
  } catch (error) {
    deadline.stop();
    await closeFailed(deps, { id: turn.id, scope }, error);
    throw error;
  }
}

/** A turn that was begun and comes to nothing is recorded as failed, with what it owes. */
export async function giveUp(deps: AgentDeps, running: TurnState, error: unknown): Promise<void> {
  await settleAllowances(deps, running, false);
  running.who.session.newestTurn = null;
  const owed = { tainted: running.progress.tainted, ...unrecordedSpendOf(deps, running.bill) };
  await closeFailed(deps, running.who, error, owed);
}

/** Where the store itself is the trouble, what it said first is the news. */
async function closeFailed(
  { store }: AgentDeps,
  { id, scope }: Pick<TurnIdentity, "id" | "scope">,
  error: unknown,
  owed: object = {},
): Promise<void> {
  await store.turns.close(id, { state: "failed", because: turnReason(error), scope, ...owed }).catch(() => {});
}
