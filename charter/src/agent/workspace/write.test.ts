import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";
import { replaceFile } from "./files.ts";
import { openWorkspace } from "./workspace.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const write = (path: string, content: string) => bench.call("write", { path, content });
const modeOf = (path: string) => (statSync(join(bench.root, path)).mode & 0o777).toString(8);

test("a new file, with the directories above it", async () => {
  expect(await write("a/b/c.txt", "żółw\n")).toBe("Created “a/b/c.txt” (8 bytes).");
  expect(bench.text("a/b/c.txt")).toBe("żółw\n");
  expect(await write("a/b/c.txt", "")).toBe("Replaced “a/b/c.txt” (0 bytes).");
  expect(bench.text("a/b/c.txt")).toBe("");
  expect(readdirSync(join(bench.root, "a/b"))).toEqual(["c.txt"]);
});

test("the rights a file had are kept; a new one has the usual ones", async () => {
  chmodSync(bench.put("run.sh", "old"), 0o750);
  await write("run.sh", "new");
  await write("new.txt", "new");
  expect([bench.text("run.sh"), modeOf("run.sh"), modeOf("new.txt")]).toEqual([
    "new",
    "750",
    (0o666 & ~process.umask()).toString(8),
  ]);
});

test("a directory is not written over, nor a file taken for one", async () => {
  mkdirSync(join(bench.root, "folder"));
  bench.put("file.txt", "a");
  expect(await write("folder", "a")).toBe("not-a-file: “folder” is a directory. List it, or name a file in it.");
  expect(await write(".", "a")).toBe("not-a-file: “.” is a directory. List it, or name a file in it.");
  expect(await write("file.txt/b", "a")).toBe(
    "not-a-file: “file.txt/b” lies under something that is no directory. Check the path.",
  );
  expect(readdirSync(bench.root)).toEqual(["file.txt", "folder"]);
});

test.skipIf(process.getuid?.() === 0)("a file that may not be written is not replaced behind its back", async () => {
  chmodSync(bench.put("fixed.txt", "old"), 0o444);
  expect(await write("fixed.txt", "new")).toBe(
    "unwritable: “fixed.txt” cannot be written: permission denied. Check the path and its rights.",
  );
  expect(bench.text("fixed.txt")).toBe("old");
});

test("two writes at once: one of them stands, whole", async () => {
  const texts = ["a", "b"].map((letter) => `${letter.repeat(1_000_000)}\n`);
  await Promise.all(texts.flatMap((text) => [write("same.txt", text), write("new/deep/same.txt", text)]));
  for (const path of ["same.txt", "new/deep/same.txt"]) expect(texts).toContain(bench.text(path));
  expect(readdirSync(bench.root)).toEqual(["new", "same.txt"]);
});

test("whoever has the old file open still has all of it", async () => {
  const old = openSync(bench.put("a.txt", "old words"), "r");
  await write("a.txt", "new");
  expect([readFileSync(old, "utf8"), bench.text("a.txt")]).toEqual(["old words", "new"]);
  closeSync(old);
});

test("what could not be written leaves nothing behind", async () => {
  const workspace = openWorkspace({ root: bench.root });
  const place = workspace.locate("a.txt", "write");
  mkdirSync(join(bench.root, "a.txt"));
  expect(() => replaceFile(workspace, place, Buffer.from("new"))).toThrow("is a directory");
  expect(readdirSync(bench.root)).toEqual(["a.txt"]);
});

test("half a character is refused before anything is written", async () => {
  await expect(write("a.txt", "\ud83d")).rejects.toThrow("half a character");
  expect(bench.text("a.txt")).toBe(undefined);
});
