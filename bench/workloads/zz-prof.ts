import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble } from "../../charter/src/prompt/assemble.ts";
import { gather } from "../../charter/src/prompt/gather.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { amendLayers, createSovereignAgent, exchangeOf, sourced } from "./sovereign-agent.ts";
import { type Inputs, sovereignTurns } from "./sovereign-turns.ts";

/**
 * A process that does what it is told and says how much processor time that took: `node gate-work.ts`, then a message
 * with the name of a piece of work. It uses the sources beside it, so that two builds can be compared.
 */
const folder = mkdtempSync(join(tmpdir(), "charter-gate-"));
const turns = sovereignTurns(10);
const sections = sourced((turns[0] as Inputs).layers);
const store = await createStore(sqlite(join(folder, "gate.db")));
const standing = await amendLayers(store, sections.charter);
let reply = "";
const agent = createSovereignAgent(store, sections, () => reply);

async function take(user: string): Promise<void> {
  for (const [index, inputs] of turns.entries()) {
    const exchange = exchangeOf(inputs, index);
    sections.read(inputs);
    reply = exchange.reply;
    const outcome = await agent.runTurn({ input: exchange.body, user });
    if (outcome.reply !== reply) throw new Error(`A turn came to ${JSON.stringify(outcome)}.`);
  }
}

let users = 0;
const work: Readonly<Record<string, () => Promise<void>>> = {
  "ten turns of a new session": () => take(`user ${users++}`),
  "ten turns of a long session": () => take("long"),
  "two hundred prompts": async () => {
    for (let time = 0; time < 20; time++)
      for (const inputs of turns) {
        sections.read(inputs);
        assemble(
          sections.charter,
          await gather(sections.charter, { now: "2026-02-20T10:00:00Z", tools: [], standing }),
        );
      }
  },
};
import { Session } from "node:inspector/promises";
import { writeFileSync } from "node:fs";
const name = process.argv[2] as string; const rounds = Number(process.argv[3]);
for (let time = 0; time < 30; time++) await take("long");
for (let time = 0; time < 5; time++) await work[name]?.();
const session = new Session(); session.connect();
await session.post("Profiler.enable"); await session.post("Profiler.setSamplingInterval", { interval: 150 }); await session.post("Profiler.start");
const b = process.cpuUsage();
for (let time = 0; time < rounds; time++) await work[name]?.();
const { user, system } = process.cpuUsage(b);
const { profile } = await session.post("Profiler.stop");
writeFileSync(process.argv[4] as string, JSON.stringify(profile));
console.log(process.argv[4], ((user + system) / 1000 / rounds).toFixed(2), "ms a round");
await store.close(); rmSync(folder, { recursive: true, force: true }); process.exit(0);
