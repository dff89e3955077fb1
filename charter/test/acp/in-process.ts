import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { StartProgram } from "../../src/delivery/acp/wire/agent-process.ts";

export type WireMessage = Readonly<Record<string, unknown>>;

/** The agent's side of a connection. */
export type AgentWire = {
  readonly send: (message: WireMessage) => void;
  /** Bytes as they are. */
  readonly write: (bytes: string | Uint8Array) => void;
  /** It ends, as a process would: what it has written is still read. */
  readonly exit: (code: number) => void;
};

/** An agent for each program that is started: it gets its side of the connection, and is told of each message. */
type InProcessAgent = (wire: AgentWire) => (message: WireMessage) => void;

/** Agents in this process, in the place of child processes: the same bytes, and thousands of them in seconds. */
export function inProcess(agent: InProcessAgent): StartProgram {
  return () => {
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
    const heard = agent({
      send: (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
      write,
      exit: (code) => exit(code, null),
    });
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
