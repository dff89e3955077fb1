import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "./agent-process.ts";

test("a program is found on PATH, by its whole path, or in the directory it is started in", () => {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  for (const name of ["bin", "other", join("bin", "sub")]) mkdirSync(join(folder, name));
  const own = join(folder, "bin", "own");
  writeFileSync(own, "");
  writeFileSync(join(folder, "other", "own"), "");
  chmodSync(own, 0o755);
  const PATH = [join(folder, "nowhere"), join(folder, "other"), join(folder, "bin")].join(delimiter);
  const rows: [program: string, path: string | undefined, found: string | undefined][] = [
    ["own", PATH, own],
    ["own", "bin", own],
    ["own", "", undefined],
    ["own", undefined, undefined],
    ["sub", PATH, undefined],
    ["other", PATH, undefined],
    [own, undefined, own],
    ["bin/own", undefined, own],
    ["./own", PATH, undefined],
    ["other/own", PATH, undefined],
  ];
  for (const [program, path, found] of rows)
    expect([program, findProgram(program, path, folder)]).toEqual([program, found]);
});
