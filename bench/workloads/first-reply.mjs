import { createAgent } from "charter/agent";
import { createStore, sqlite } from "charter/store";

/**
 * A program that takes one turn and ends: `node first-reply.mjs <file>`; with `--conditions=charter-source` from the
 * sources. It writes the reply, then the processor time used until its modules were loaded, its store was open and it had
 * replied. Plain JavaScript: Node's own time for types is none of ours.
 */
const loaded = process.cpuUsage();
const store = await createStore(sqlite(process.argv[2]));
const opened = process.cpuUsage();
const agent = createAgent({
  name: "hello",
  charter: {
    name: "hello",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "rules", words: "Answer in one sentence." }] },
      {
        name: "own",
        mutability: { amendableBy: ["agent"], scope: "agent" },
        sections: [{ name: "style", original: "Be brief." }],
      },
    ],
  },
  model: {
    receiver: {
      name: "stub/at-once",
      slots: "layered",
      voice: "system",
      cache: { kind: "none" },
      window: 200_000,
      price: null,
      tokenizer: { name: "o200k_base", exact: true },
    },
    ask: async () => ({
      answer: { text: "Hello.", calls: [], finish: "stop", usage: { input: 40, read: 0, written: 0, output: 2 } },
    }),
  },
  store,
});
const { reply } = await agent.runTurn({ user: "ada", input: "Are you there?" });
process.stdout.write(`${reply}\n`);
const replied = process.cpuUsage();
await store.close();
process.stdout.write(`${JSON.stringify([loaded, opened, replied])}\n`);
