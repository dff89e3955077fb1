import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../charter/src/agent/index.ts";
import { replayRequest } from "../../charter/src/agent/replay.ts";
import { assistant, exampleSoul } from "../../charter/src/charters/index.ts";
import type { Model, ModelRequest } from "../../charter/src/delivery/model.ts";
import { receiverOf } from "../../charter/src/delivery/receiver.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import type { Report } from "../report.ts";
import { rng } from "../workloads/rng.ts";

const users = 4;
const stems = "garden river letter morning cloud seven bridge winter paper yellow sister window copper street".split(
  " ",
);

/** How much of the disk an assistant's turns take, with everything a step keeps, beside its requests written out in full. */
export async function keptRequests(turns: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-kept-requests-"));
  const path = join(folder, "charter.db");
  const random = rng(7);
  const words = (count: number) =>
    Array.from({ length: count }, () => `${random.pick(stems)}${random.int(900)}`).join(" ");
  try {
    let [full, last]: [number, ModelRequest | undefined] = [0, undefined];
    const model: Model = {
      receiver: receiverOf("anthropic/claude-sonnet-5-5"),
      ask: async (request) => {
        full += Buffer.byteLength(JSON.stringify(request));
        last = request;
        const usage = { input: 5000, read: 4000, written: 500, output: 200 };
        return { answer: { text: words(40 + random.int(160)), calls: [], finish: "stop", usage } };
      },
    };
    const store = await createStore(sqlite(path));
    const agent = createAgent({ name: "ada", charter: assistant({ soul: exampleSoul }), model, store });
    const wrong: string[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const { turn: id } = await agent.runTurn({ input: words(5 + random.int(40)), user: `u${turn % users}` });
      if (turn % 97 !== 0 && turn !== turns - 1) continue;
      const { request } = await replayRequest(store, id);
      if (JSON.stringify(request) !== JSON.stringify(last)) wrong.push(`Turn ${turn} is not what the model was asked.`);
    }
    await store.close();
    const file = statSync(path).size;
    const rounded = (figure: number, digits: number) => Math.round(figure * 10 ** digits) / 10 ** digits;
    return {
      title: `Kept requests  ${turns.toLocaleString("en")} turns of an assistant and ${users} users, requests whole`,
      about: "the size of the SQLite file as it is, without a vacuum, beside the bytes of the requests in full",
      rows: [
        { case: "kept-requests", what: "requests in full, KB a turn", figure: rounded(full / turns / 1024, 1) },
        { case: "kept-requests", what: "the file, KB a turn", figure: rounded(file / turns / 1024, 2) },
        { case: "kept-requests", what: "share", figure: rounded(file / full, 3), target: 0.15 },
      ],
      wrong,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
