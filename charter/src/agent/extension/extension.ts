import type { Message } from "../../delivery/model.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import { mended } from "../../prompt/sound.ts";

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

/** An extension while it lives: the events it listens to, and the name it is reported under. */
export type Extension = {
  readonly path: string;
  /** The name of its file, with the directory's where the file is only an index. */
  readonly name: string;
  readonly handlers: { readonly event: EventName; readonly handler: Handler }[];
  readonly reportFault: ReportFault;
  /** Runs its code. A failure of what that code leaves running, and nobody waits for, is reported. */
  readonly run: <Result>(work: () => Result) => Result;
  /** The context object that its handlers and tools are given. */
  ctx: object;
  /** Says that it could not be loaded or was closed, so that nothing it does has an effect any more. */
  closed: boolean;
};

export function extensionName(path: string): string {
  const { basename, dirname, join } = process.getBuiltinModule("node:path");
  const name = basename(path);
  return /^index\.\w+$/.test(name) ? join(basename(dirname(path)), name) : name;
}

/** Writes a fault as a sentence. */
export function faultText({ extension, message }: Pick<ExtensionFault, "extension" | "message">): string {
  return `The extension “${extensionName(extension)}” ${message}`;
}

/** Codes of faults that are reported once, since they would be repeated though the extension did one thing. */
const reportedOnce: readonly string[] = ["beyond", "stray"];

/** Creates an extension whose faults are reported, during a turn also as a notice of the turn. */
export function createExtension(
  path: string,
  callContexts: CallContexts,
  report: (fault: ExtensionFault) => void,
): Extension {
  const name = extensionName(path);
  const reported = new Set<string>();
  const extension: Extension = {
    path,
    name,
    handlers: [],
    ctx: {},
    closed: false,
    reportFault: (code, message) => {
      if (extension.closed || (reportedOnce.includes(code) && reported.has(message))) return;
      if (reportedOnce.includes(code)) reported.add(message);
      try {
        report({ extension: path, code, message });
      } catch {}
      callContexts.current()?.notice({ code, message: faultText({ extension: path, message }) });
    },
    run: (work) =>
      catchUnhandled(
        (because) => extension.reportFault("stray", sentence(`left something running that failed: ${because}`)),
        work,
      ),
  };
  return extension;
}

/** Gets the reason why something failed that nobody waited for. */
type OnUnhandled = (because: string) => void;

let unhandledErrors: ReturnType<typeof listenOnce> | undefined;

/**
 * Runs code of an extension. What it leaves running and nobody waits for (a promise, a timer) may fail later: that is reported to
 * its owner, and ends no process. Failures elsewhere end the process as ever. (Before Node 24 nobody can say whose a failing
 * `queueMicrotask` was: it ends the process, too.)
 */
function catchUnhandled<Result>(owner: OnUnhandled, work: () => Result): Result {
  unhandledErrors ??= listenOnce();
  return unhandledErrors.run(owner, work);
}

/** Listens for good: what was left running may fail long after its extension was closed. */
function listenOnce() {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<OnUnhandled>();
  // Node makes an exception of a rejection that nobody else handles.
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

/** Returns the reason of an error. Node wraps anything else that is thrown into many words, of which the last are its own. */
function becauseOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const [, reason] = code === "ERR_UNHANDLED_REJECTION" ? (/reason "([\s\S]*)"\.$/.exec(String(message)) ?? []) : [];
  return reason ?? reasonOf(error);
}

/** Codes of an extension's faults. Each is explained in docs/extensions.md. */
export const faultCodes = [
  "bad-call",
  "bad-result",
  "bad-tool",
  "beyond",
  "handler-failed",
  "load-failed",
  "load-time",
  "messages-full",
  "mutated",
  "no-default",
  "stray",
  "tool-replaced",
  "tool-twice",
  "tools-changed",
  "tools-unknown",
] as const;

/** The code of an extension's fault. Each is explained in docs/extensions.md. */
export type FaultCode = (typeof faultCodes)[number];

/** A mistake of an extension that its author should know about. The message continues a sentence that starts with its name. */
export type ExtensionFault = {
  /** The extension's path. */
  readonly extension: string;
  readonly code: FaultCode;
  readonly message: string;
};

