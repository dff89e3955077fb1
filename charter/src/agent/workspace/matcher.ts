import { Worker } from "node:worker_threads";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { MatchReply, MatchRequest } from "./matcher-worker.ts";

/**
 * Regular expressions in a thread of their own: one that takes for ever holds up nobody, and can be stopped. That is why
 * globs go this way, too: they are regular expressions in the end.
 */
export type Matcher = {
  /** Which texts match as a whole. */
  readonly texts: (regex: RegExp, texts: readonly string[]) => Promise<readonly boolean[]>;
  /** Which lines of each text match, counted from 0, and so many in all. */
  readonly lines: (regex: RegExp, texts: readonly string[], max: number) => Promise<readonly (readonly number[])[]>;
  readonly close: () => Promise<unknown>;
};

/** When the signal comes, the thread is stopped, and whoever waits for it is told. */
export function createMatcher(signal: AbortSignal): Matcher {
  const worker = new Worker(workerFile(), {
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  let settle: ((answer: MatchReply) => void) | undefined;
  const answered = (answer: MatchReply) => {
    settle?.(answer);
    settle = undefined;
  };
  worker.on("message", answered);
  worker.on("error", (error) => answered({ fault: reasonOf(error) }));
  worker.on("exit", () => answered({ fault: "the search was stopped" }));
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();

  const ask = async (question: MatchRequest) => {
    if (question.texts.length === 0) return [];
    const answer = await new Promise<MatchReply>((resolve) => {
      settle = resolve;
      if (signal.aborted) answered({ fault: "the search was stopped" });
      else worker.postMessage(question);
    });
    if ("found" in answer) return answer.found;
    throw new Problem("bad-pattern", `The pattern cannot be searched for: ${answer.fault}.`, "Write a simpler one.");
  };
  return {
    texts: async ({ source, flags }, texts) => (await ask({ source, flags, texts })).map((found) => found.length > 0),
    lines: ({ source, flags }, texts, max) => ask({ source, flags, texts, lines: max }),
    close: () => {
      signal.removeEventListener("abort", stop);
      return worker.terminate();
    },
  };
}

/** Beside this file, in the source as in the package that is built of it. */
function workerFile(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./matcher-worker.${ending}`, import.meta.url);
}
