import { appendFileSync } from "node:fs";
import { z } from "zod";
import { createAgent, defineTool } from "../../../src/agent/index.ts";
import { createStore, postgres, type Store, sqlite } from "../../../src/store/index.ts";
import { modelAt } from "../../delivery/loopback.ts";
import { charter } from "../../store/desk.ts";

/** Where the two models are served, and the file that the tool writes to. */
export type FailoverOrders = {
  readonly url: string;
  readonly servers: readonly [string, string];
  readonly file: string;
};

export const models = ["anthropic/claude-sonnet-5-5", "openai/gpt-5.6-terra"] as const;

/** An agent with two models, and a tool whose every run is seen outside. */
export async function twoModelAgent(store: Store, { servers, file }: FailoverOrders) {
  const [one, two] = await Promise.all([modelAt(servers[0], models[0]), modelAt(servers[1], models[1])]);
  const write = defineTool({
    name: "write",
    input: z.looseObject({}),
    summary: "Writes a line",
    trusted: true,
    harmless: true,
    run: (_, { call }) => {
      appendFileSync(file, `${call}\n`);
      return "Written.";
    },
  });
  return createAgent({ name: "ada", charter, model: [one, two], store, tools: [write], sleep: async () => {} });
}

/** A life that takes one turn, unless it dies before. */
if (process.argv[2]?.startsWith("{")) {
  const orders: FailoverOrders = JSON.parse(process.argv[2]);
  const { url } = orders;
  const store = await createStore(url.startsWith("postgres:") ? postgres(url) : sqlite(url));
  const agent = await twoModelAgent(store, orders);
  await agent.runTurn({ id: "killed", input: "Write it down.", user: "bo" });
  await store.close();
}
