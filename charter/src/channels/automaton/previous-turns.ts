import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import { counterpartKey } from "../../store/conversations/inbox-row.ts";
import { messageTaken } from "../../store/event.ts";
import type { Store } from "../../store/store.ts";
import type { PreviousCall, PreviousTurn } from "./message-input.ts";

/** The turns that had messages of this batch before, oldest first, and what they called, from the steps on record. */
export async function previousTurns(store: Store, messages: readonly InboxMessage[]): Promise<readonly PreviousTurn[]> {
  const tried = new Map<string, string[]>();
  for (const { id, failures } of messages)
    for (const { turn } of failures) if (turn !== null) tried.set(turn, [...(tried.get(turn) ?? []), id]);
  if (tried.size === 0) return [];
  const taken = (await store.events.ofTurns([...tried.keys()])).filter(({ kind }) => kind === messageTaken);
  const here = new Set(messages.map(({ sender }) => counterpartKey(sender)));
  return Promise.all(
    [...tried].map(async ([turn, ids]) => {
      const whose = taken.filter((event) => event.turn === turn).map(({ scope }) => scope.user);
      // Where it is not known any more whose messages it had, they may have been anyone's.
      const shared = whose.length === 0 || whose.some((user) => user === undefined || !here.has(user));
      return { messages: ids, shared, calls: await callsOf(store, turn) };
    }),
  );
}

async function callsOf(store: Store, turn: string): Promise<readonly PreviousCall[]> {
  const steps = await store.steps.of(turn);
  return steps.flatMap(({ result }) => {
    const { answer, results = [] } = result ?? {};
    return (answer?.calls ?? []).map(({ id, name, input }): PreviousCall => {
      const came = results.find(({ call }) => call === id);
      const about = came ? { output: came.output, ...(came.failed ? { failed: true as const } : {}) } : {};
      return { name, input, ...about };
    });
  });
}
