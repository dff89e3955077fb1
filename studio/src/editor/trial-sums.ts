import type { TrialAnswer } from "charter/answers";

type Turn = TrialAnswer["turns"][number];

/** What all requests come to, before and after; a price is known where all of theirs are. */
export function sumOf(turns: readonly Turn[]) {
  const sum = (of: (turn: Turn) => Turn["before"]) => ({
    tokens: turns.reduce((all, turn) => all + of(turn).tokens, 0),
    cold: known(turns.map((turn) => of(turn).cold)),
    warm: known(turns.map((turn) => of(turn).warm)),
  });
  return {
    before: sum(({ before }) => before),
    after: sum(({ after }) => after),
    over: turns.filter(({ over }) => over !== null).length,
    same: turns.filter(({ changed }) => !changed).length,
    cut: turns.filter(({ cut }) => cut).length,
  };
}

function known(prices: readonly (number | null)[]): number | null {
  return prices.reduce<number | null>((all, one) => (all === null || one === null ? null : all + one), 0);
}
