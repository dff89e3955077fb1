import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./cli.ts";
import { loadedBy } from "./loaded-by.ts";

/** As of what a turn costs (turn-cost.homes.test.ts): whoever raises a figure says why in the same commit. */
const ledger = JSON.parse(readFileSync(new URL("./ledger.json", import.meta.url), "utf8"));

test("`charter show` loads no more files and kilobytes than the ledger says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-loaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const loaded = await loadedBy([command, "show", "--charter", "assistant"], { cwd: folder, env: { HOME: folder } });
  const bytes = loaded.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  const cost = { files: loaded.length, kilobytes: Math.ceil(bytes / 1000) };
  expect(cost.files).toBeGreaterThan(10);
  expect([cost, cost.files <= ledger.show.files, cost.kilobytes <= ledger.show.kilobytes]).toEqual([cost, true, true]);
});
