import { turnsBeside } from "../../../delivery/baseline.ts";
import { historyOf, type PastTurn } from "../../../delivery/history.ts";
import type { Receiver } from "../../../delivery/receiver.ts";
import type { Store } from "../../../store/store.ts";
import type { TurnState } from "../turn-state.ts";
import { withoutMarks } from "./receiver-change.ts";

/**
 * Another model takes over while a turn runs: what was said, in this turn too, is read again from the record and made for
 * that model, as another process would. What it is sent is built anew.
 */
export async function changeReceiver(
  store: Pick<Store, "sessions">,
  { who, progress }: Pick<TurnState, "who" | "progress">,
  receiver: Receiver,
): Promise<void> {
  const { session, id } = who;
  const baseline = session.baseline && withoutMarks(session.baseline);
  const turns = await store.sessions.history(session.id, turnsBeside(baseline?.summary));
  const at = turns.findIndex((one) => one.id === id);
  const own = turns[at];
  const past = at === -1 ? turns : turns.slice(0, at);
  const told = own ? [...past, { ...own, state: "answered", reply: null }] : past;
  const stretches = historyOf(told as readonly PastTurn[], baseline, receiver);
  const ours = own ? stretches.pop() : undefined;
  session.baseline = baseline;
  session.stretches = stretches;
  session.readFor = receiver.name;
  session.sentMessages = 0;
  session.prefix = null;
  session.lastRequestAt = null;
  if (progress.inputAdded && ours) progress.messages = ours.messages;
  progress.rebuildReason = baseline === null ? undefined : "the model changed";
}
