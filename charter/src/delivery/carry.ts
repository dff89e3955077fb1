import type { Message } from "./model.ts";

/**
 * What a history comes to after each of its messages: a sum, a digest. The next request of a session has the same history
 * and a few messages more, so what was worked out for the messages that are the same objects is carried over: comparing
 * them costs next to nothing. `facts[n]` is what the first n messages come to; it is right until the next call.
 */
export function carry<Fact>(
  start: Fact,
  step: (before: Fact, message: Message) => Fact,
): (messages: readonly Message[]) => readonly Fact[] {
  // A session is known by its first message: what is kept of it goes with that.
  const sessions = new WeakMap<Message, { readonly messages: Message[]; readonly facts: Fact[] }>();
  return (messages) => {
    const [first] = messages;
    if (first === undefined) return [start];
    const known = sessions.get(first) ?? { messages: [], facts: [start] };
    sessions.set(first, known);
    let same = 0;
    while (same < known.messages.length && known.messages[same] === messages[same]) same++;
    known.messages.length = same;
    known.facts.length = same + 1;
    for (const message of messages.slice(same)) {
      known.facts.push(step(known.facts.at(-1) as Fact, message));
      known.messages.push(message);
    }
    return known.facts;
  };
}

/** One of these for each value that it depends on, such as the tokenizer it counts with. */
export function carryBy<Key extends object, Fact>(
  start: Fact,
  step: (key: Key) => (before: Fact, message: Message) => Fact,
): (key: Key, messages: readonly Message[]) => readonly Fact[] {
  const all = new WeakMap<Key, ReturnType<typeof carry<Fact>>>();
  return (key, messages) => {
    const one = all.get(key) ?? carry(start, step(key));
    all.set(key, one);
    return one(messages);
  };
}
