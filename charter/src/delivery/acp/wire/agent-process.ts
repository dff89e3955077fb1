import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { reasonOf } from "../../../prompt/problem.ts";
import { endGroup } from "../../process/process-group.ts";
import { endWithProcess } from "../../process/running-processes.ts";
import { createMessageLines } from "./message-lines.ts";

type Message = Readonly<Record<string, unknown>>;

/** How a process came to its end, in words that finish “the agent …”. */
export type ProcessEnd = {
  readonly kind: "exited" | "protocol-error" | "ended";
  readonly why: string;
};

/** A running agent, and the messages between us. */
export type AgentProcess = {
  readonly send: (message: Message) => Promise<void>;
  /** Who is told of messages from now on. Those that came before wait for the first. */
  readonly listen: (onMessage: (message: Message) => void) => void;
  readonly ended: Promise<ProcessEnd>;
  readonly isOver: () => boolean;
  /** The last of what it printed on standard error. */
  readonly errorTail: () => string;
  /** Ends it, with all it has started. `as` says why, if not on our own account. */
  readonly end: (as?: ProcessEnd) => Promise<void>;
};

export type AgentProcessOptions = {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
};

const maxTail = 2000;

/** Starts an agent in a group of its own, so that all it starts ends with it. */
export function startAgent({ command, env, directory }: AgentProcessOptions): AgentProcess {
  const [program = "", ...args] = command;
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const waiting: Message[] = [];
  let onMessage = (message: Message): unknown => waiting.push(message);
  let tail = "";
  let end: ProcessEnd | undefined;
  let ending: Promise<void> | undefined;
  let child: ChildProcessWithoutNullStreams | undefined;
  const over = (as: ProcessEnd): Promise<void> => {
    ending ??= (async () => {
      end = as;
      if (child?.pid !== undefined) await endGroup(child.pid).finally(forget);
      await Promise.race([exited, wait(1000, undefined, { ref: false })]);
      child?.stdin.destroy();
      child?.stdout.destroy();
      child?.stderr.destroy();
      resolve(as);
    })();
    return ending;
  };
  let forget = () => {};
  try {
    child = spawn(program, args, { cwd: directory, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    if (child.pid !== undefined) forget = endWithProcess(child.pid);
    const lines = createMessageLines({
      onMessage: (message) => {
        if (end === undefined) onMessage(message);
      },
      onGarbage: (what) => void over({ kind: "protocol-error", why: `sent ${what}` }),
    });
    child.stdout.on("data", lines.push);
    child.stderr.on("data", (chunk: Buffer) => {
      tail = (tail + chunk.toString("utf8")).slice(-maxTail);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.on("error", (error) => {
      exit();
      void over({ kind: "exited", why: `could not be started: ${reasonOf(error)}` });
    });
    // What it had said before it went is read first; something it started may keep the pipes open for ever.
    child.on("exit", (code, signal) => {
      exit();
      const why = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const late = setTimeout(() => void over({ kind: "exited", why }), 500);
      child?.on("close", () => {
        clearTimeout(late);
        void over({ kind: "exited", why });
      });
    });
  } catch (error) {
    exit();
    void over({ kind: "exited", why: `could not be started: ${reasonOf(error)}` });
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
    end: (as = { kind: "ended", why: "was ended" }) => over(as),
  };
}
