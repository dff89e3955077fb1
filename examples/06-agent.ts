// An agent that takes turns: it amends its own instructions, and the next request contains the new text.
import { createAgent } from "charter/agent";
import { assistant, exampleSoul } from "charter/charters";
import { loadModel } from "charter/delivery";
import { createStore, sqlite } from "charter/store";

const store = await createStore(sqlite(":memory:"));
const agent = createAgent({
  name: "ada",
  charter: assistant({ soul: exampleSoul }),
  // Needs no key. With one: loadModel("anthropic/claude-sonnet-5-5", { env: process.env }).
  model: await loadModel("stand-in/scripted", { env: process.env }),
  store,
});

for (const input of ["Always answer in bullet points.", "What is on today?"]) {
  const { turn, reply } = await agent.runTurn({ user: "bo", channel: "web", input });
  console.log(`bo: ${input}\nada: ${reply}`);
  // What the model received, slot by slot, rebuilt from the receipt of its last step.
  const { slots } = await store.steps.replay(turn);
  console.log(slots.map(({ slot, text }) => `  ${slot}: ${text.slice(0, 60).replaceAll("\n", " ")}…`).join("\n"));
}

await store.close();
