import type { ConversationListAnswer, TurnAnswer } from "charter/answers";
import { counterpartKey } from "../../kit/counterpart.ts";

/** Someone an agent has spoken with: a user in turns, or a sender of letters, in turns that answered them. */
export type Counterpart = {
  /** A user's name, or the key of a sender: one of each may be called the same, and they are two. */
  readonly key: string;
  /** Where their turns came from, the latest first. */
  readonly channels: readonly string[];
  /** How many of the turns looked at are theirs. */
  readonly turns: number;
  /** How many exchanges by letter are kept. */
  readonly letters: number;
  readonly lastAt: string;
  /** What they said last themselves. What a schedule says in their name is not it, nor what a turn is told about letters. */
  readonly last: string | undefined;
};

type Spoken = Pick<TurnAnswer, "scope" | "channel" | "input" | "startedAt">;

/** Who speaks in turns that come by themselves, by where those are taken. */
export const byItself: Readonly<Record<string, string>> = { scheduled: "a schedule", automaton: "what it was told" };

/** By counterpart, the latest first, out of the agent's newest turns (newest first) and its letters. */
export function counterpartsOf(
  turns: readonly Spoken[],
  letters: ConversationListAnswer["conversations"],
): readonly Counterpart[] {
  const found = new Map<string, Counterpart>();
  for (const { scope, channel, input, startedAt } of turns) {
    if (scope.user === undefined) continue;
    const before = found.get(scope.user);
    const channels = before?.channels ?? [];
    found.set(scope.user, {
      key: scope.user,
      channels: channel === null || channels.includes(channel) ? channels : [...channels, channel],
      turns: (before?.turns ?? 0) + 1,
      letters: 0,
      lastAt: before?.lastAt ?? startedAt,
      last: before?.last ?? (channel !== null && channel in byItself ? undefined : input),
    });
  }
  for (const { counterpart, exchanges, lastAt } of letters) {
    const key = counterpartKey(counterpart);
    const before = found.get(key);
    const latest = before && before.lastAt > lastAt ? before.lastAt : lastAt;
    const none = { key, channels: [], turns: 0, last: undefined };
    found.set(key, { ...none, ...before, letters: exchanges, lastAt: latest });
  }
  return [...found.values()].sort((one, other) => (one.lastAt < other.lastAt ? 1 : one.lastAt > other.lastAt ? -1 : 0));
}
