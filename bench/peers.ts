import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Tokenizer } from "../charter/src/prompt/tokens.ts";

/**
 * The libraries others would use instead. They live in this folder's own node_modules, installed on the first run; no
 * type of theirs is imported, so the project's check needs none of them.
 */
export type Peers = {
  readonly promptTsx?: PromptTsx;
  readonly buildSystemPrompt?: (options: object) => string;
  readonly loadSkills?: LoadSkills;
  readonly langChain?: LangChain;
  /** Loaded when they are wanted: they are large, and what they leave behind would be on others' clocks. */
  readonly langGraph?: () => Promise<LangGraph>;
  readonly mastra?: () => Promise<Mastra>;
  /** Why a peer is not there. */
  readonly absent: string | undefined;
};

/** Priompt is no package: the registry has no `@anysphere/priompt`, and a checkout of its repository is no version. */
export const priomptAbsent = "Priompt: not on the npm registry (@anysphere/priompt: 404)";

const folder = fileURLToPath(new URL(".", import.meta.url));
const modules = join(folder, "node_modules");

export async function loadPeers(wanted: boolean): Promise<Peers> {
  const absent = wanted ? await install() : "not asked for (--no-peers)";
  if (absent) return { absent };
  const promptTsx = await load<PromptTsxModule>("@vscode/prompt-tsx/dist/base/index.js");
  const pi = await load<{ buildSystemPrompt: (options: object) => string }>(
    "@mariozechner/pi-coding-agent/dist/core/system-prompt.js",
  );
  const piSkills = await load<{ loadSkills: LoadSkills }>("@mariozechner/pi-coding-agent/dist/core/skills.js");
  const langChain = await load<LangChain>("@langchain/core/dist/prompts/index.js");
  return {
    promptTsx: createPromptTsx(promptTsx),
    buildSystemPrompt: pi.buildSystemPrompt,
    loadSkills: piSkills.loadSkills,
    langChain,
    langGraph: async () => ({
      ...(await load<LangGraph>("@langchain/langgraph/dist/index.js")),
      ...(await load<LangGraph>("@langchain/langgraph-checkpoint-sqlite/dist/index.js")),
      ...(await load<LangGraph>("@langchain/core/dist/messages/index.js")),
      ...(await load<LangGraph>("@langchain/core/dist/utils/testing/index.js")),
    }),
    mastra: async () => ({
      ...(await load<Mastra>("@mastra/core/dist/index.js")),
      ...(await load<Mastra>("@mastra/core/dist/agent/index.js")),
      ...(await load<Mastra>("@mastra/core/dist/agent/durable/index.js")),
      ...(await load<Mastra>("@mastra/memory/dist/index.js")),
      ...(await load<Mastra>("@mastra/libsql/dist/index.js")),
    }),
    absent: undefined,
  };
}

async function load<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(modules, path)).href)) as T;
}

/** Installs what the lockfile names, once. Returns why it could not. */
async function install(): Promise<string | undefined> {
  const stampFile = join(modules, ".charter-installed");
  const stamp = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return undefined;
  process.stderr.write("Installing the peers into bench/node_modules (first run, about 400 MB)…\n");
  const code = await npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1");
  if (code !== 0) return `“npm ci” in bench/ ended with ${code}; is the registry within reach?`;
  writeFileSync(stampFile, stamp);
  return undefined;
}

function npm(...args: string[]): Promise<number | string> {
  return new Promise((resolve) => {
    const child = spawn("npm", args, { cwd: folder, stdio: "ignore", shell: process.platform === "win32" });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code ?? "a signal"));
  });
}

/** pi's search for skills. */
export type LoadSkills = (options: object) => {
  readonly skills: readonly { readonly name: string; readonly description: string; readonly filePath: string }[];
};

type PromptTemplate = { format: (values: object) => Promise<string> };
export type LangChain = { PromptTemplate: { fromTemplate: (template: string) => PromptTemplate } };

type Message = { readonly content: string };
type Graph = {
  addNode: (name: string, node: (state: { messages: readonly Message[] }) => Promise<object>) => Graph;
  addEdge: (from: string, to: string) => Graph;
  compile: (options: object) => { invoke: (state: object, options: object) => Promise<{ messages: Message[] }> };
};
export type LangGraph = {
  StateGraph: new (annotation: unknown) => Graph;
  MessagesAnnotation: unknown;
  START: string;
  SqliteSaver: new (database: object) => unknown;
  HumanMessage: new (text: string) => Message;
  SystemMessage: new (text: string) => Message;
  FakeListChatModel: new (options: {
    responses: string[];
  }) => { responses: string[]; invoke: (messages: readonly Message[]) => Promise<Message> };
};

export type Mastra = {
  Mastra: new (options: object) => unknown;
  Agent: new (options: object) => { generate: (input: string, options: object) => Promise<{ text: string }> };
  createDurableAgent: (options: object) => {
    stream: (input: string, options: object) => Promise<{ output: { text: Promise<string> }; cleanup: () => void }>;
  };
  Memory: new (options: object) => unknown;
  LibSQLStore: new (
    options: object,
  ) => {
    init: () => Promise<void>;
    close: () => Promise<void>;
    client: { execute: (sql: string) => Promise<{ rows: readonly Readonly<Record<string, unknown>>[] }> };
  };
};

type Node = { readonly ctor: unknown };
type PromptTsxModule = {
  PromptElement: new (props: {
    readonly fragments: readonly Chunk[];
  }) => { props: { readonly fragments: readonly Chunk[] } };
  SystemMessage: unknown;
  TextChunk: unknown;
  OutputMode: { readonly Raw: number };
  renderPrompt: (
    element: unknown,
    props: object,
    endpoint: { modelMaxPromptTokens: number },
    tokenizer: object,
  ) => Promise<{ messages: readonly { content: readonly { text: string }[] }[] }>;
};

export type Chunk = { readonly text: string; readonly priority: number };
export type PromptTsx = (chunks: readonly Chunk[], tokens: number, tokenizer: Tokenizer) => Promise<string>;

/** prompt-tsx the way its manual shows it: a system message of text chunks with priorities. */
function createPromptTsx({
  PromptElement,
  SystemMessage,
  TextChunk,
  OutputMode,
  renderPrompt,
}: PromptTsxModule): PromptTsx {
  const create = (
    globalThis as unknown as { vscpp: (ctor: unknown, props: object | null, ...children: unknown[]) => Node }
  ).vscpp;
  class System extends PromptElement {
    render() {
      const chunks = this.props.fragments.map(({ text, priority }) => create(TextChunk, { priority }, text));
      return create(SystemMessage, null, ...chunks);
    }
  }
  return async (fragments, tokens, { count }) => {
    const tokenizer = {
      mode: OutputMode.Raw,
      tokenLength: ({ text }: { text: string }) => count(text),
      countMessageTokens: ({ content }: { content: readonly { text: string }[] }) =>
        content.reduce((sum, { text }) => sum + count(text), 0),
    };
    const { messages } = await renderPrompt(System, { fragments }, { modelMaxPromptTokens: tokens }, tokenizer);
    return messages[0]?.content.map(({ text }) => text).join("") ?? "";
  };
}
