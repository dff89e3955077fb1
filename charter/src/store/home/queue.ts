import { Problem } from "../../prompt/problem.ts";
import type { Home } from "./database.ts";
import { raw } from "./sql.ts";

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

/** Whether the disk of a home has room for what is written. */
type Room = {
  /** Notes when a write failed for want of room. */
  readonly noted: <Result>(write: Promise<Result>) => Promise<Result>;
  readonly lacking: Home["lacksRoom"];
};

/** Writes a row as it is: many a transaction writes nothing, and is kept also where there is no room. */
const probe = raw("update agents set updated_at = updated_at where name = (select min(name) from agents)");

/** `write`: the home's own, whose failures are noted here. */
export function createRoom(write: Home["write"]): Room {
  let problem: Problem | undefined;
  return {
    noted: async (writing) => {
      try {
        return await writing;
      } catch (error) {
        if (error instanceof Problem && error.code === "disk-full") problem = error;
        throw error;
      }
    },
    lacking: async () => {
      if (problem === undefined) return undefined;
      problem = undefined;
      await write("everything", (db) => db.run(probe)).catch(() => {});
      return problem;
    },
  };
}
