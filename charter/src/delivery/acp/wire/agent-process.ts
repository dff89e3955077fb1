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
  /** How the program is started: as a process of its own, unless given. */
  readonly start?: StartProgram | undefined;
};

/** Starts a program, whose pipes are the way to it. `endAll` ends it with all it has started. */
export type StartProgram = (options: Omit<AgentProcessOptions, "start">) => AgentProgram;

type AgentProgram = Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr" | "on"> & {
  readonly endAll: () => Promise<unknown>;
};

const maxTail = 2000;

/** Starts an agent, and reads what it says as messages. */
export function startAgent({ start = spawnProgram, ...options }: AgentProcessOptions): AgentProcess {
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const waiting: Message[] = [];
  let onMessage = (message: Message): unknown => waiting.push(message);
  let tail = "";
  let end: ProcessEnd | undefined;
  let ending: Promise<void> | undefined;
  let child: AgentProgram | undefined;
  const over = (as: ProcessEnd): Promise<void> => {
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

/** In a group of its own, so that all it starts ends with it. */
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
