import { expect, test } from "vitest";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { Store } from "../../store/store.ts";
import { previousTurns } from "./round.ts";

const call = { id: "c1", name: "pay", input: "{}" };
const result = { answer: { text: "", calls: [call] }, results: [{ call: "c1", name: "pay", output: "Paid." }] };

/** A store in which each turn had messages of these senders, and called the same. */
function storeOf(taken: Readonly<Record<string, readonly string[]>>): Store {
  const ofTurns = async (turns: readonly string[]) =>
    turns.flatMap((turn) =>
      (taken[turn] ?? []).map((user) => ({ turn, kind: "message-taken", scope: { agent: "nova", user } })),
    );
  const parts = { events: { ofTurns }, steps: { of: async () => [{ result }, { result: null }] } };
  return parts as unknown as Store;
}

function message(id: string, sender: string, turns: readonly (string | null)[]): InboxMessage {
  const failures = turns.map((turn) => ({ at: "", turn, because: "" }));
  return { id, sender, failures } as unknown as InboxMessage;
}

const calls = [{ name: "pay", input: "{}", output: "Paid." }];

test("a turn that had messages of others too is shared; so is one of which it is not known any more", async () => {
  const taken = { t1: ["counterpart:shop/bo"], t2: ["counterpart:shop/bo", "counterpart:shop/eva"] };
  const batch = [message("m1", "shop/bo", ["t1", "t2", null]), message("m2", "shop/bo", ["t2", "t3"])];
  expect(await previousTurns(storeOf(taken), batch)).toEqual([
    { messages: ["m1"], shared: false, calls },
    { messages: ["m1", "m2"], shared: true, calls },
    { messages: ["m2"], shared: true, calls },
  ]);
  expect(await previousTurns(storeOf(taken), [...batch, message("m3", "shop/eva", [])])).toMatchObject([
    { shared: false },
    { shared: false },
    { shared: true },
  ]);
});

test("messages that were never tried have no earlier turns", async () => {
  expect(await previousTurns(storeOf({}), [message("m1", "shop/bo", [null])])).toEqual([]);
});
