import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../report.ts";
import { slopeOf } from "../rounds.ts";
import { createCrowd } from "../workloads/crowd.ts";
import { started } from "./serve.ts";

type Memory = { readonly heap: number; readonly resident: number };

const atOnce = 50;
/** Someone comes, takes so many turns, and is gone: what was kept of them has to be let go. */
const stay = 10;

/** Many turns over HTTP by users who come and go: does the server keep what it should let go? */
export async function soak(quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-soak-"));
  const turns = quick ? 4000 : 100_000;
  const waves = 20;
  const server = await started(folder, ["charter"]);
  const crowd = createCrowd(server.facts, atOnce, { stay });
  try {
    const samples: Memory[] = [];
    for (let wave = 0; wave < waves; wave++) {
      await crowd.take(turns / waves);
      samples.push(await server.ask<Memory>("memory"));
    }
    // Until as many users were there as are remembered, more are remembered with every turn.
    const full = samples.slice(quick ? waves / 2 : waves / 4);
    const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
    const [first, last] = [full[0] as Memory, full.at(-1) as Memory];
    return {
      title: `Soak  ${turns.toLocaleString("en")} turns over HTTP by ${(turns / stay).toLocaleString("en")} users who come and go`,
      about: "the server's memory after a collection, from the moment its caches are full",
      rows: [
        { case: "soak", what: "heap when the caches are full, MB", figure: megabytes(first.heap) },
        { case: "soak", what: "heap at the end, MB", figure: megabytes(last.heap) },
        { case: "soak", what: "resident memory at the end, MB", figure: megabytes(last.resident) },
        {
          case: "soak",
          what: "growth of the heap, MB for 10,000 turns",
          figure:
            Math.round((slopeOf(full.map(({ heap }, index) => [index * (turns / waves), heap])) / 1e6) * 10_000 * 100) /
            100,
          ...(quick ? {} : { target: 0.5 }),
          note: quick ? "too few turns to fill the caches" : `a line through ${full.length} samples`,
        },
      ],
      wrong: crowd.wrong,
    };
  } finally {
    crowd.leave();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
