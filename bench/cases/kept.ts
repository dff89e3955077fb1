import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble } from "../../charter/src/prompt/assemble.ts";
import { receiptOf } from "../../charter/src/prompt/receipt.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { sha256 } from "../../charter/src/store/texts/packing.ts";
import type { Report } from "../report.ts";
import { o200k } from "../tokenizers.ts";
import { createSource, declare } from "../workloads/sovereign-charter.ts";
import { type Inputs, sovereignTurns } from "../workloads/sovereign-turns.ts";

/** How much of the disk the turns of sovereign-turns take, with everything a step keeps, beside their prompts written out in full. */
export async function kept(turns: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-kept-"));
  try {
    const { prompts, file, wrong } = await storeTurns(join(folder, "charter.db"), turns);
    const share = file / prompts;
    return {
      title: `Kept  ${turns.toLocaleString("en")} turns of sovereign-turns, receipts included`,
      about: "the size of the SQLite file after a vacuum, as a share of the bytes of the prompts in full",
      rows: [
        { case: "kept", what: "prompts in full, MB", figure: Math.round(prompts / 1e5) / 10 },
        { case: "kept", what: "the file, MB", figure: Math.round(file / 1e5) / 10 },
        { case: "kept", what: "share", figure: Math.round(share * 1000) / 1000, target: 0.15 },
      ],
      wrong,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function storeTurns(path: string, count: number) {
  const turns = sovereignTurns(count);
  const charter = declare((turns[0] as Inputs).layers);
  const read = createSource(charter);
  const store = await createStore(sqlite(path));
  await store.agents.put({ name: "sovereign-turns", charter: "sovereign-turns" });
  const wrong: string[] = [];
  let prompts = 0;
  for (const [index, inputs] of turns.entries()) {
    const prompt = assemble(charter, read(inputs));
    prompts += Buffer.byteLength(prompt.text);
    const newest = inputs.conversations[index % inputs.conversations.length]?.entries.at(-1);
    const turn = await store.turns.open({
      scope: { agent: "sovereign-turns" },
      channel: "inbox",
      input: newest?.body ?? "",
    });
    await store.turns.recordStep(
      turn.id,
      receiptOf(charter, prompt, { sha256, tokenizer: o200k, receiver: "stand-in" }),
    );
    await store.turns.close(turn.id, { reply: newest?.reply ?? "" });
    if (index % 997 === 0 || index === count - 1) {
      const [slot] = (await store.steps.replay(turn.id)).slots;
      if (slot?.text !== prompt.text) wrong.push(`Turn ${index} is not what was sent.`);
    }
  }
  await store.home.vacuum();
  await store.close();
  return { prompts, file: statSync(path).size, wrong };
}
