// Another agent as the model: a program that speaks ACP, here a small one of our own (12-acp-agent.mjs). It is given the
// prompt, keeps the conversation, and asks before it uses a tool of its own. For a real one see docs/acp.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "charter/host";
import { memoryStore } from "charter/testing";

const acpHome = mkdtempSync(join(tmpdir(), "charter-acp-"));
const command = [process.execPath, join(import.meta.dirname, "12-acp-agent.mjs")];
const store = await memoryStore();
// `served`: it takes turns of users. `hold`: what it asks for waits for a person.
const host = createHost({ store, acp: { small: { command, served: true, permissions: "hold" } }, acpHome, env: {} });
const settings = { operator: "You are Ada. You keep the books.", core: { status: "empty" } };
await store.agents.add({ name: "ada", charter: "resident", model: "acp/small", settings });

const ask = async (input: string) => {
  const { reply } = await host.runTurn({ agent: "ada", user: "bo", input });
  console.log(`${input} ${reply}`);
};
await ask("Who are you?");
await ask("And now?");

// Other words of the operator's: the old ones must be gone, so the agent's session starts anew.
const operation = { kind: "rewrite", content: "You are Ada. You keep bees." } as const;
await store.propose(await host.amendmentContext({ agent: "ada" }), {
  section: "operator",
  operation,
  actor: "operator",
});
await ask("And now?");

// It was told no; once a person approves, the same is allowed once.
await ask("Tidy up.");
const [held] = await store.calls.list({ agent: "ada" });
console.log(`waits for a person: ${held?.tool} ${JSON.stringify(Object(held?.input).input)}`);
await host.approve(held?.id ?? "", "bo");
await ask("Tidy up.");
await ask("Tidy up.");

// Who is erased has no process and no directory there any more.
const { directories } = await host.erase({ user: "bo" });
console.log(`directories removed: ${directories.length}`);

await host.close();
await store.close();
rmSync(acpHome, { recursive: true });
