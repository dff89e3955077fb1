import { isRunnerGone } from "../../agent/runner.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { findTurn } from "../find-turn.ts";
import type { Life } from "./life.ts";
import { isForOneMessage } from "./message-input.ts";
import { draftsOf, messageOutcome, type TurnResult } from "./message-outcome.ts";

/**
 * Sees to the messages that a turn took and never finished, because its process died or its store went away. A turn that
 * was answered is not asked again: its replies go out from the record. One that still runs elsewhere is left alone.
 */
export async function recoverMessages(life: Life): Promise<void> {
  const { host, agent, log } = life;
  const { inbox } = host.store;
  const taken = Map.groupBy(await inbox.listTaken(agent), ({ turn }) => turn ?? "");
  for (const [turn, messages] of taken) {
    const record = await endedTurn(life, turn);
    if (record?.state === "running") continue;
    const outcome = messageOutcome(messages, resultOf(record, messages));
    const { replies, refused } = await inbox.finish({ agent, turn, ...outcome });
    log("recovered", { turn, messages: messages.length, replies: replies.length, lost: refused.length });
  }
}

/** The turn as it is now; one whose process is gone is marked as interrupted first. */
async function endedTurn({ host, agent }: Life, id: string): Promise<Turn | undefined> {
  const turn = await findTurn(host.store, id);
  if (turn?.state !== "running") return turn;
  await host.store.turns.interruptAbandoned({ agent, isGone: isRunnerGone });
  return findTurn(host.store, id);
}

function resultOf(turn: Turn | undefined, messages: readonly InboxMessage[]): TurnResult {
  const nothing = { reply: null, alone: true, noted: new Map<string, string>() };
  if (!turn) return { ...nothing, state: "failed", problem: neverBegun };
  const { state, reply, input } = turn;
  const alone = isForOneMessage(input);
  if (state !== "answered") return { ...nothing, state, ...(state === "failed" ? { problem: endedBadly } : {}) };
  return { state, reply, alone, noted: alone ? nothing.noted : draftsOf(messages) };
}

const neverBegun = { code: "worker-lost", message: "The process that took it did not come back." };
const endedBadly = { code: "turn-failed", message: "The turn gave no answer, and its process did not say why." };
