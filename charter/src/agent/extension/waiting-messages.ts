import type { AddedMessage } from "./added-message.ts";

/** A message an extension sent: it stands with the input of the next turn. */
type WaitingMessage = AddedMessage & { readonly owner: string; readonly user: string | undefined | typeof anyone };

/** Sent outside every turn: whoever speaks next is meant. */
export const anyone = Symbol("anyone");

const limits = { messages: 100, bytes: 100_000 };

export type WaitingMessages = {
  /** Why there is no room for it, or nothing. */
  readonly add: (message: WaitingMessage) => string | undefined;
  /** Those for this user, in the order they were sent. They are given once. */
  readonly drain: (user: string | undefined) => readonly AddedMessage[];
  readonly dropAll: (owner?: string) => void;
};

export function createWaitingMessages(): WaitingMessages {
  let waiting: readonly WaitingMessage[] = [];
  return {
    add: (message) => {
      const bytes = [...waiting, message].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      if (waiting.length >= limits.messages) return `${limits.messages} messages wait already`;
      if (bytes > limits.bytes) return `with it more than ${limits.bytes} bytes would wait`;
      waiting = [...waiting, message];
      return undefined;
    },
    drain: (user) => {
      const isFor = (one: WaitingMessage) => one.user === anyone || one.user === user;
      const taken = waiting.filter(isFor).map(({ customType, text }) => ({ customType, text }));
      waiting = waiting.filter((one) => !isFor(one));
      return taken;
    },
    dropAll: (owner) => {
      waiting = owner === undefined ? [] : waiting.filter((one) => one.owner !== owner);
    },
  };
}
