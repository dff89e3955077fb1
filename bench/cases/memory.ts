import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../charter/src/index.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, timeOf } from "../rounds.ts";
import { rng } from "../workloads/rng.ts";

const each = 5;
const sizes = [1000, 2000, 4000];
const dimensions = 512;

/** As long as those of a small model, and at hand: the question is what a search does with them. */
const embedder: Embedder = {
  name: "random",
  embed: async (texts) =>
    texts.map((text) => {
      const random = rng([...text].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) as number), 7) >>> 0);
      return Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
    }),
};

/** A search in a scope with many notes: by words, and fused with what they mean. */
export async function memory(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-memory-"));
  try {
    const store = await createStore(sqlite(":memory:"));
    const wrong: string[] = [];
    for (const size of sizes) await fill(store, size);
    const contender = (size: number, withMeaning: boolean): Contender => {
      const notes = withMeaning ? store.memory.withEmbedder(embedder) : store.memory;
      return {
        name: nameOf(size, withMeaning),
        units: each,
        prepare: () =>
          Array.from({ length: each }, (_, at) => async () => {
            const wanted = at * 31;
            const found = await notes.search({ agent: `m${size}` }, `which thing is word${wanted}?`, { limit: 20 });
            if (!found.notes.some(({ text }) => text.includes(`word${wanted} `))) wrong.push(`${size}: not found.`);
          }),
      };
    };
    const both = sizes.flatMap((size) => [false, true].map((withMeaning) => [size, withMeaning] as const));
    const times = await inRounds(
      both.map(([size, withMeaning]) => contender(size, withMeaning)),
      rounds,
    );
    await store.close();
    return {
      title: `Memory   a search among one scope's notes, SQLite, vectors of ${dimensions} numbers`,
      about: "three words, one of them rare; the question is embedded beforehand",
      rows: both.map(([size, withMeaning]) => {
        const what = nameOf(size, withMeaning);
        return { case: "memory", what, time: timeOf(times, what) };
      }),
      wrong: [...new Set(wrong)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const nameOf = (size: number, withMeaning: boolean) =>
  `${size.toLocaleString("en")} notes, ${withMeaning ? "words and meaning" : "words"}`;

async function fill(store: Store, size: number): Promise<void> {
  const agent = `m${size}`;
  await store.agents.put({ name: agent, charter: "assistant" });
  const random = rng(size);
  const word = () => `word${random.int(2000)}`;
  for (let from = 0; from < size; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, size - from) }, (_, at) =>
        store.memory.save(
          { agent },
          { text: `The thing word${(from + at) % 2000} is about ${Array.from({ length: 8 }, word).join(" ")} today.` },
        ),
      ),
    );
  // What is embedded before a search is limited: until all are.
  const notes = store.memory.withEmbedder(embedder);
  for (let done = 0; done <= size; done += 512) await notes.search({ agent }, "thing");
}
