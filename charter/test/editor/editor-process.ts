import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { bareEnvironment, command } from "../cli.ts";

/** A directory to work in and a database beside it, for several processes of `charter acp` one after the other. */
export type EditorStage = {
  readonly work: string;
  readonly database: string;
  readonly env: NodeJS.ProcessEnv;
  readonly write: (name: string, content: string) => void;
  /** With these words after `charter`, where they are others. */
  readonly start: (others?: readonly string[]) => EditorProcess;
  readonly remove: () => void;
};

/** The real command, and both ends of what is said with it. */
export type EditorProcess = {
  readonly stream: acp.Stream;
  /** Every line it has written on standard output. */
  readonly lines: () => string[];
  readonly errors: () => string;
  readonly send: (line: string | Uint8Array) => void;
  /** The editor leaves; gives the exit code. */
  readonly leave: () => Promise<number | null>;
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;
};

export function createStage(charter: string, ...options: readonly string[]): EditorStage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "charter-editor-")));
  const [work, database] = [join(root, "work"), join(root, "charter.db")];
  mkdirSync(work);
  const env = { ...bareEnvironment(), HOME: join(root, "home") };
  const words = [command, "acp", "--charter", charter, "--user", "bo", "--database", database, ...options];
  return {
    work,
    database,
    env,
    write: (name, content) => {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), content);
    },
    start: (others) => startProcess(others ? [command, ...others] : words, root, env),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function startProcess(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): EditorProcess {
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let output = "";
  let errors = "";
  const seen = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      output += Buffer.from(chunk).toString("utf8");
      controller.enqueue(chunk);
    },
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  child.stdin.on("error", () => {});
  const input = Readable.toWeb(child.stdout).pipeThrough(seen as never) as ReadableStream<Uint8Array>;
  return {
    stream: acp.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, input),
    lines: () => output.split("\n").filter((line) => line !== ""),
    errors: () => errors,
    send: (line) => void child.stdin.write(line),
    leave: async () => {
      child.stdin.end();
      return ended;
    },
    ended,
    child,
  };
}

type Update = acp.SessionUpdate;

/** What an editor of version 1 keeps of what it is told. */
export type Seen = {
  readonly updates: Update[];
  readonly asked: acp.RequestPermissionRequest[];
};

export type EditorOffers = {
  readonly fs?: {
    readonly read: (path: string) => string;
    readonly write: (path: string, text: string) => void;
  };
  /** What the person there says to a permission request; nothing: the request is left open. */
  readonly answer?: (request: acp.RequestPermissionRequest) => string | undefined;
};

/** An editor at the other end, made of the SDK's own client. */
export function connectEditor(process: EditorProcess, { fs, answer = () => "reject" }: EditorOffers = {}) {
  const seen: Seen = { updates: [], asked: [] };
  const connection = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => void seen.updates.push(params.update))
    .onRequest("session/request_permission", async ({ params }) => {
      seen.asked.push(params);
      const optionId = answer(params);
      if (optionId === undefined) await new Promise(() => {});
      return { outcome: { outcome: "selected", optionId: optionId as string } };
    })
    .onRequest("fs/read_text_file", ({ params }) => ({ content: (fs as NonNullable<typeof fs>).read(params.path) }))
    .onRequest("fs/write_text_file", ({ params }) => {
      (fs as NonNullable<typeof fs>).write(params.path, params.content);
      return {};
    })
    .connect(process.stream);
  const { agent } = connection;
  return {
    seen,
    agent,
    initialize: () =>
      agent.request("initialize", {
        protocolVersion: 1,
        clientInfo: { name: "test", version: "1.0" },
        clientCapabilities: { fs: { readTextFile: fs !== undefined, writeTextFile: fs !== undefined } },
      }),
    open: async (cwd: string, more: Partial<acp.NewSessionRequest> = {}) =>
      (await agent.request("session/new", { cwd, mcpServers: [], ...more })).sessionId,
    prompt: async (sessionId: string, text: string) =>
      settled(await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })),
    load: async (sessionId: string, cwd: string, more: Partial<acp.LoadSessionRequest> = {}) =>
      settled(await agent.request("session/load", { sessionId, cwd, mcpServers: [], ...more })),
  };
}

/** The SDK hands out an answer before the notifications that came before it: by then it has. */
export async function settled<Answer>(answer: Answer): Promise<Answer> {
  await new Promise((resolve) => setImmediate(resolve));
  return answer;
}

/** The answer as one text. */
export function answerIn(updates: readonly Update[]): string {
  return updates
    .map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
    )
    .join("");
}

export function thoughtsIn(updates: readonly Update[]): string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === "agent_thought_chunk" && update.content.type === "text" ? [update.content.text] : [],
  );
}

export function callsIn(updates: readonly Update[]) {
  return updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update] : [],
  );
}

/** The error a request came to. */
export async function errorOf(request: Promise<unknown>): Promise<{ readonly code: number; readonly message: string }> {
  try {
    return { code: 0, message: JSON.stringify(await request) };
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return { code, message };
  }
}
