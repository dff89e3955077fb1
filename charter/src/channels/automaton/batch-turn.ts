import { counterpartKey } from "../../store/conversations/inbox-row.ts";
import type { Life } from "./life.ts";
import { messageInput } from "./message-input.ts";
import { draftsOf, messageOutcome } from "./message-outcome.ts";
import { type LeasedTurnEnd, performTurn, turnFacts } from "./perform-turn.ts";
import { previousTurns } from "./previous-turns.ts";
import { createStateChanges } from "./state-changes.ts";

/** Messages of so many at most are in one turn. */
const limit = 10;

/** Takes a turn with the messages of whoever is next; nothing, if nobody waits. */
export async function takeBatchTurn(life: Life): Promise<LeasedTurnEnd | undefined> {
  const { host, agent, clock, counterparts, log } = life;
  const { inbox } = host.store;
  const id = `${life.newId()}-inbox`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  const messages = await inbox.claim(agent, id, { limit, counterparts, changes: state.take(), runner: life.runner });
  if (messages.length === 0) return undefined;
  const senders = new Set(messages.map(({ sender }) => counterpartKey(sender)));
  const end = await performTurn(
    life,
    {
      ...{ id, input: messageInput(messages, await previousTurns(host.store, messages)), foreign: true },
      ...(senders.size === 1 ? { user: [...senders][0] as string } : {}),
      // Erased meanwhile, they are not written down again.
      isStillWanted: async () => (await inbox.countHeld(agent, id, life.runner)) === messages.length,
    },
    state,
  );
  if (end.lost) return end;
  const alone = messages.length === 1;
  const noted = alone || end.state !== "answered" ? new Map<string, string>() : draftsOf(await inbox.heldBy(agent, id));
  state.note(end.state === "answered" ? "turn-finished" : "turn-failed", id);
  const outcome = messageOutcome(messages, { ...end, alone, noted });
  const { replies, refused } = await inbox.finish({ agent, turn: id, ...outcome, changes: state.take() });
  log("turn", { ...turnFacts(end), messages: messages.length, replies: replies.length, lost: refused.length });
  return end;
}
