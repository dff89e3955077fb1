import { reasonOf } from "../../prompt/problem.ts";

/** Told why something failed that nobody waited for. */
type OnUnhandled = (because: string) => void;

let running: ReturnType<typeof listenOnce> | undefined;

/**
 * Runs code of an extension. What it leaves running and nobody waits for (a promise, a timer) may fail later: that is
 * its owner's to tell, and ends no process. Whatever fails elsewhere ends the process as ever. (Before Node 24 nobody
 * can say whose a failing `queueMicrotask` was: it ends the process, too.)
 */
export function catchUnhandled<Result>(owner: OnUnhandled, work: () => Result): Result {
  running ??= listenOnce();
  return running.run(owner, work);
}

/** For good: what was left running may fail long after its extension was closed. */
function listenOnce() {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<OnUnhandled>();
  // Where nobody else hears of a rejection, Node makes an exception of it.
  const hear = (error: unknown) => {
    const owner = storage.getStore();
    if (owner !== undefined) owner(becauseOf(error));
    else if (process.listenerCount("uncaughtException") === 1)
      setImmediate(() => {
        process.off("uncaughtException", hear);
        throw error;
      });
  };
  process.on("uncaughtException", hear);
  return storage;
}

/** Node wraps what is no error into many words, of which the last are its own. */
function becauseOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const [, reason] = code === "ERR_UNHANDLED_REJECTION" ? (/reason "([\s\S]*)"\.$/.exec(String(message)) ?? []) : [];
  return reason ?? reasonOf(error);
}
