/**
 * An ACP agent with a model behind it: `node model-agent.ts '<JSON>'`. It takes the system prompt from the slots it is
 * told, and asks the model that its environment names, in one of four APIs, with the system prompt where it is told. As
 * real agents do, it lists the tools of its MCP servers while it opens a session.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export type ModelAgentOptions = {
  readonly version?: 1 | 2;
  /** Its answer to `initialize`, besides the version: capabilities and what it calls itself. */
  readonly capabilities?: object;
  readonly name?: string;
  /** The fields of `session/new` it makes use of. */
  readonly takes?: readonly ("systemPrompt" | "append" | "buzz")[];
  readonly puts?: "system" | "user" | "tool";
  /** The API and whether it streams; without one, it asks no model. */
  readonly api?: "anthropic" | "openai-responses" | "openai-chat" | "gemini";
  /** It opens no session before it is signed in to in this way. */
  readonly signIn?: string;
  /** A file that it writes its environment and its directory to. */
  readonly tells?: string;
};

type Fields = Record<string, unknown>;

const options = JSON.parse(process.argv[2] ?? "{}") as ModelAgentOptions;
const { env } = process;
const version = options.version ?? 1;
let signedIn = options.signIn === undefined;
let identity = "";
let listed: readonly Fields[] = [];
if (options.tells) writeFileSync(options.tells, JSON.stringify({ env, files: readdirSync(".") }));

const send = (message: Fields) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method: string; params: Fields };
  if (method === "session/new" && !signedIn)
    return send({ id, error: { code: -32000, message: "Authentication required" } });
  send({ id, result: await answer(method, params) });
  if (method !== "session/prompt" || version === 1) return;
  const update = { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" };
  send({ method: "session/update", params: { sessionId: "one", update } });
});

async function answer(method: string, params: Fields): Promise<Fields> {
  if (method === "initialize") return hello();
  if (method === "authenticate" || method === "auth/login") signedIn = params.methodId === options.signIn;
  if (method === "session/new") {
    identity = identityIn(params);
    listed = await listTools(params.mcpServers as readonly Server[]);
    return { sessionId: "one" };
  }
  if (method !== "session/prompt") return {};
  const [block] = params.prompt as { text: string }[];
  if (options.api) await askModel(block?.text ?? "");
  return version === 1 ? { stopReason: "end_turn" } : { messageId: "one" };
}

function hello(): Fields {
  const info = { name: options.name ?? "model-agent", version: "7" };
  const methods = options.signIn === undefined ? [] : ["chat-login", options.signIn];
  if (version === 1) {
    const authMethods = methods.map((id) => ({ id, name: id }));
    return { protocolVersion: 1, agentInfo: info, agentCapabilities: options.capabilities ?? {}, authMethods };
  }
  const authMethods = methods.map((methodId) => ({ methodId, name: methodId, type: "agent" }));
  return { protocolVersion: 2, info, capabilities: options.capabilities ?? { session: {} }, authMethods };
}

type Server = { command: string; args: string[]; env: { name: string; value: string }[] };

async function listTools(servers: readonly Server[]): Promise<readonly Fields[]> {
  const lists = servers.map(async ({ command, args, env }) => {
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const client = new Client({ name: "model-agent", version: "7" });
    await client.connect(new StdioClientTransport({ command, args, env: variables }));
    return (await client.listTools()).tools;
  });
  return (await Promise.all(lists)).flat();
}

function identityIn({ systemPrompt, _meta }: Fields): string {
  const meta = Object(_meta) as { systemPrompt?: { append?: string }; "buzz.systemPrompt"?: string };
  const { content } = Object(systemPrompt) as { content?: { text: string }[] };
  const given = {
    systemPrompt: content?.[0]?.text,
    append: meta.systemPrompt?.append,
    buzz: meta["buzz.systemPrompt"],
  };
  return (options.takes ?? []).map((slot) => given[slot] ?? "").join("");
}

async function askModel(input: string): Promise<void> {
  const { puts = "system", api } = options;
  const system = puts === "system" ? identity : "You are an agent.";
  const user = puts === "user" ? `${identity}\n${input}` : input;
  const tools = [...listed, ...(puts === "tool" ? [{ name: "tool", description: identity }] : [])];
  const messages = [{ role: "user", content: user }];
  const [url, body] = {
    anthropic: [`${env.ANTHROPIC_BASE_URL}/v1/messages`, { model: "m", system, messages, tools, stream: true }],
    "openai-responses": [
      `${env.OPENAI_BASE_URL}/responses`,
      { model: "m", instructions: system, input: messages, tools },
    ],
    "openai-chat": [
      `${env.OPENAI_BASE_URL}/chat/completions`,
      { model: "m", messages: [{ role: "developer", content: system }, ...messages], tools, stream: true },
    ],
    gemini: [
      `${env.GOOGLE_GEMINI_BASE_URL}/v1beta/models/m:generateContent`,
      {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: "user", parts: [{ text: user }] }],
        tools,
      },
    ],
  }[api as NonNullable<typeof api>] as [string, object];
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  await response.text();
}
