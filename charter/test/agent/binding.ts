import type { Message, ModelRequest, Native } from "../../src/delivery/model.ts";

/** The reasoning of a model's answer, with the number of the request that it answers. */
export function thought(request: number, model = "test/one"): Native {
  return { model, form: "test", content: [{ thought: request }] };
}

/** The number of the request whose reasoning a message gives back. */
export function thoughtIn(message: Message): number | undefined {
  if (message.role !== "assistant" || !message.native || !("content" in message.native)) return undefined;
  return (message.native.content as readonly { readonly thought: number }[])[0]?.thought;
}

/**
 * Answers whose reasoning a later request gives back behind other words than those it was given for: a provider that binds it
 * refuses them.
 */
export function brokenBindings(requests: readonly ModelRequest[]): string[] {
  return requests.flatMap((request, at) =>
    request.messages.flatMap((message, place) => {
      const given = thoughtIn(message);
      if (given === undefined) return [];
      const origin = requests[given - 1] as ModelRequest;
      const isBound = wordsOf(request, request.messages.slice(0, place)) === wordsOf(origin, origin.messages);
      return isBound ? [] : [`request ${at + 1} has the reasoning of request ${given} behind other words`];
    }),
  );
}

function wordsOf({ tools, system }: ModelRequest, messages: readonly (Message & { breakpoint?: true })[]): string {
  const plain = messages.map(({ breakpoint: _, ...message }) => message);
  return JSON.stringify([tools, system.map(({ text }) => text).join(""), plain]);
}
