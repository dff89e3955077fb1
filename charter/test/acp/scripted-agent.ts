/**
 * An ACP agent that follows a script: `node scripted-agent.ts <script.json>`, or in another process. The script is an
 * `AgentScript` (see agent-script.ts, which also writes it and reads the log). Beside the script it keeps
 * `<script.json>.log`, a line of JSON for all it received and did, and `<script.json>.state`, which its next process goes
 * on from: how many turns were taken, and what was said in which session, for `session/load` and `session/resume`.
 *
 * It uses no SDK, so that it can also say what no SDK would send.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentScript, Step } from "./agent-script.ts";

type Message = Record<string, unknown>;
type State = { turns: number; sessions: Record<string, { role: "user" | "agent"; text: string }[]> };

/** What a turn has come to so far. */
type Turn = {
  readonly session: string;
  readonly input: string;
  readonly signal: AbortSignal;
  said: string;
  result: string;
  stop: string;
  usage?: unknown;
  error?: object;
};

type Call = (method: string, params: unknown) => Promise<Message>;
type Server = { command: string; args: string[]; env: { name: string; value: string }[] };

const once = [
  { optionId: "yes-always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "no-always", name: "Never", kind: "reject_always" },
];

/** Where it runs: in a process of its own, or as if. */
export type World = {
  readonly pid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly write: (text: string) => Promise<void>;
  /** Prints on standard error. */
  readonly complain: (text: string) => void;
  /** Ends at once, with an exit code or by a signal. */
  readonly end: (how: number | NodeJS.Signals) => void;
};

/** Follows the script in a file. Whoever runs it says what it hears, and when it is left. */
export function followScript(file: string, world: World): { heard: (message: Message) => void; leave: () => void } {
  const script = JSON.parse(readFileSync(file, "utf8")) as AgentScript;
  const log = (line: object) => appendFileSync(`${file}.log`, `${JSON.stringify({ pid: world.pid, ...line })}\n`);
  const stateFile = `${file}.state`;
  const state: State = existsSync(stateFile)
    ? (JSON.parse(readFileSync(stateFile, "utf8")) as State)
    : { turns: 0, sessions: {} };
  /** Whole or not at all, whenever it is killed. Several processes of one script may save at the same moment. */
  const save = () => {
    const own = `${stateFile}.${world.pid}`;
    writeFileSync(own, JSON.stringify(state));
    renameSync(own, stateFile);
  };

  let version = 1;
  let nextId = 0;
  const waiting = new Map<unknown, (answer: Message) => void>();
  const cancels = new Map<string, AbortController>();
  const servers = new Map<string, unknown[]>();
  const children: ChildProcess[] = [];
  const write = (line: string) => world.write(`${line}\n`);
  const send = async (message: Message) => await write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const update = async (sessionId: string, told: Message) =>
    await send({ method: "session/update", params: { sessionId, update: told } });
  const text = (words: string) => ({ type: "text", text: words });

  async function request(method: string, params: unknown): Promise<Message> {
    const id = `agent-${++nextId}`;
    const { promise, resolve } = Promise.withResolvers<Message>();
    waiting.set(id, resolve);
    await send({ id, method, params });
    const { result, error } = await promise;
    const answered = { method, ...(error === undefined ? { result } : { error }) };
    log({ answered });
    return answered;
  }

  async function perform(steps: readonly Step[], turn: Turn): Promise<void> {
    for (const step of steps) {
      if (turn.signal.aborted && !script.deaf) return;
      await act(step, turn);
      if (turn.error !== undefined) return;
    }
  }

  async function act(step: Step, turn: Turn): Promise<void> {
    const { session, input } = turn;
    const words = (said: string) => said.replaceAll("{input}", () => input).replaceAll("{result}", () => turn.result);
    const chunk = (sessionUpdate: string, said: string, message?: string) =>
      update(session, {
        sessionUpdate,
        content: text(said),
        ...(message === undefined && version === 1 ? {} : { messageId: message ?? `message-${state.turns}` }),
      });
    if ("say" in step) {
      turn.said += words(step.say);
      await chunk("agent_message_chunk", words(step.say), step.message);
    } else if ("put" in step) {
      turn.said = words(step.put);
      const content = [text(words(step.put))];
      await update(session, { sessionUpdate: "agent_message", messageId: step.message, content });
    } else if ("think" in step) await chunk("agent_thought_chunk", words(step.think));
    else if ("update" in step) await update(session, step.update);
    else if ("tool" in step)
      await update(session, {
        sessionUpdate: version === 1 && step.tool.title ? "tool_call" : "tool_call_update",
        ...step.tool,
      });
    else if ("permission" in step) await ask(step, turn);
    else if ("call" in step) await callTool(step.call, step.input ?? {}, turn);
    else if ("request" in step) await request(step.request, step.params);
    else if ("usage" in step) turn.usage = step.usage;
    else if ("cost" in step)
      await update(session, {
        sessionUpdate: "usage_update",
        used: 1,
        size: 2,
        cost: { amount: step.cost, currency: step.currency ?? "USD" },
      });
    else if ("stop" in step) turn.stop = step.stop;
    else if ("error" in step) turn.error = step.error;
    else if ("die" in step) await die(step.die);
    else if ("hang" in step) await untilAborted(turn.signal);
    else if ("garbage" in step) await write(step.garbage);
    else if ("flood" in step) await write("x".repeat(step.flood));
    else if ("stderr" in step) world.complain(`${step.stderr}\n`);
    else if ("child" in step) {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      log({ child: child.pid });
      children.push(child);
    } else if ("until" in step) while (!existsSync(step.until) && !turn.signal.aborted) await wait(5);
    else writeFileSync(step.touch, "");
  }

  async function die(how: number | NodeJS.Signals): Promise<void> {
    world.end(how);
    await new Promise(() => {});
  }

  async function untilAborted(signal: AbortSignal): Promise<void> {
    if (script.deaf) await new Promise(() => {});
    if (!signal.aborted) await new Promise((done) => signal.addEventListener("abort", done, { once: true }));
  }

  async function ask(step: Extract<Step, { permission: object }>, turn: Turn): Promise<void> {
    const { permission: toolCall, options = once } = step;
    const title = String(toolCall.title ?? "");
    const subject = version === 1 ? { toolCall } : { title, subject: { type: "tool_call", toolCall } };
    const { result } = await request("session/request_permission", { sessionId: turn.session, options, ...subject });
    const chosen = (result as { outcome?: { optionId?: string } } | undefined)?.outcome?.optionId;
    const isAllowed = options.some(({ optionId, kind }) => optionId === chosen && String(kind).startsWith("allow"));
    await perform((isAllowed ? step.allowed : step.denied) ?? [], turn);
  }

  const open = new Map<string, Promise<Call>>();

  async function callTool(name: string, input: unknown, turn: Turn): Promise<void> {
    const [server] = servers.get(turn.session) ?? [];
    if (server === undefined) throw new Error("no MCP server was given");
    const connected = open.get(turn.session) ?? connect(server as Server);
    open.set(turn.session, connected);
    const call = await connected;
    const { result } = await call("tools/call", { name, arguments: input });
    const { content } = Object(result) as { content?: { text?: string }[] };
    turn.result = (content ?? []).map((block) => block.text ?? "").join("");
    log({ called: name, result });
  }

  async function connect({ command, args, env }: Server): Promise<Call> {
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH, ...given },
      stdio: ["pipe", "pipe", "inherit"],
    });
    log({ child: child.pid });
    children.push(child);
    const answers = new Map<number, (answer: Message) => void>();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      answers.get(message.id as number)?.(message);
    });
    let id = 0;
    let isOver = false;
    const over = { error: "it ended" };
    child.stdin.on("error", () => {});
    child.on("exit", () => {
      isOver = true;
      for (const done of answers.values()) done(over);
    });
    const tell = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const call: Call = (method, params) =>
      new Promise((done) => {
        if (isOver) return done(over);
        answers.set(++id, done);
        tell({ id, method, params });
      });
    const clientInfo = { name: "scripted-agent", version: "1" };
    await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    tell({ method: "notifications/initialized" });
    const { result } = await call("tools/list", {});
    log({ tools: ((Object(result) as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name) });
    return call;
  }

  const handlers: Record<string, (params: Message) => Promise<unknown> | unknown> = {
    initialize: ({ protocolVersion }) => {
      version = Math.min(Number(protocolVersion), script.version ?? 1);
      const info = { name: "scripted-agent", version: "1" };
      const usual =
        version === 1
          ? { agentCapabilities: {}, agentInfo: info, authMethods: [] }
          : { capabilities: { session: { mcp: { stdio: {} } } }, info };
      return { protocolVersion: version, ...usual, ...script.initialize };
    },
    "session/new": ({ mcpServers }) => {
      const sessionId = `session-${Object.keys(state.sessions).length + 1}`;
      state.sessions[sessionId] = [];
      servers.set(sessionId, mcpServers as unknown[]);
      save();
      return { sessionId };
    },
    "session/load": async ({ sessionId, mcpServers }) => {
      await reopen(sessionId as string, mcpServers as unknown[], true);
      return {};
    },
    "session/resume": async ({ sessionId, mcpServers }) => {
      await reopen(sessionId as string, mcpServers as unknown[], false);
      if (version === 2) await update(sessionId as string, { sessionUpdate: "state_update", state: "idle" });
      return {};
    },
    "session/close": () => ({}),
    authenticate: () => ({}),
    "auth/login": () => ({}),
    "session/prompt": async ({ sessionId, prompt }) =>
      await prompted(sessionId as string, prompt as { text?: string }[]),
  };

  async function reopen(session: string, given: unknown[], replays: boolean): Promise<void> {
    const said = state.sessions[session];
    if (said === undefined) throw { code: -32002, message: "Resource not found" };
    servers.set(session, given);
    for (const { role, text: words } of replays ? said : [])
      await update(session, { sessionUpdate: `${role}_message_chunk`, content: text(words) });
  }

  async function prompted(session: string, prompt: { text?: string }[]): Promise<unknown> {
    const said = state.sessions[session];
    if (said === undefined) throw { code: -32002, message: "Resource not found" };
    const input = prompt.map((block) => block.text ?? "").join("");
    const { turns = [[{ say: "ok" }]] } = script;
    const steps = turns[Math.min(state.turns, turns.length - 1)] ?? [];
    state.turns++;
    said.push({ role: "user", text: input });
    save();
    const cancel = new AbortController();
    cancels.set(session, cancel);
    const turn: Turn = { session, input, signal: cancel.signal, said: "", result: "", stop: "end_turn" };
    const run = async () => {
      await perform(steps, turn);
      said.push({ role: "agent", text: turn.said });
      save();
      return { stopReason: cancel.signal.aborted && !script.deaf ? "cancelled" : turn.stop, usage: turn.usage };
    };
    if (version === 1) {
      const end = await run();
      if (turn.error) throw turn.error;
      return end;
    }
    setImmediate(async () => {
      await update(session, { sessionUpdate: "state_update", state: "running" });
      const end = await run();
      const idle = turn.error ? { stopReason: "error", error: turn.error } : end;
      await update(session, { sessionUpdate: "state_update", state: "idle", ...idle });
    });
    return { messageId: `input-${state.turns}` };
  }

  log({ started: { env: world.env, cwd: world.cwd } });
  const heard = async (message: Message) => {
    log({ received: message });
    const { id, method, params } = message;
    if (method === undefined) return void waiting.get(id)?.(message);
    if (method === "session/cancel") return void cancels.get(String(Object(params).sessionId))?.abort();
    if (id === undefined) return;
    const handle = handlers[String(method)];
    try {
      const before: Turn = {
        session: "",
        input: "",
        signal: new AbortController().signal,
        said: "",
        result: "",
        stop: "",
      };
      await perform(script.before?.[String(method)] ?? [], before);
      if (before.error) throw before.error;
      if (handle === undefined) throw { code: -32601, message: "Method not found" };
      await send({ id, result: await handle(Object(params) as Message) });
    } catch (error) {
      const { code = -32603, message: why = String(error), data } = Object(error) as Message;
      await send({ id, error: { code, message: why, ...(data === undefined ? {} : { data }) } });
    }
  };
  /** Whoever started it is gone: what it started itself goes with it. */
  const leave = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  return { heard, leave };
}

const [, program, given] = process.argv;
if (given !== undefined && program === import.meta.filename) {
  const { heard, leave } = followScript(given, {
    ...{ pid: process.pid, env: process.env, cwd: process.cwd() },
    write: (text) => new Promise((done) => process.stdout.write(text, () => done())),
    complain: (text) => process.stderr.write(text),
    end: (how) => (typeof how === "number" ? process.exit(how) : process.kill(process.pid, how)),
  });
  createInterface({ input: process.stdin }).on("line", (line) => heard(JSON.parse(line)));
  const over = () => {
    leave();
    process.exit(0);
  };
  process.stdin.on("end", over);
  process.stdout.on("error", over);
}
