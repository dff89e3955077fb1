import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { LangGraph, Mastra } from "../peers.ts";
import type { Said } from "./by-hand.ts";

/** Turns by another framework, each as its manual shows them; `settle` waits for what it writes after its reply. */
export type Framework = {
  readonly turn: (session: string, said: Said) => Promise<string>;
  readonly settle: () => Promise<void>;
  readonly execute: (sql: string) => unknown;
  readonly close: () => unknown;
};

/**
 * A graph of one node. With `durability: "sync"` each checkpoint is committed before the next step. Its saver wants
 * better-sqlite3, which has to be compiled or fetched from GitHub: Node's SQLite has the four methods that it uses.
 */
export function langGraphTurns(langGraph: LangGraph, path: string): Framework {
  const { StateGraph, MessagesAnnotation, START, SqliteSaver, HumanMessage, SystemMessage } = langGraph;
  const handle = new DatabaseSync(path);
  const bound = (values: readonly unknown[]) => values.map((value) => (value ?? null) as SQLInputValue);
  const saver = new SqliteSaver({
    exec: (sql: string) => handle.exec(sql),
    pragma: (sql: string) => handle.exec(`pragma ${sql}`),
    prepare: (sql: string) => {
      const statement = handle.prepare(sql);
      return {
        run: (...values: unknown[]) => statement.run(...bound(values)),
        get: (...values: unknown[]) => statement.get(...bound(values)),
      };
    },
    transaction: (work: (rows: unknown) => void) => (rows: unknown) => {
      handle.exec("begin");
      work(rows);
      handle.exec("commit");
    },
  });
  handle.exec("pragma synchronous = full");
  const model = new langGraph.FakeListChatModel({ responses: [] });
  let prompt = "";
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({
      messages: [await model.invoke([new SystemMessage(prompt), ...messages.slice(-20)])],
    }))
    .addEdge(START, "model")
    .compile({ checkpointer: saver });
  return {
    turn: async (session, said) => {
      prompt = said.prompt;
      model.responses = [said.reply];
      const options = { configurable: { thread_id: session }, durability: "sync" };
      const { messages } = await graph.invoke({ messages: [new HumanMessage(said.input)] }, options);
      return messages.at(-1)?.content ?? "";
    },
    settle: async () => {},
    execute: (sql) => handle.exec(sql),
    close: () => handle.close(),
  };
}

/** An agent with memory; a durable one also keeps how far it is, so that another process could go on. */
export async function mastraTurns(mastra: Mastra, path: string, isDurable: boolean): Promise<Framework> {
  const storage = new mastra.LibSQLStore({ id: "bench", url: `file:${path}` });
  await storage.init();
  // Its twenty connections do not wait for the disk by themselves: each has to be told.
  const onEach = (sql: string) => Promise.all(Array.from({ length: 20 }, () => storage.client.execute(sql)));
  await onEach("pragma synchronous = full");
  let reply = "";
  const usage = { inputTokens: 4000, outputTokens: 60, totalTokens: 4060 };
  const chunks = () => [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: reply },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: "stop", usage },
  ];
  const model = {
    specificationVersion: "v2",
    provider: "stub",
    modelId: "at-once",
    supportedUrls: {},
    doGenerate: async () => ({ content: [{ type: "text", text: reply }], finishReason: "stop", usage, warnings: [] }),
    doStream: async () => ({ stream: ReadableStream.from(chunks()) }),
  };
  const memory = new mastra.Memory({ storage, options: { lastMessages: 20 } });
  const agent = new mastra.Agent({ id: "bench", name: "bench", instructions: "", model, memory });
  const durable = mastra.createDurableAgent({ agent });
  if (isDurable)
    new mastra.Mastra({ agents: { durable }, storage, logger: false, recovery: { durableAgents: "auto" } });
  const optionsOf = (thread: string, instructions: string) => ({ instructions, memory: { thread, resource: "bench" } });
  return {
    turn: async (session, said) => {
      reply = said.reply;
      if (!isDurable) return (await agent.generate(said.input, optionsOf(session, said.prompt))).text;
      const { output, cleanup } = await durable.stream(said.input, optionsOf(session, said.prompt));
      const text = await output.text;
      cleanup();
      return text;
    },
    settle: async () => {
      const running = "select 1 from mastra_workflow_snapshot limit 1";
      while ((await storage.client.execute(running)).rows.length > 0) await new Promise(setImmediate);
    },
    execute: onEach,
    close: async () => {
      const waits = (await onEach("pragma synchronous")).every(({ rows }) => rows[0]?.synchronous === 2);
      await storage.close();
      if (!waits) throw new Error("A connection of Mastra's did not wait for the disk.");
    },
  };
}
