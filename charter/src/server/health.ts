import type { Hono } from "hono";
import { Problem } from "../prompt/problem.ts";
import type { Home } from "../store/home/database.ts";
import type { Store } from "../store/store.ts";
import type { ApiEnv } from "./api.ts";
import type { Log } from "./observe/log.ts";

/** Reason why a server is not ready. Anyone may ask for it, so it has a code and no names. */
type NotReady = { readonly code?: string; readonly message?: string };

/** Checks whether the store answers: at most once a second, however many ask. Missing files are noticed at once. */
export function readiness(store: Store, now: () => number, timeoutMs = 2_000): () => Promise<NotReady | undefined> {
  let last: { readonly at: number; readonly answer: Promise<NotReady | undefined> } | undefined;
  const ask = async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<NotReady>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, silent);
    });
    // A query of our own tables, because a database that was created anew would answer, but lack them.
    const query = store.agents.find("health");
    return Promise.race([query.then(() => store.home.lacksRoom()).then((full) => full && notReady(full)), late])
      .catch(notReady)
      .finally(() => clearTimeout(timer));
  };
  return async () => {
    const lost = store.home.storageLost();
    if (lost) return notReady(lost);
    if (!last || now() - last.at >= 1_000) last = { at: now(), answer: ask() };
    return last.answer;
  };
}

function notReady(error: unknown): NotReady {
  const code = error instanceof Problem ? error.code : "";
  const message = reasons[code];
  return message === undefined ? {} : { code, message };
}

const reasons: Readonly<Record<string, string>> = {
  "store-gone": "The database was deleted or replaced under this server.",
  "disk-full": "There is no room left on the disk of the database.",
};
const silent: NotReady = {};

type Health = {
  readonly ready: () => Promise<NotReady | undefined>;
  readonly lostLines: () => number;
  readonly closing: AbortSignal;
};

/**
 * Serves two checks. Alive: the process answers, with the number of log lines it lost. Ready: it can work. Neither tells more
 * than that the store is gone or full.
 */
export function serveHealth(app: Hono<ApiEnv>, { ready, lostLines, closing }: Health): void {
  app.get("/health", (context) => {
    const lost = lostLines();
    return context.json({ ok: true, ...(lost > 0 && { lostLogLines: lost }) });
  });
  app.get("/health/ready", async (context) => {
    const not = closing.aborted ? {} : await ready();
    if (!not) return context.json({ ok: true }, 200);
    if (not.code !== undefined) context.set("code", not.code);
    return context.json({ ok: false, ...not }, 503);
  });
}

/** Interval in milliseconds: long enough to cost nothing, short enough to notice in time. */
const checkIntervalMs = 250;

/** Logs a line when the store's files disappear under this process, and one when they are back. */
export function watchStore({ storageLost }: Pick<Home, "storageLost">, log: Log): () => Promise<void> {
  let before: string | undefined;
  const timer = setInterval(() => {
    const problem = storageLost();
    if (problem?.message === before) return;
    before = problem?.message;
    if (problem) log({ kind: "store-gone", code: problem.code, message: problem.message, hint: problem.hint });
    else log({ kind: "store-back" });
  }, checkIntervalMs);
  timer.unref();
  return async () => clearInterval(timer);
}
