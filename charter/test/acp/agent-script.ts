import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AcpEntry } from "../../src/delivery/acp/entry.ts";

/**
 * What a scripted agent does: it speaks ACP over its standard input and output, by a small code of its own. `scriptedAgent(folder, script)` gives the entry to configure it with, and a way to read what it received.
 */
export type AgentScript = {
  /** The newest version of the protocol it speaks; 1, unless given. */
  readonly version?: 1 | 2;
  /** Merged into its answer to `initialize`: `{ agentInfo, agentCapabilities, … }`. */
  readonly initialize?: Readonly<Record<string, unknown>>;
  /** What it does before it answers a method, such as "initialize" or "session/new". */
  readonly before?: Readonly<Record<string, readonly Step[]>>;
  /** What it does in its first turn, its second, and so on, over all its processes. The last is done again and again. */
  readonly turns?: readonly (readonly Step[])[];
  /** It does not stop when it is told to. */
  readonly deaf?: boolean;
};

/** One thing a scripted agent does. Text may hold {input}, which is what it was sent, and {result}, of its last call. */
export type Step =
  | { readonly say: string; readonly message?: string }
  /** A whole message, in place of what was said of it before; version 2. */
  | { readonly put: string; readonly message: string }
  | { readonly think: string }
  /** A `session/update` as it is. */
  | { readonly update: Readonly<Record<string, unknown>> }
  /** It tells of a tool of its own. */
  | { readonly tool: Readonly<Record<string, unknown>> }
  /** It asks for permission; what it does then depends on the answer. */
  | {
      readonly permission: Readonly<Record<string, unknown>>;
      readonly options?: readonly Readonly<Record<string, unknown>>[];
      readonly allowed?: readonly Step[];
      readonly denied?: readonly Step[];
    }
  /** It calls one of our tools through the MCP server it was given, and lists them all. */
  | { readonly call: string; readonly input?: unknown }
  /** It asks the client for anything; the answer is in the log. */
  | { readonly request: string; readonly params?: unknown }
  | { readonly usage: Readonly<Record<string, number>> }
  | { readonly cost: number; readonly currency?: string }
  | { readonly stop: string }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** It ends, with an exit code or by a signal. */
  | { readonly die: number | NodeJS.Signals }
  | { readonly hang: true }
  /** It writes this line to standard output, whatever it is. */
  | { readonly garbage: string }
  /** It writes a line of so many bytes. */
  | { readonly flood: number }
  | { readonly stderr: string }
  /** It starts a process that never ends; its pid is in the log. */
  | { readonly child: true }
  /** It goes on when there is such a file. */
  | { readonly until: string }
  | { readonly touch: string };

/** A line of its log. */
export type Logged = { readonly pid: number } & (
  | { readonly received: Readonly<Record<string, unknown>> }
  | { readonly started: { readonly env: Readonly<Record<string, string>>; readonly cwd: string } }
  | { readonly child: number }
  | { readonly tools: readonly string[] }
  | { readonly called: string; readonly result: unknown }
  | { readonly answered: Readonly<Record<string, unknown>> }
);

export type ScriptedAgent = {
  readonly entry: AcpEntry;
  readonly log: () => readonly Logged[];
  /** The params of all requests and notifications of a method that it received. */
  readonly received: (method: string) => readonly Readonly<Record<string, unknown>>[];
  /** The texts of all blocks of each prompt that it received. */
  readonly prompts: () => readonly (readonly string[])[];
  /** The pids of its processes and of those that they started. */
  readonly pids: () => readonly number[];
};

let count = 0;

/** Writes a script into a folder; the entry runs it. What it keeps between its processes is there too. */
export function scriptedAgent(folder: string, script: AgentScript, entry: Partial<AcpEntry> = {}): ScriptedAgent {
  const file = join(folder, `agent-${++count}.json`);
  writeFileSync(file, JSON.stringify(script));
  writeFileSync(`${file}.log`, "");
  const log = (): readonly Logged[] => {
    const lines = readFileSync(`${file}.log`, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Logged);
  };
  const received: ScriptedAgent["received"] = (method) =>
    log().flatMap((line) =>
      "received" in line && line.received.method === method ? [Object(line.received.params)] : [],
    );
  return {
    entry: { command: [process.execPath, join(import.meta.dirname, "scripted-agent.ts"), file], ...entry },
    log,
    received,
    prompts: () =>
      received("session/prompt").map(({ prompt }) => (prompt as { readonly text: string }[]).map(({ text }) => text)),
    pids: () => [...new Set(log().flatMap((line) => ("child" in line ? [line.pid, line.child] : [line.pid])))],
  };
}
