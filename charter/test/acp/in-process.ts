import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { StartProgram } from "../../src/delivery/acp/agent-process.ts";
import { followScript } from "./scripted-agent.ts";

export type WireMessage = Readonly<Record<string, unknown>>;

/** The agent's side of a connection. */
export type AgentWire = {
  readonly send: (message: WireMessage) => void;
  /** Bytes as they are. */
  readonly write: (bytes: string | Uint8Array) => void;
  /** Prints on standard error. */
  readonly complain: (text: string) => void;
  /** It ends, as a process would: what it has written is still read. */
  readonly exit: (how: number | NodeJS.Signals) => void;
};

/** An agent for each program that is started: it gets its side of the connection, and is told of each message. */
type InProcessAgent = (wire: AgentWire, started: Parameters<StartProgram>[0]) => (message: WireMessage) => void;

/** Agents in this process, in the place of child processes: the same bytes, and thousands of them in seconds. */
export function inProcess(agent: InProcessAgent): StartProgram {
  return (started) => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const events = new EventEmitter();
    let isOver = false;
    const exit = (code: number | null, signal: NodeJS.Signals | null) => {
      if (isOver) return;
      isOver = true;
      stdout.end();
      setImmediate(() => {
        events.emit("exit", code, signal);
        setImmediate(() => events.emit("close"));
      });
    };
    const write = (bytes: string | Uint8Array) => {
      if (!isOver) stdout.write(bytes);
    };
    const wire: AgentWire = {
      send: (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
      write,
      complain: (text) => stderr.write(text),
      exit: (how) => (typeof how === "number" ? exit(how, null) : exit(null, how)),
    };
    const heard = agent(wire, started);
    let rest = "";
    stdin.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (!isOver) heard(JSON.parse(line) as WireMessage);
    });
    const on = events.on.bind(events);
    return { stdin, stdout, stderr, on: on as never, endAll: async () => exit(null, "SIGTERM") };
  };
}

let pids = 0;

/** Scripted agents in this process: those whose scripts start none. */
export const startScripted: StartProgram = inProcess(
  (wire, { command, env, directory }) =>
    followScript(command.at(-1) as string, {
      ...{ pid: ++pids, env, cwd: directory },
      write: async (text) => wire.write(text),
      complain: wire.complain,
      end: wire.exit,
    }).heard,
);
