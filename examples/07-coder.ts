// A coding agent whose prompt is made of files: an edited file is in the next prompt.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "charter/agent";
import { loadModel } from "charter/delivery";
import { openWorkbench } from "charter/host";
import { createStore, sqlite } from "charter/store";

const cwd = mkdtempSync(join(tmpdir(), "charter-example-"));
const agents = join(cwd, "AGENTS.md");
writeFileSync(agents, "Run the tests before you say that you are done.\n");
writeFileSync(join(cwd, "shopping.txt"), "milk\n");

const workbench = openWorkbench({ cwd, home: join(cwd, "home"), config: ".charter", trusted: () => false });
const store = await createStore(sqlite(":memory:"));
await store.agents.add({ name: "coder", charter: "coder" });
const agent = createAgent({
  name: "coder",
  charter: () => workbench.declare(),
  model: await loadModel("stand-in/scripted", { env: {} }),
  store,
});

for (const input of ["read shopping.txt", "replace milk with oat milk in shopping.txt", "run cat shopping.txt"]) {
  const { turn, reply } = await agent.runTurn({ input, user: "mia", session: "new" });
  const { slots } = await store.steps.replay(turn);
  const rule = slots[0]?.text.split("\n").find((line) => line.startsWith("Run the tests"));
  console.log(`you: ${input}\ncoder: ${reply}\n  (its prompt says: ${rule})`);
  writeFileSync(agents, "Run the tests twice.\n");
}

workbench.close();
await store.close();
rmSync(cwd, { recursive: true });
