import type { Reporter, TestModule } from "vitest/node";
import { fixedLoop, isBeyond, meant, type Spent, total } from "./budget.ts";

/** Ends a run with its slowest ten files, or with all of them; a first tier that takes too much as a whole fails. */
export default class Ledger implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) => {
      const { spent } = module.meta() as { spent?: Spent };
      return spent ? [{ file: module.relativeModuleId, tier: module.project.name, tests: countOf(module), spent }] : [];
    });
    if (rows.length === 0) return;
    const sorted = rows.toSorted((one, other) => total(other.spent) - total(one.spent));
    const isWhole = process.env.CHARTER_LEDGER === "1";
    const write = (line: string) => process.stdout.write(`${line}\n`);
    write(`\n${isWhole ? "Every file" : "The slowest ten"}, in seconds of processor time:`);
    for (const { file, spent } of isWhole ? sorted : sorted.slice(0, 10)) write(`  ${told(spent)}  ${file}`);
    if (isWhole) {
      write("\nBy folder:");
      for (const [folder, all] of byFolder(rows)) write(`  ${told(sumOf(all.map(({ spent }) => spent)))}  ${folder}`);
    }
    const all = sumOf(rows.map(({ spent }) => spent));
    const tests = rows.reduce((sum, row) => sum + row.tests, 0);
    write(`\n  ${told(all)}  ${tests} tests in ${rows.length} files`);
    const logic = sumOf(rows.filter(({ tier }) => tier === "logic").map(({ spent }) => spent));
    if (!isBeyond(total(logic), meant.tier, fixedLoop())) return;
    process.stderr.write(
      `The first tier took ${total(logic).toFixed(0)} s of processor time; ${meant.tier} s are meant, twice as much fails.\n`,
    );
    process.exitCode = 1;
  }
}

type Row = { readonly file: string; readonly spent: Spent };

function countOf(module: TestModule): number {
  return [...module.children.allTests()].filter((test) => test.result().state !== "skipped").length;
}

/** The seconds, then whose they are where they are not the file's own, then what was counted. */
function told(spent: Spent): string {
  const { own: _, ...others } = spent.cpu;
  const shares = Object.entries(others).filter(([, seconds]) => seconds >= 0.05);
  const counted = (["processes", "databases", "windows", "runs"] as const).filter((what) => spent[what] > 0);
  const notes = [
    ...shares.map(([who, seconds]) => `${who} ${seconds.toFixed(1)}`),
    ...counted.map((what) => `${spent[what]} ${what}`),
  ];
  return `${total(spent).toFixed(1).padStart(7)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

function byFolder(rows: readonly Row[]): [string, Row[]][] {
  const folderOf = ({ file }: Row) =>
    file
      .split("/")
      .slice(0, 3)
      .join("/")
      .replace(/\/[^/]*\.ts$/, "");
  return [...Map.groupBy(rows, folderOf)].toSorted(([one], [other]) => one.localeCompare(other));
}

function sumOf(all: readonly Spent[]): Spent {
  const of = (pick: (spent: Spent) => number) => all.reduce((sum, spent) => sum + pick(spent), 0);
  return {
    processes: of(({ processes }) => processes),
    databases: of(({ databases }) => databases),
    windows: of(({ windows }) => windows),
    runs: of(({ runs }) => runs),
    cpu: {
      own: of(({ cpu }) => cpu.own),
      children: of(({ cpu }) => cpu.children),
      PostgreSQL: of(({ cpu }) => cpu.PostgreSQL),
      Chromium: of(({ cpu }) => cpu.Chromium),
    },
  };
}
