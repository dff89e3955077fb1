import type { Scope } from "../../amend/amendment.ts";
import { preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import { counterpartOf, isCounterpart } from "../../store/conversations/inbox-row.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import { findTurn } from "../find-turn.ts";
import type { Life } from "./life.ts";
import { approvedInput } from "./message-input.ts";
import { type LeasedTurnEnd, performTurn, turnFacts } from "./perform-turn.ts";
import { createStateChanges } from "./state-changes.ts";

/** What a person approved and nobody's next turn would run: calls of counterparts and of the agent itself, by scope. */
export async function approvedCalls({ host, agent }: Life): Promise<readonly (readonly HeldCall[])[]> {
  const calls: HeldCall[] = [];
  for (const limit = 200; ; ) {
    const page = await host.store.calls.list({ agent, status: "approved", limit, offset: calls.length });
    calls.push(...page);
    if (page.length < limit) break;
  }
  // A user's run with that user's next turn, in front of the user.
  const own = calls.filter(({ scope: { user } }) => user === undefined || isCounterpart(user));
  return [...Map.groupBy(own, ({ scope }) => scope.user ?? "").values()];
}

/** Takes a turn for the approved calls of one scope. `made`: they are not approved any more, but done or failed. */
export async function takeApprovedTurn(
  life: Life,
  calls: readonly HeldCall[],
): Promise<LeasedTurnEnd & { readonly made: boolean }> {
  const { host, agent, clock, log } = life;
  const [first] = calls as [HeldCall, ...HeldCall[]];
  const { user } = first.scope;
  const id = `${life.newId()}${callMark}${first.id}`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  await host.store.automata.record(agent, state.take());
  const input = approvedInput(user === undefined ? undefined : counterpartOf(user));
  const end = await performTurn(life, { id, input, ...(user === undefined ? {} : { user }) }, state);
  if (end.lost) return { ...end, made: true };
  const made = (await host.store.calls.get(first.id)).status !== "approved";
  if (made) await recordExchange(life, first.scope, { id, calls, ...end });
  state.note(end.state === "answered" ? "turn-finished" : "turn-failed", id);
  await host.store.automata.record(agent, state.take());
  log("turn", { ...turnFacts(end), calls: calls.length });
  return { ...end, made };
}

const callMark = "-call-";

/** A turn for approved calls whose process died: what it came to is told in the conversation all the same. */
export async function recoverApprovedTurn(life: Life, turn: string | null): Promise<void> {
  const held = turn?.split(callMark)[1];
  if (turn === null || held === undefined) return;
  const { host, agent } = life;
  const record = await findTurn(host.store, turn);
  const call = await host.store.calls.get(held);
  const { user } = call.scope;
  if (!record || record.state === "erased" || call.status === "approved" || user === undefined) return;
  const { exchanges = [] } = (await host.store.conversations.read(agent, user)) ?? {};
  if (exchanges.some(({ inbox_message_id: id }) => id === exchangeId(call))) return;
  await recordExchange(life, call.scope, { id: turn, calls: [call], state: record.state, reply: record.reply });
}

type Approved = {
  readonly id: string;
  readonly calls: readonly HeldCall[];
  readonly state: string;
  readonly reply: string | null;
};

/** The counterpart's next turn reads it. Nothing is sent: nobody had asked. */
async function recordExchange({ host, agent }: Life, { user }: Scope, approved: Approved): Promise<void> {
  if (user === undefined) return;
  const { id: turn, calls, state, reply } = approved;
  const words = calls.map(({ tool, input }) => `${tool} ${quoted(preview(JSON.stringify(input), 200))}`).join(", ");
  await host.store.conversations.record(agent, counterpartOf(user), {
    message: exchangeId(calls[0] as HeldCall),
    body: `(no message: a person approved ${words})`,
    reply: reply !== null && reply.trim() !== "" ? reply : `(no answer: the turn was ${state})`,
    turn,
  });
}

function exchangeId({ id }: HeldCall): string {
  return `call:${id}`;
}
