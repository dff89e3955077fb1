import type { Message } from "../../delivery/model.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";

/** A message an extension added to a turn's input, with the kind it gave it. */
export type AddedMessage = { readonly customType: string; readonly text: string };

/** One message of the user's, and what extensions had added to it. */
type MessagePieces = { readonly own: string; readonly added: readonly AddedMessage[] };

/**
 * For a model, what is added stands in the user's message. For extensions it is a message of its own, by whose kind they
 * find it again: a stale one is left out when the next is added. So it is remembered what was added where.
 */
export type AddedMessages = {
  /** Finds what was added to this turn's input among its messages. */
  readonly note: (added: readonly AddedMessage[], messages: readonly Message[]) => void;
  readonly piecesOf: (text: string) => MessagePieces | undefined;
};

const maxKept = 1000;

export function createAddedMessages(): AddedMessages {
  const known = createBoundedMap<string, MessagePieces>(maxKept);
  return {
    note: (added, messages) => {
      const last = messages.findLast((one) => one.role === "user" && one.update === undefined);
      if (last?.role !== "user") return;
      let own = last.text;
      const taken: AddedMessage[] = [];
      // What came too late, or with an answer that was discarded, does not stand there.
      for (const one of added.toReversed()) {
        if (!own.endsWith(`\n\n${one.text}`)) continue;
        own = own.slice(0, -one.text.length - 2);
        taken.unshift(one);
      }
      if (taken.length > 0) known.set(last.text, { own, added: taken });
    },
    piecesOf: (text) => known.get(text),
  };
}
