import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, run } from "../process.ts";
import type { Report } from "../report.ts";
import { slopeOf } from "../rounds.ts";
import type { ManyTurns, Sample } from "../workloads/many-turns.ts";

/** A thousand users' turns at once in one process, then wave after wave of others': is all of it let go? */
export async function concurrent(quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-many-"));
  const [atOnce, more] = quick ? [500, 6] : [1000, 10];
  try {
    const program = join(root, "bench/workloads/many-turns-run.ts");
    const args = ["--expose-gc", program, join(folder, "charter.db"), String(atOnce), String(more + 1)];
    const { code, output, errors } = await run(args, { ...process.env });
    if (code !== 0) throw new Error(`The process of many turns ended with ${code}: ${errors}`);
    const { samples, seconds, wrong }: ManyTurns = JSON.parse(output);
    const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample];
    const all = (more * atOnce).toLocaleString("en");
    const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
    // While caches fill and code is compiled the heap goes up and down by itself.
    const settled = samples.slice(2);
    const waiting = Math.max(...samples.map((sample) => sample.waiting));
    return {
      title: `Concurrent  ${atOnce.toLocaleString("en")} users' turns at once in one process, then ${all} more in waves`,
      about:
        "two steps that call a tool and one that answers, a model that pauses; SQLite; the heap after a collection",
      rows: [
        { case: "concurrent", what: "turns a second", figure: Math.round(atOnce / middle(seconds)) },
        { case: "concurrent", what: "heap after the first wave, MB", figure: megabytes(first.heap) },
        { case: "concurrent", what: `heap after ${all} more, MB`, figure: megabytes(last.heap) },
        { case: "concurrent", what: "resident memory then, MB", figure: megabytes(last.resident) },
        {
          case: "concurrent",
          what: "growth, MB for 1,000 turns",
          figure: Math.round((slopeOf(settled.map(({ turns, heap }) => [turns, heap])) / 1e6) * 1000 * 1000) / 1000,
          target: 0.1,
          note: `a line through the last ${settled.length} waves`,
        },
        { case: "concurrent", what: "timers left waiting", figure: waiting, target: 0 },
      ],
      wrong,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}
