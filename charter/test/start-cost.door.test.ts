import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./cli.ts";
import { loadedBy } from "./loaded-by.ts";

/** As of what a turn costs (turn-cost.homes.test.ts): whoever raises a figure says why in the same commit. */
const ledger = JSON.parse(readFileSync(new URL("./ledger.json", import.meta.url), "utf8"));

const firstReply = fileURLToPath(new URL("../../bench/workloads/first-reply.mjs", import.meta.url));

const programs: readonly (readonly [what: string, entry: string, args: readonly string[]])[] = [
  ["`charter show`", "show", [command, "show", "--charter", "assistant"]],
  ["a new process until its first reply", "firstReply", ["--conditions=charter-source", firstReply, ":memory:"]],
];

test.each(programs)("%s loads no more files and kilobytes than the ledger says", async (_, entry, args) => {
  const folder = mkdtempSync(join(tmpdir(), "charter-loaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const loaded = await loadedBy(args, { cwd: folder, env: { HOME: folder } });
  const bytes = loaded.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  const cost = { files: loaded.length, kilobytes: Math.ceil(bytes / 1000) };
  expect(cost.files).toBeGreaterThan(10);
  const isMet = cost.files <= ledger[entry].files && cost.kilobytes <= ledger[entry].kilobytes;
  const hint = `Load it when it is needed, or raise “${entry}” in charter/test/ledger.json and say why in the commit.`;
  expect([cost, isMet], `${hint} Loaded:\n${loaded.join("\n")}`).toEqual([cost, true]);
});
