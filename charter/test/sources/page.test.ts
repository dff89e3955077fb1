import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { diagnosticCodes, fileLimits } from "../../src/sources/disk/findings.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/files.md"), "utf8");

test("every diagnostic has its line in docs/files.md, and no line is left over", () => {
  const chapter = page.split("## Diagnostics")[1] ?? "";
  expect([...chapter.matchAll(/^\| `([\w-]+)` \|/gm)].map((row) => row[1])).toEqual([...diagnosticCodes].sort());
});

test("the caps it tells are those that hold", () => {
  expect(fileLimits).toMatchObject({ system: 1024 * 1024, contextFile: 128 * 1024, context: 512 * 1024 });
});
