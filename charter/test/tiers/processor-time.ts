import { readdirSync, readFileSync } from "node:fs";
import type { Spent } from "./budget.ts";

type Ticks = { readonly own: number; readonly ended: number };

/**
 * Seconds of processor time so far: this process and what it started, and what the whole run shares, PostgreSQL and
 * Chromium, which is all this one's doing only where no other worker runs beside it. Only Linux tells of other processes.
 */
export function processorTime(): Spent["cpu"] {
  const { user, system } = process.cpuUsage();
  const shared = childrenOf(process.ppid).filter((pid) => pid !== String(process.pid));
  const sharedBy = (name: RegExp) => sum(shared.filter((pid) => name.test(programOf(pid))).map(treeOf));
  return {
    own: (user + system) / 1e6,
    children: ticksOf("self").ended + sum(childrenOf(process.pid).map(treeOf)),
    PostgreSQL: sharedBy(/postgres/),
    Chromium: sharedBy(/chrom/),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

function treeOf(pid: string): number {
  const { own, ended } = ticksOf(pid);
  return own + ended + sum(childrenOf(pid).map(treeOf));
}

/** Fields 14 to 17 of proc(5)'s stat, in hundredths of a second; the second one may hold blanks and brackets. */
function ticksOf(pid: string): Ticks {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index] ?? 0) / 100;
  return { own: at(11) + at(12), ended: at(13) + at(14) };
}

function childrenOf(pid: string | number): string[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean));
  } catch {
    return [];
  }
}

function programOf(pid: string): string {
  return read(`/proc/${pid}/cmdline`).split("\0")[0] as string;
}

/** Nothing of a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