/** Reports a fault of the one extension it was made for. */
export type ReportFault = (code: FaultCode, message: string) => void;

/** Ends a text with one full stop: what was thrown may have one or not. */
export function sentence(words: string): string {
  return `${words.trimEnd().replace(/\.$/, "")}.`;
}

/** The place where code of an extension runs: an event or a tool of one turn. */
type CallContext = {
  readonly turn: string;
  readonly user: string | null;
  /** The place in words: “tool_call”, “the tool todo”. */
  readonly where: string;
  readonly notice: (notice: Notice) => void;
};

/** A turn from the moment its prompt is known until it ends. */
type OpenTurn = {
  readonly user: string | null;
  prompt: string;
  /** Messages that extensions added to its input. */
  readonly added: AddedMessage[];
  /** Notices from its tools, kept until a hook can give them. */
  readonly notices: Notice[];
  /** Details of calls' results besides their text, by the call's id. */
  readonly details: Map<string, unknown>;
};

export type CallContexts = {
  readonly within: <Result>(occasion: CallContext, work: () => Result) => Result;
  /** Returns where the calling code runs, also after it waited for something; undefined outside a turn's hooks and tools. */
  readonly current: () => CallContext | undefined;
  readonly turns: Map<string, OpenTurn>;
};

export function createCallContexts(): CallContexts {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<CallContext>();
  return {
    within: (context, work) => storage.run(context, work),
    current: () => storage.getStore(),
    turns: new Map(),
  };
}

/** A message an extension added to a turn's input, with the kind it gave it. */
export type AddedMessage = { readonly customType: string; readonly text: string };

/** A message of the user's, and the messages extensions had added to it. */
type MessagePieces = { readonly own: string; readonly added: readonly AddedMessage[] };

/**
 * The messages that were added to inputs. For a model, an added message is part of the user's. For extensions it is a message of
 * its own, which they find by its kind: a stale one is left out when the next is added. So this remembers what was added where.
 */
export type AddedMessages = {
  /** Remembers which of these messages were added to the turn's input. */
  readonly note: (added: readonly AddedMessage[], messages: readonly Message[]) => void;
  readonly piecesOf: (text: string) => MessagePieces | undefined;
};

const maxMessages = 1000;

export function createAddedMessages(): AddedMessages {
  const known = createBoundedMap<string, MessagePieces>(maxMessages);
  return {
    note: (added, messages) => {
      const last = messages.findLast((one) => one.role === "user" && one.update === undefined);
      if (last?.role !== "user") return;
      let own = last.text;
      const taken: AddedMessage[] = [];
      // A message that came too late, or with an answer that was discarded, is not in the input.
      for (const one of added.toReversed()) {
        if (!own.endsWith(`\n\n${one.text}`)) continue;
        own = own.slice(0, -one.text.length - 2);
        taken.unshift(one);
      }
      if (taken.length > 0) known.set(last.text, { own, added: taken });
    },
    piecesOf: (text) => known.get(text),
  };
}

/** The content of a message in pi: a text, or parts of which only text can be shown to a model here. */
type Content = {
  readonly text: string;
  /** Number of parts that were not text. */
  readonly leftOut: number;
};

/** Reads a content; undefined where the value is none. */
export function contentOf(value: unknown): Content | undefined {
  if (typeof value === "string") return { text: mended(value), leftOut: 0 };
  if (!Array.isArray(value)) return undefined;
  const texts: string[] = [];
  for (const part of value) {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
    if (typeof type !== "string" || (type === "text" && typeof text !== "string")) return undefined;
    if (type === "text") texts.push(mended(text as string));
  }
  return { text: texts.join("\n"), leftOut: value.length - texts.length };
}

/** Returns the text, and a line that says what is missing of it. */
export function toldContent({ text, leftOut }: Content): string {
  if (leftOut === 0) return text;
  const note = `(${leftOut === 1 ? "1 image" : `${leftOut} images`} left out: only text can be shown here)`;
  return text === "" ? note : `${text}\n${note}`;
}
