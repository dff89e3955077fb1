import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { runs } from "../tiers/search.ts";
import { declared, sameBytes } from "./charter-folder.ts";
import { alwaysAsync } from "./generate.ts";

const home = mkdtempSync(join(tmpdir(), "charter-folders-"));
afterAll(() => rmSync(home, { recursive: true }));

test("ten thousand charters make the same prompts as files and as TypeScript", async () => {
  await alwaysAsync(declared, (one) => sameBytes(one), runs(30, 10_000));
}, 1_800_000);

test("so do charters in folders on the disk", async () => {
  let number = 0;
  await alwaysAsync(declared, (one) => sameBytes(one, join(home, `f${number++}`)), runs(10, 500));
}, 600_000);
