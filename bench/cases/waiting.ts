import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gatherReadings } from "../../charter/src/host/preview.ts";
import { snapshotAgent } from "../../charter/src/host/snapshot.ts";
import { assemble } from "../../charter/src/prompt/assemble.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import type { Report } from "../report.ts";
import { type Contender, flat, inRounds, ratioOf, timeOf } from "../rounds.ts";

const each = 20;
const [few, many] = [10, 10_000];
const turn = (agent: string) => `turn-of-${agent}`;

/** The prompt of a sovereign's fullest turn (five counterparts, 20 notes, 15 tools), while few others wait and while many do. */
export async function waiting(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-waiting-"));
  try {
    const store = await createStore(sqlite(join(folder, "charter.db")));
    const wrong: string[] = [];
    const contender = (count: number): Contender => ({
      name: String(count),
      units: each,
      prepare: () =>
        Array.from({ length: each }, () => async () => {
          const text = await promptOf(store, `waits-${count}`);
          if (!flat(text).includes(`Messages in this turn: 5\nMessages waiting: ${count}\n`))
            wrong.push(`The prompt with ${count} waiting does not count them.`);
        }),
    });
    for (const count of [few, many]) await fill(store, `waits-${count}`, count);
    const times = await inRounds([few, many].map(contender), rounds);
    await store.close();
    return {
      title: `Waiting  a sovereign's prompt with five counterparts, by how many others wait`,
      about: "facts read from SQLite, gathered and assembled; the ratio is taken inside each round",
      rows: [
        { case: "waiting", what: `${few} wait`, time: timeOf(times, String(few)) },
        { case: "waiting", what: `${many.toLocaleString("en")} wait`, time: timeOf(times, String(many)) },
        {
          case: "waiting",
          what: "many beside few",
          ratio: { ...ratioOf(times, String(many), String(few)), of: `${few} wait` },
          target: 1.5,
        },
      ],
      wrong: [...new Set(wrong)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tools = Array.from({ length: 15 }, (_, index) => ({ name: `tool_${index}`, left: 3 }));

async function promptOf(store: Store, name: string): Promise<string> {
  const agent = await store.agents.get(name);
  const { declaredTurn } = await snapshotAgent(store, { agent, turn: turn(name), facts: { tools } });
  return assemble(declaredTurn.charter, await gatherReadings(declaredTurn)).text;
}

/** Five counterparts have the turn, five exchanges and four notes each; a hundred others wait. */
async function fill(store: Store, agent: string, count: number): Promise<void> {
  await store.agents.put({ name: agent, charter: "sovereign" });
  const post = (sender: string, id: string) =>
    store.inbox.post({ agent, sender, id, body: `Message ${id}: ${"words ".repeat(20)}` });
  for (const first of ["a", "b", "c", "d", "e"]) {
    const sender = `shop/first-${first}`;
    await post(sender, first);
    for (let said = 1; said <= 5; said++)
      await store.conversations.record(agent, sender, {
        ...{ message: `m${said}`, body: `How are you, ${said}?`, reply: `Well, thank you, ${said}.`, turn: "before" },
      });
    for (let note = 1; note <= 4; note++)
      await store.memory.save({ agent, user: `counterpart:${sender}` }, { text: `Asked ${note} times, politely.` });
  }
  await store.inbox.claim(agent, turn(agent), { counterparts: 5, leaseMs: 86_400_000 });
  for (let id = 0; id < count; id++) await post(`shop/${id % 100}`, `m${id}`);
}
