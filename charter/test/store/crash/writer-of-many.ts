import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "../../../src/index.ts";
import { createStore, postgres, type Store, sqlite } from "../../../src/store/index.ts";
import { charter, deskOf, rewrite } from "../desk.ts";

/** What one of many writers tells: that it is there, what was accepted, what it was refused with, that it is done. */
export type Told =
  | { readonly is: "ready" }
  | { readonly is: "accepted"; readonly revision: number; readonly text: string }
  | { readonly is: "problem"; readonly code: string; readonly message: string }
  | { readonly is: "done"; readonly stale: number };

export const agent = "ada";

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

/** Makes its proposals, each against what it has read; one that came too late is made again. Odd ones have a key. */
async function write(place: string, me: string, proposals: number): Promise<void> {
  try {
    const store = await createStore(/^postgres/.test(place) ? postgres(place) : sqlite(place));
    await store.agents.put({ name: agent, charter: "test" });
    tell({ is: "ready" });
    await once(process.stdin, "data");
    let stale = 0;
    for (let index = 0; index < proposals; index++) stale += await propose(store, `${me} says ${index}`, index);
    await store.close();
    tell({ is: "done", stale });
  } catch (error) {
    const code = error instanceof Problem ? error.code : "none";
    tell({ is: "problem", code, message: error instanceof Error ? `${error.message}` : String(error) });
  }
  process.stdin.destroy();
}

async function propose(store: Store, text: string, index: number): Promise<number> {
  const context = deskOf({ scope: { agent }, ...(index % 2 ? { idempotencyKey: text } : {}) });
  for (let stale = 0; ; stale++) {
    const { goals } = await store.standings.read(charter, { agent });
    const revision = goals && "revision" in goals ? goals.revision : 0;
    const outcome = await store.propose(context, rewrite(text, { revision }));
    if (outcome.verdict !== "accepted") {
      await sleep(Math.random() * 5 * Math.min(stale, 10));
      continue;
    }
    // A writer that did not hear the answer would send it again.
    const again = index % 10 === 1 ? await store.propose(context, rewrite(text, { revision })) : outcome;
    if (again.verdict !== "accepted" || again.revision !== outcome.revision)
      throw new Error(`“${text}” was accepted as ${outcome.revision} and again as ${JSON.stringify(again)}`);
    tell({ is: "accepted", revision: outcome.revision, text });
    return stale;
  }
}

const [, program, url, name, count] = process.argv;
if (url !== undefined && program === import.meta.filename) await write(url, name as string, Number(count));
