import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { reasonOf } from "../../prompt/problem.ts";
import { endGroup, endWithProcess } from "../process-group.ts";

type Message = Readonly<Record<string, unknown>>;

/** The end of a process, in words that finish “the agent …”. */
export type ProcessEnd = {
  readonly kind: "exited" | "protocol-error" | "ended";
  readonly why: string;
};

/** A running agent, and the messages to and from it. */
export type AgentProcess = {
  readonly send: (message: Message) => Promise<void>;
  /** Sets the listener for messages from now on. Earlier messages wait for the first listener. */
  readonly listen: (onMessage: (message: Message) => void) => void;
  readonly ended: Promise<ProcessEnd>;
  readonly isOver: () => boolean;
  /** Returns the end of what it printed on standard error. */
  readonly errorTail: () => string;
  /** Ends it, with all it has started. `as` is the reason, if it is not our own. */
  readonly end: (as?: ProcessEnd) => Promise<void>;
};

export type AgentProcessOptions = {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Starts the program; by default as a process of its own. */
  readonly start?: StartProgram | undefined;
};

/** Starts a program that is reached through its pipes. `endAll` ends it with all it has started. */
export type StartProgram = (options: Omit<AgentProcessOptions, "start">) => AgentProgram;

type AgentProgram = Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr" | "on"> & {
  readonly endAll: () => Promise<unknown>;
};

const maxTailChars = 2000;

/** Starts an agent, and reads its output as messages. */
export function startAgent({ start = spawnProgram, ...options }: AgentProcessOptions): AgentProcess {
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const waiting: Message[] = [];
  let onMessage = (message: Message): unknown => waiting.push(message);
  let tail = "";
  let end: ProcessEnd | undefined;
  let ending: Promise<void> | undefined;
  let child: AgentProgram | undefined;
  const finish = (as: ProcessEnd): Promise<void> => {
    ending ??= (async () => {
      end = as;
      await child?.endAll();
      await Promise.race([exited, wait(1000, undefined, { ref: false })]);
      child?.stdin.destroy();
      child?.stdout.destroy();
      child?.stderr.destroy();
      resolve(as);
    })();
    return ending;
  };
  try {
    child = start(options);
    const lines = createMessageLines({
      onMessage: (message) => {
        if (end === undefined) onMessage(message);
      },
      onGarbage: (what) => void finish({ kind: "protocol-error", why: `sent ${what}` }),
    });
    child.stdout.on("data", lines.push);
    child.stderr.on("data", (chunk: Buffer) => {
      tail = (tail + chunk.toString("utf8")).slice(-maxTailChars);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.on("error", (error) => {
      exit();
      void finish({ kind: "exited", why: `could not be started: ${reasonOf(error)}` });
    });
    // Waits for the rest of its output, but not long: something it started may keep the pipes open for ever.
    child.on("exit", (code, signal) => {
      exit();
      const why = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const late = setTimeout(() => void finish({ kind: "exited", why }), 500);
      child?.on("close", () => {
        clearTimeout(late);
        void finish({ kind: "exited", why });
      });
    });
  } catch (error) {
    exit();
    void finish({ kind: "exited", why: `could not be started: ${reasonOf(error)}` });
  }
  return {
    send: (message) =>
      new Promise((done, failed) => {
        if (!child || end) return failed(new Error("the agent is not there any more"));
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? failed(error) : done()));
      }),
    listen: (next) => {
      onMessage = next;
      for (const message of waiting.splice(0)) next(message);
    },
    ended,
    isOver: () => end !== undefined,
    errorTail: () => tail.trim(),
    end: (as = { kind: "ended", why: "was ended" }) => finish(as),
  };
}

/** Starts a program in a group of its own, so that all it starts ends with it. */
function spawnProgram({ command, env, directory }: Omit<AgentProcessOptions, "start">): AgentProgram {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: directory, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const { pid } = child;
  const forget = pid === undefined ? () => {} : endWithProcess(pid);
  return Object.assign(child, {
    endAll: async () => {
      if (pid !== undefined) await endGroup(pid).finally(forget);
    },
  });
}

/** Finds a program as the system would when it starts it in this directory; undefined where there is none. */
export function findProgram(program: string, PATH: string | undefined, directory: string): string | undefined {
  if (/[\\/]/.test(program)) return [resolve(directory, program)].find(isProgram);
  const folders = (PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(resolve(directory, folder), program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A reader of a stream of bytes as messages, one a line. */
type MessageLines = {
  readonly push: (chunk: Buffer) => void;
};

type Listener = {
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** Reports a line that is not JSON-RPC. Nothing is read after it. */
  readonly onGarbage: (why: string) => void;
};

const maxLineBytes = 32 * 1024 * 1024;

/** Splits bytes into lines and reads each as a message of JSON-RPC. Blank lines are skipped. */
export function createMessageLines({ onMessage, onGarbage }: Listener, maxBytes = maxLineBytes): MessageLines {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const garbage = (why: string) => {
    isOver = true;
    parts = [];
    onGarbage(why);
  };
  const take = (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) garbage(`a line of more than ${maxBytes / 1024 / 1024} MiB`);
    else parts.push(piece);
  };
  const finish = () => {
    const line = Buffer.concat(parts).toString("utf8").trim();
    parts = [];
    size = 0;
    if (line === "") return;
    const message = messageIn(line);
    if (message === undefined) garbage(`a line that is no message: ${JSON.stringify(line.slice(0, 80))}`);
    else onMessage(message);
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, from)) {
        take(chunk.subarray(from, end));
        if (!isOver) finish();
        from = end + 1;
      }
      if (!isOver && from < chunk.length) take(chunk.subarray(from));
    },
  };
}

function messageIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true for a request, a notification or a response; its method and fields are checked later. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { jsonrpc, method, id } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return false;
  const isId = id === null || typeof id === "string" || typeof id === "number";
  return "method" in value ? typeof method === "string" && (!("id" in value) || isId) : "id" in value && isId;
}

/** The result of a wait: a value, or why it was given up. */
export type WaitResult<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "late" }
  | { readonly kind: "aborted" };

/** Waits for work until a time limit or a signal. A later result is ignored. */
export async function withinLimit<Value>(
  work: Promise<Value>,
  { milliseconds, signal }: { readonly milliseconds?: number; readonly signal: AbortSignal },
): Promise<WaitResult<Value>> {
  if (signal.aborted) {
    work.catch(() => {});
    return { kind: "aborted" };
  }
  const { promise, resolve } = Promise.withResolvers<WaitResult<Value>>();
  const aborted = () => resolve({ kind: "aborted" });
  const timer = milliseconds === undefined ? undefined : setTimeout(() => resolve({ kind: "late" }), milliseconds);
  signal.addEventListener("abort", aborted, { once: true });
  work.then(
    (value) => resolve({ kind: "done", value }),
    (error) => resolve({ kind: "failed", error }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  }
}
