import type { Request } from "./cache-sim.ts";
import type { Trace } from "./trace.ts";

/**
 * In how many of the turns in which only state changed the bytes before the tail changed as well: all that the request
 * before sent ahead of its tail has to be the beginning of this one.
 */
export function prefixChanges({ turns, steps }: Trace, requests: readonly Request[]): number {
  return turns.filter(
    ({ changed }, turn) =>
      changed.length === 0 &&
      requests
        .slice(turn * steps, (turn + 1) * steps)
        .some((request, step) => !continues(request, requests[turn * steps + step - 1] ?? [])),
  ).length;
}

function continues(request: Request, before: Request): boolean {
  return before
    .filter(({ tail }) => !tail)
    .every(({ role, text }, place) => request[place]?.role === role && request[place]?.text === text);
}
