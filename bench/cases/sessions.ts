import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createAgent } from "../../charter/src/agent/index.ts";
import { processSessions } from "../../charter/src/agent/turn/live-session.ts";
import { defineCharter, fromText } from "../../charter/src/index.ts";
import { createStore, sqlite } from "../../charter/src/store/index.ts";
import { scriptedModel } from "../../charter/src/testing/index.ts";
import type { Report } from "../report.ts";

const lines = Array.from({ length: 40 }, (_, index) => `Line ${index} of what stands here and does not move.`);

/** What a process keeps of live sessions while one line of the prompt differs each turn; and a long session beside a short one. */
export async function sessions(quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-sessions-"));
  const store = await createStore(sqlite(join(folder, "charter.db")));
  let count = 0;
  const notes = () => fromText([...lines, `Turn ${count}.`].join("\n"));
  const charter = defineCharter({
    name: "bench",
    layers: [
      { name: "rules", mutability: "fixed", sections: [{ name: "rules", words: "Be kind." }] },
      {
        name: "live",
        mutability: "live",
        sections: [{ name: "notes", heading: "## Notes", trust: "own", sources: [notes] }],
      },
    ],
  });
  const model = scriptedModel(["Fine."], { repeatLast: true });
  const agent = createAgent({ name: "bench", charter, model, store, compactAt: 1500 });
  const take = async (user: string) => {
    count++;
    const { state } = await agent.runTurn({ input: `This is what is said in turn ${count}.`, user });
    model.requests.length = 0;
    if (state !== "answered") throw new Error(`A turn ended as ${state}.`);
  };
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const [users, rounds, length] = quick ? [20, 10, 200] : [400, 20, 1000];
  const each = length / 10;
  const kilobytes = (bytes: number) => Math.round(bytes / 100) / 10;
  try {
    for (let user = 0; user < users; user++) await take(`user-${user}`);
    const before = heap();
    for (let round = 0; round < rounds; round++) for (let user = 0; user < users; user++) await take(`user-${user}`);
    const grown = heap() - before;
    const kept = processSessions.bytes() / processSessions.count();
    const paces: number[] = [];
    for (let stretch = 0; stretch < 10; stretch++) {
      const start = process.cpuUsage();
      for (let turn = 0; turn < each; turn++) await take("long");
      const { user, system } = process.cpuUsage(start);
      paces.push((user + system) / 1000 / each);
    }
    const [first, last] = [Math.min(...paces.slice(0, 3)), Math.min(...paces.slice(-3))];
    const row = { case: "sessions" };
    return {
      title: `Sessions  ${users} live sessions of ${rounds} turns, one line of the prompt differs each turn; one of ${length}`,
      about: "the heap after a collection; of the long session the best of three tenths, in processor time",
      rows: [
        { ...row, what: "a live session, counted, KB", figure: kilobytes(kept) },
        {
          ...row,
          what: "heap for each turn, KB",
          figure: kilobytes(grown / (users * rounds)),
          note: "with the texts the store remembers, up to 8 million characters",
        },
        { ...row, what: `a turn among the first ${3 * each}, ms`, figure: Math.round(first * 100) / 100 },
        { ...row, what: `a turn among the last ${3 * each}, ms`, figure: Math.round(last * 100) / 100 },
        { ...row, what: "the last beside the first", figure: Math.round((last / first) * 100) / 100, target: 1.2 },
      ],
      wrong: [],
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
