import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const ls = (input: object = {}, options: Parameters<WorkspaceBench["call"]>[2] = {}) =>
  bench.call("ls", input, options);

test("entries in order: hidden ones too, directories and links marked, names that break lines quoted", async () => {
  for (const path of ["b.txt", "A.txt", ".env", "src/x", ".git/config", "two\nlines"]) bench.put(path);
  symlinkSync("../outside", join(bench.root, "link"));
  expect(await ls()).toBe('.env\n.git/\nA.txt\nb.txt\nlink -> ../outside\nsrc/\n"two\\nlines"');
  expect(await ls({ path: "src" })).toBe("x");
});

test("what is empty, no directory, or not there", async () => {
  bench.put("a.txt");
  expect(await ls({ path: "a.txt" })).toBe("! “a.txt” is no directory. Read it instead.");
  expect(await ls({ path: "gone" })).toBe("no-such-file: There is no “gone”. Look at what is there first.");
  bench.remove();
  bench = newWorkspace();
  expect(await ls()).toBe("(empty directory)");
});

test("so many entries, so many bytes", async () => {
  for (let index = 0; index < 600; index++) bench.put(`${1000 + index}`);
  const lines = (await ls()).split("\n");
  expect([lines[0], lines[499], lines[501]]).toEqual([
    "1000",
    "1499",
    "[The first 500 of 600 entries; use limit=600 for all.]",
  ]);
  expect(await ls({ limit: 1 })).toBe("1000\n\n[The first 1 of 600 entries; use limit=600 for all.]");
  expect(await ls({}, { limits: { bytes: 12 } })).toBe(
    "1000\n1001\n\n[The first 2 of 600 entries; list a directory in it, or use find.]",
  );
});
