import { expect } from "vitest";
import { replayRequest } from "../../src/agent/replay.ts";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { historyDigest } from "../../src/delivery/prediction.ts";
import type { Store } from "../../src/store/index.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { systemOf } from "./model.ts";

/** What each step of a turn kept is, byte for byte and mark for mark, what the model was given. */
export async function provesRequests(store: Store, turn: string, requests: readonly ModelRequest[]): Promise<void> {
  const steps = await store.steps.of(turn);
  expect(steps).toHaveLength(requests.length);
  for (const [index, request] of requests.entries()) {
    const { receipt, slots } = await store.steps.replay(turn, index + 1);
    const [system, ...others] = slots;
    expect(system?.text).toBe(systemOf(request));
    const said = others.map(({ message, text }: { message?: number; text: string }) => ({ message, text }));
    expect(said).toEqual(said.map(({ message }) => ({ message, text: textAt(request, message as number) })));

    const count = receipt.history?.messages as number;
    const history = request.messages.slice(0, count).map(({ breakpoint: _, ...message }) => message);
    expect(receipt.history?.digest).toBe(historyDigest(history, sha256));
    const tail = request.messages.slice(count);
    expect(tail.map((_, place) => count + place)).toEqual(
      slots.flatMap(({ slot, message }: { slot: string; message?: number }) => (slot === "state" ? [message] : [])),
    );
    const marked = request.messages.flatMap(({ breakpoint }, place) => (breakpoint ? [place + 1] : []));
    expect(receipt.history?.breakpoints).toEqual(marked);
    // A receiver that keeps the conversation is told which one it is; that is not part of what is said.
    const { session: _, ...asked } = request;
    expect((await replayRequest(store, turn, index + 1)).request).toEqual(asked);
  }
}

function textAt({ messages }: ModelRequest, index: number): string | undefined {
  const message = messages[index];
  return message && "text" in message ? message.text : undefined;
}
