import { Problem } from "../../prompt/problem.ts";

type Places = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** How long anyone waits for what others have, before they are told that it is busy. */
export const defaultPatience = 60_000;

/**
 * So many at once; whoever comes when all places are taken waits for one, in the order they came. Waiting too long says
 * nothing about the database, only that this process asks more of it than it has places for. `what` names the places.
 */
export function createPlaces(count: number, what: string, patience = defaultPatience): Places {
  const waiting = new Set<() => void>();
  let free = count;
  const freed = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(allTaken(count, what, patience));
      }, patience);
      const take = () => {
        waiting.delete(take);
        clearTimeout(timer);
        resolve();
      };
      waiting.add(take);
    });
  return async (work) => {
    if (free > 0) free--;
    else await freed();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else free++;
    }
  };
}

function allTaken(count: number, what: string, patience: number): Problem {
  return new Problem(
    "store-busy",
    `All ${count} ${what} were in use for ${patience / 1000} seconds.`,
    "Try again in a moment. If it stays so, ask for less at once, or use more processes.",
  );
}

/** One after the other, in the order they came; one that fails does not stop the next. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}
