import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { endGroup } from "../../delivery/process/process-group.ts";
import { endWithProcess } from "../../delivery/process/running-processes.ts";
import { withoutChainKey } from "../../sources/core-memory/key-source.ts";
import type { McpProgram } from "./mcp-entry.ts";
import { createMessageReader } from "./message-lines.ts";

type Environment = Readonly<Record<string, string | undefined>>;

type StdioOptions = McpProgram & {
  /** Where PATH, HOME and the variables that are handed on are found. */
  readonly from: Environment;
  readonly parseMessage: (value: unknown) => JSONRPCMessage;
  readonly messageBytes: number;
};

/** What makes the library take it for one over standard input and output. */
type StdioTransport = Transport & { readonly stderr: null; readonly pid: number | null };

/**
 * A server that is a process of ours. Unlike the library's own transport: it gets no environment but what is named, what
 * it prints on standard error goes nowhere, a message has a size, and all that it started ends with it.
 */
export function createStdioTransport(options: StdioOptions): StdioTransport {
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let forget = () => {};
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    const leader = child?.pid;
    child?.stdin.destroy();
    if (leader !== undefined) await endGroup(leader);
    forget();
    child?.stdout.destroy();
    transport.onclose?.();
  };
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const [program = "", ...args] = options.command;
      child = spawn(program, args, {
        cwd: options.cwd,
        env: environmentOf(options),
        // A group of its own, so that all it starts ends with it.
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
      });
      const { pid, stdin, stdout } = child;
      if (pid !== undefined) forget = endWithProcess(pid);
      const reader = createMessageReader({
        maxBytes: options.messageBytes,
        onMessage: (value) => {
          try {
            transport.onmessage?.(options.parseMessage(value));
          } catch (error) {
            transport.onerror?.(error as Error);
          }
        },
      });
      stdout.on("data", reader);
      for (const stream of [stdin, stdout]) stream.on("error", () => {});
      child.on("spawn", () => resolve());
      child.on("error", (error) => {
        reject(error);
        void close();
      });
      child.on("exit", () => void close());
    });
  const send = (message: JSONRPCMessage) =>
    new Promise<void>((resolve, reject) => {
      if (child === undefined || closed) return reject(new Error("it is not running"));
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const transport: StdioTransport = {
    start,
    send: (message) => send(message),
    close,
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
  };
  return transport;
}

/**
 * PATH, so that programs are found, and HOME, where they keep what they fetched; then what is named, and nothing else.
 * The key of a chain is not handed on even where it is named.
 */
function environmentOf({ env = [], from: all }: Pick<StdioOptions, "env" | "from">): Record<string, string> {
  const named = Array.isArray(env) ? env : [];
  const from = withoutChainKey({ ...all });
  const handed = ["PATH", "HOME", ...named].flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return { ...Object.fromEntries(handed), ...(Array.isArray(env) ? {} : env) };
}
