import type { ConversationListAnswer, TurnAnswer } from "charter/answers";

/** Someone an agent has spoken with: a user in turns, a sender of letters, or both. */
export type Counterpart = {
  readonly name: string;
  /** Where their turns came from, the latest first. */
  readonly channels: readonly string[];
  /** How many of the turns looked at are theirs. */
  readonly turns: number;
  /** How many exchanges by letter are kept. */
  readonly letters: number;
  readonly lastAt: string;
  /** What they said last themselves. What a schedule says in their name is not it. */
  readonly last: string | undefined;
};

type Spoken = Pick<TurnAnswer, "scope" | "channel" | "input" | "startedAt">;

/** Where turns that come by themselves are taken. */
export const scheduled = "scheduled";

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
      name: scope.user,
      channels: channel === null || channels.includes(channel) ? channels : [...channels, channel],
      turns: (before?.turns ?? 0) + 1,
      letters: 0,
      lastAt: before?.lastAt ?? startedAt,
      last: before?.last ?? (channel === scheduled ? undefined : input),
    });
  }
  for (const { counterpart, exchanges, lastAt } of letters) {
    const before = found.get(counterpart);
    const latest = before && before.lastAt > lastAt ? before.lastAt : lastAt;
    const none = { name: counterpart, channels: [], turns: 0, last: undefined };
    found.set(counterpart, { ...none, ...before, letters: exchanges, lastAt: latest });
  }
  return [...found.values()].sort((one, other) => (one.lastAt < other.lastAt ? 1 : one.lastAt > other.lastAt ? -1 : 0));
}
