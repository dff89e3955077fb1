// A resident remembers who it is, wherever it runs: its core memory is on a relay, encrypted, under a key of its own. The
// relay here is a small one on this machine that speaks HTTP; name real ones as wss://… (docs/resident.md).
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createAgent } from "charter/agent";
import { resident } from "charter/charters";
import { createHost, openCoreMemory } from "charter/host";
import { callsTools, memoryStore, scriptedModel, systemTextOf } from "charter/testing";

const events = new Map<number, unknown>(); // the newest of each kind: one agent's
const relay = createServer(async (request, response) => {
  const body = JSON.parse(await text(request));
  if (request.url === "/events") events.set(body.kind, body);
  response.end(JSON.stringify(request.url === "/query" ? [...events.values()] : { accepted: true }));
});
await new Promise<void>((listening) => relay.listen(0, "127.0.0.1", listening));
const { port } = relay.address() as { port: number };

const folder = mkdtempSync(join(tmpdir(), "charter-resident-"));
writeFileSync(join(folder, "ada.key"), randomBytes(32).toString("hex"), { mode: 0o600 });
const keys = { ada: { file: join(folder, "ada.key") } };
const owner = "npub10xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpkge6d"; // who can read it as well
const memory = { relays: [`http://127.0.0.1:${port}`], owner, key: "ada" };

// On one machine a host runs it. It is new, and is told who it is.
const first = await memoryStore();
const model = scriptedModel([
  callsTools(["update_core_memory", { operation: "rewrite", content: "You are Ada. You keep the books." }]),
  "I am Ada.",
]);
const host = createHost({ store: first, keys, env: {}, loadModel: async () => model });
await first.agents.add({ name: "ada", charter: "resident", settings: { memory } });
console.log(`before: ${(await host.preview({ agent: "ada" })).prompt.text.split("\n")[0]}`);
await host.runTurn({ agent: "ada", input: "You are Ada. You keep the books.", user: "mia" });
console.log(`after: ${(await host.preview({ agent: "ada" })).prompt.text}`);

// On another, with another database and the same key, it is the same agent. Here a program of its own runs it.
const second = await memoryStore();
await second.agents.add({ name: "ada", charter: "resident" });
const core = openCoreMemory({ store: second, keys }, "ada", memory);
const elsewhere = scriptedModel(["I keep the books."]);
const agent = createAgent({ name: "ada", charter: resident({ core }), model: elsewhere, store: second });
const { reply } = await agent.runTurn({ input: "What do you do?", user: "mia" });
console.log(`elsewhere: ${elsewhere.requests.map(systemTextOf)} → ${reply}`);

// Without its relay it does not know who it is, and does not take itself for new.
await new Promise((closed) => relay.close(closed));
console.log(`without its relay: ${(await core.look()).reading.status}`);

await host.close();
await Promise.all([first.close(), second.close()]);
rmSync(folder, { recursive: true });
