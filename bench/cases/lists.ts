import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { raw } from "../../charter/src/store/home/sql.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import type { Report, Row } from "../report.ts";
import { inRounds, timeOf } from "../rounds.ts";
import { fillLists } from "../workloads/listed.ts";
import { serveLists } from "../workloads/served-lists.ts";

const turns = "/agents/agent-0/turns?limit=50";
const sessions = "/agents/agent-0/sessions?limit=50";

/** What a person opens, and the list in its answer. */
const asked: Readonly<Record<string, readonly [path: string, list: string]>> = {
  "turns, the newest": [turns, "turns"],
  "turns, page 40": [`${turns}&offset=1950`, "turns"],
  "turns, the dearest": [`${turns}&sort=cost`, "turns"],
  "turns, the longest": [`${turns}&sort=duration`, "turns"],
  "turns with a rare word": [`${turns}&words=ticket100`, "turns"],
  "turns with words all have": [`${turns}&words=refund+parcel`, "turns"],
  "turns of a user": [`${turns}&user=user-0`, "turns"],
  "turns of a user with a word": [`${turns}&user=user-0&words=refund`, "turns"],
  "turns that failed": [`${turns}&state=failed`, "turns"],
  "turns that amended": [`${turns}&event=amended`, "turns"],
  "turns that missed the cache": [`${turns}&event=cache-miss`, "turns"],
  "turns that called a tool": [`${turns}&event=tool`, "turns"],
  "turns of a channel": [`${turns}&channel=telegram`, "turns"],
  "turns of a model": [`${turns}&model=openai/gpt-5`, "turns"],
  "turns of a day": [`${turns}&from=2026-02-17T00:00:00Z&to=2026-02-18T00:00:00Z`, "turns"],
  "turns that cost": [`${turns}&minCost=0.05&maxCost=0.06`, "turns"],
  samples: ["/agents/agent-0/samples?limit=20", "samples"],
  sessions: [sessions, "sessions"],
  "sessions, the dearest": [`${sessions}&sort=cost`, "sessions"],
  "sessions with a word": [`${sessions}&words=refund`, "sessions"],
  counterparts: ["/agents/agent-0/counterparts?limit=50", "counterparts"],
  agents: ["/agents?limit=50", "agents"],
  "an agent's users": ["/agents/agent-0/users?limit=50", "users"],
  cost: ["/agents/agent-0/cost", "days"],
};

/** Every list of a house that is well used, from the question to the last byte of its first page. */
export async function lists(rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-lists-"));
  const store = await createStore(sqlite(join(folder, "charter.db")));
  const sizes = { agents: 100, users: 1000, turns: 10_000 };
  const wrong: string[] = [];
  try {
    await fillLists(store, sizes);
    const { secret } = await store.tokens.create({ name: "bench", kind: "operator" });
    const { url, close } = await serveLists(store);
    const get = async (path: string) => {
      const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${secret}` } });
      return {
        status: answer.status,
        body: (await answer.json()) as Readonly<Record<string, { length: number } | undefined>>,
      };
    };
    for (const [what, [path, list]] of Object.entries(asked)) {
      const { status, body } = await get(path);
      if (status !== 200 || !body[list]?.length) wrong.push(`${what}: ${status} ${JSON.stringify(body)}`.slice(0, 300));
    }
    const contenders = Object.entries(asked).map(([name, [path]]) => ({ name, prepare: () => [() => get(path)] }));
    const times = await inRounds(contenders, quick ? Math.min(rounds, 5) : rounds);
    const rows: Row[] = Object.keys(asked).map((what) => ({ case: "lists", what, time: timeOf(times, what) }));
    await close();
    return {
      title: `Lists  ${sizes.turns} turns, ${sizes.users} users, ${sizes.agents} agents, on SQLite`,
      about: "over HTTP from the whole service, from the question to the last byte of the first page",
      rows: [...rows, await wordsShare(store)],
      wrong,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Its pages among all there are. */
async function wordsShare(store: Store): Promise<Row> {
  const sizes = await store.home.read("everything", (db) =>
    db.one<{ words: number; all: number }>(
      raw(`select sum(case when name like 'turns_search%' or name like '%turn_words%' then pgsize else 0 end) as words,
        sum(pgsize) as "all" from dbstat`),
    ),
  );
  const { words = 0, all = 1 } = sizes ?? {};
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const note = `${megabytes(words)} of ${megabytes(all)}`;
  return {
    case: "lists",
    what: "the index of words, share of the file",
    figure: Math.round((100 * words) / all) / 100,
    note,
  };
}
