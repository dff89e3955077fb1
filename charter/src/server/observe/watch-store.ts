import type { Home } from "../../store/home/database.ts";
import type { Log } from "./log.ts";

/** Seldom enough to cost nothing, often enough that nobody is told too late. */
const everyMs = 250;

/** A line in the log when the files of the store are gone under this process, and one when they are back. */
export function watchStore({ storageLost }: Pick<Home, "storageLost">, log: Log): () => Promise<void> {
  let before: string | undefined;
  const timer = setInterval(() => {
    const problem = storageLost();
    if (problem?.message === before) return;
    before = problem?.message;
    if (problem) log({ kind: "store-gone", code: problem.code, message: problem.message, hint: problem.hint });
    else log({ kind: "store-back" });
  }, everyMs);
  timer.unref();
  return async () => clearInterval(timer);
}
