import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const folders = ["charter/src/prompt/", "charter/src/amend/"];
const report = ".stryker/report.json";
/** The least a folder may score, in per cent. */
const least = 85;

/** The files that Stryker breaks, from the root. */
export function strykerFiles(root: string): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}**/*.ts`, { cwd: root }).sort())
    .filter((file) => !file.endsWith(".test.ts"));
}

/** Runs Stryker on these files, or on all of them, and tells each folder's score. Is every score high enough? */
export async function runStryker(root: string, files: readonly string[], jobs: number): Promise<boolean> {
  rmSync(join(root, report), { force: true });
  const stryker = join(root, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const only = files.length === 0 ? [] : ["--mutate", files.join(",")];
  const args = [stryker, "run", "scripts/stryker/stryker.config.mjs", "--concurrency", String(jobs), ...only];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", process.stderr, "inherit"] });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (!existsSync(join(root, report))) return false;
  const scores = scoresIn(JSON.parse(readFileSync(join(root, report), "utf8")));
  for (const { folder, score, counts } of scores) {
    if (Object.keys(counts).length === 0) continue;
    const found = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
    process.stderr.write(`${folder} ${score.toFixed(1)} % (${least} % is the least): ${found.join(", ")}\n`);
  }
  return code === 0 && scores.every(({ score }) => score >= least);
}

type Report = {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
};
type Score = { readonly folder: string; readonly score: number; readonly counts: Readonly<Record<string, number>> };

/** Per folder, how many of its mutants were noticed. Those that Stryker left out do not count. */
export function scoresIn({ files }: Report): readonly Score[] {
  return folders.map((folder) => {
    const mutants = Object.entries(files).flatMap(([file, one]) => (file.startsWith(folder) ? one.mutants : []));
    const { Ignored: _, ...groups } = Object.groupBy(mutants, ({ status }) => status);
    const counts = Object.fromEntries(Object.entries(groups).map(([status, group]) => [status, group?.length ?? 0]));
    const noticed = (counts.Killed ?? 0) + (counts.Timeout ?? 0);
    const tried = noticed + (counts.Survived ?? 0) + (counts.NoCoverage ?? 0);
    return { folder, score: tried === 0 ? 100 : (100 * noticed) / tried, counts };
  });
}
