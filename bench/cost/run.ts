import { parseArgs } from "node:util";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { opened } from "../opening.ts";
import { boundsOf, held } from "./bound.ts";
import { createSimulator } from "./cache-sim.ts";
import { type LoopCost, loopBounds, measureLoops } from "./loops.ts";
import { measure, type Row } from "./measure.ts";
import { printedBounds, printedLoops, printedTrace } from "./table.ts";
import { createTrace, lengthsOf, traceTitle, type Workload, workloads } from "./trace.ts";

/** What is measured: traces, and one story by three loops. */
const all = [...workloads, "loops"] as const;

const help = `What a prompt costs, in billed tokens a turn, beside other ways of delivering it; bench/README.md says how to read it.

Usage: npm run bench:cost [-- options]

  --quick             20 turns only, not 200 as well
  --only ${all.join(",")}
                      these traces only; loops: one story by three loops
  --json              the figures as JSON
  --help              this text

It ends with 1 when a bound is missed, or when there was nothing to judge: these figures are the same on every machine.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = opened(read(args), help);
  if ("exit" in options) return options.exit;
  const began = performance.now();
  const rows: Row[] = [];
  for (const workload of workloads.filter((one) => options.only.includes(one))) {
    // One for all lengths of a workload: most of their texts are the same.
    const simulate = createSimulator((text) => encode(text, { disallowedSpecial: new Set() }));
    for (const { turns, steps } of lengthsOf(workload).filter((one) => one.turns === 20 || !options.quick)) {
      const trace = createTrace(workload, turns, steps);
      const done = progress(`${traceTitle(trace.name, turns, steps)}…`);
      const measured = await measure(trace, simulate);
      done();
      rows.push(...measured);
      if (!options.json) process.stdout.write(`${printedTrace(measured)}\n`);
    }
  }
  const loops: LoopCost[] = [];
  if (options.only.includes("loops")) {
    const done = progress("one story by three loops…");
    loops.push(...(await measureLoops()));
    done();
    if (!options.json) process.stdout.write(`${printedLoops(loops)}\n`);
  }
  const bounds = [...rows.flatMap(boundsOf), ...loopBounds(loops)];
  const seconds = (performance.now() - began) / 1000;
  if (options.json) {
    const marked = bounds.map((bound) => ({ ...bound, held: held(bound) }));
    process.stdout.write(`${JSON.stringify({ seconds, rows, loops, bounds: marked }, null, 2)}\n`);
  } else process.stdout.write(`${printedBounds(bounds)}\n\n${seconds.toFixed(0)} s\n`);
  return bounds.length > 0 && bounds.every(held) ? 0 : 1;
}

/** A line while something is under way; a terminal has it wiped away afterwards. */
function progress(line: string): () => void {
  const terminal = process.stderr.isTTY;
  process.stderr.write(terminal ? line : `${line}\n`);
  return () => {
    if (terminal) process.stderr.write("\r\u001b[K");
  };
}

type Options = { help: boolean; json: boolean; quick: boolean; only: readonly (typeof all)[number][] };

/** The options, or what is wrong with them. */
function read(args: string[]): Options | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        only: { type: "string" },
      },
    });
    const only = values.only?.split(",") ?? all;
    const unknown = only.find((name) => !all.includes(name as Workload));
    if (unknown !== undefined) return `There is no trace “${unknown}”; there are ${all.join(", ")}.`;
    return { ...values, only: only as Options["only"] };
  } catch (error) {
    return (error as Error).message;
  }
}
