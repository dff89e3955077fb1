/** The turns this process takes over HTTP, by their ids: those it can stop. Others' only their own process can. */
export type RunningTurns = {
  readonly begun: (turn: string, controller: AbortController) => void;
  readonly over: (turn: string) => void;
  /** Whether there was such a turn to stop. */
  readonly stop: (turn: string) => boolean;
};

export function createRunningTurns(): RunningTurns {
  const running = new Map<string, AbortController>();
  return {
    begun: (turn, controller) => running.set(turn, controller),
    over: (turn) => running.delete(turn),
    stop: (turn) => {
      const found = running.get(turn);
      found?.abort();
      return found !== undefined;
    },
  };
}
