/** The turns this process takes over HTTP, by their ids: those it can stop. Others' only their own process can. */
export type StoppableTurns = {
  readonly add: (turn: string, controller: AbortController) => void;
  readonly remove: (turn: string) => void;
  /** Whether there was such a turn to stop. */
  readonly stop: (turn: string) => boolean;
};

export function createStoppableTurns(): StoppableTurns {
  const running = new Map<string, AbortController>();
  return {
    add: (turn, controller) => running.set(turn, controller),
    remove: (turn) => running.delete(turn),
    stop: (turn) => {
      const found = running.get(turn);
      found?.abort();
      return found !== undefined;
    },
  };
}
