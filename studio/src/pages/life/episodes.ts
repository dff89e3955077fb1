import type { Life } from "./obstacles.ts";

type Transition = Life["transitions"][number];

/** What belongs together in the changes of a state: those of one turn, or one that was in none. */
export type Episode = {
  readonly turn: string | null;
  /** When and why its last change came. */
  readonly at: string;
  readonly cause: string;
  /** The states it went through, in their order. */
  readonly states: readonly string[];
  /** What was not foreseen. */
  readonly faults: readonly string[];
};

/** Both newest first. */
export function episodesOf(transitions: readonly Transition[]): readonly Episode[] {
  const all: Episode[] = [];
  for (const { turn, at, cause, to, fault } of transitions) {
    const last = all.at(-1);
    const faults = fault ? [cause] : [];
    if (last && turn !== null && last.turn === turn)
      all[all.length - 1] = { ...last, states: [to, ...last.states], faults: [...faults, ...last.faults] };
    else all.push({ turn, at, cause, states: [to], faults });
  }
  return all;
}
