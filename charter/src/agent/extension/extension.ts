import { reasonOf } from "../../prompt/problem.ts";
import type { CallContexts } from "./call-context.ts";
import { type ExtensionFault, type ReportFault, sentence } from "./fault.ts";

/** The events an extension can listen to, as pi names them. */
export const eventNames = [
  "input",
  "before_agent_start",
  "context",
  "tool_call",
  "tool_result",
  "resources_discover",
] as const;

export type EventName = (typeof eventNames)[number];

export type Handler = (event: never, ctx: object) => unknown;

/** One extension while it lives: what it listens to, and how it is spoken of. */
export type Extension = {
  readonly path: string;
  /** Its file's name, with its directory's where the file is only an index. */
  readonly name: string;
  readonly handlers: { readonly event: EventName; readonly handler: Handler }[];
  readonly reportFault: ReportFault;
  /** Runs code of it: what that leaves running and nobody waits for is told when it fails. */
  readonly run: <Result>(work: () => Result) => Result;
  /** What its handlers and tools are given to look around with. */
  ctx: object;
  /** It could not be loaded, or was closed: nothing it does has an effect any more. */
  closed: boolean;
};

export function extensionName(path: string): string {
  const { basename, dirname, join } = process.getBuiltinModule("node:path");
  const name = basename(path);
  return /^index\.\w+$/.test(name) ? join(basename(dirname(path)), name) : name;
}

/** A fault as a sentence. */
export function faultText({ extension, message }: Pick<ExtensionFault, "extension" | "message">): string {
  return `The extension “${extensionName(extension)}” ${message}`;
}

/** What would be said over and over, though the extension did it once. */
const once: readonly string[] = ["beyond", "stray"];

/** What is said against it is reported, in a turn also as a notice of it. */
export function createExtension(
  path: string,
  occasions: CallContexts,
  report: (fault: ExtensionFault) => void,
): Extension {
  const name = extensionName(path);
  const told = new Set<string>();
  const extension: Extension = {
    path,
    name,
    handlers: [],
    ctx: {},
    closed: false,
    reportFault: (code, message) => {
      if (extension.closed || (once.includes(code) && told.has(message))) return;
      if (once.includes(code)) told.add(message);
      try {
        report({ extension: path, code, message });
      } catch {}
      occasions.current()?.notice({ code, message: faultText({ extension: path, message }) });
    },
    run: (work) =>
      catchUnhandled(
        (because) => extension.reportFault("stray", sentence(`left something running that failed: ${because}`)),
        work,
      ),
  };
  return extension;
}

/** Told why something failed that nobody waited for. */
type OnUnhandled = (because: string) => void;

let running: ReturnType<typeof listenOnce> | undefined;

/**
 * Runs code of an extension. What it leaves running and nobody waits for (a promise, a timer) may fail later: that is
 * its owner's to tell, and ends no process. Whatever fails elsewhere ends the process as ever. (Before Node 24 nobody
 * can say whose a failing `queueMicrotask` was: it ends the process, too.)
 */
function catchUnhandled<Result>(owner: OnUnhandled, work: () => Result): Result {
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
