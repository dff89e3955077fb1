import { appendFileSync, closeSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";
import { openFile, replaceFile } from "./files.ts";
import { openWorkspace } from "./workspace.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const edit = (oldText: string, newText: string, path = "a.txt") => bench.call("edit", { path, oldText, newText });

test("a change is made, and told as a diff", async () => {
  bench.put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
  expect(await edit("three\nfour", "3\nfour\n4½")).toBe(
    "Edited “a.txt”:\n--- a.txt (before)\n+++ a.txt (after)\n@@ -1,6 +1,7 @@\n one\n two\n-three\n+3\n four\n+4½\n five\n six",
  );
  expect(bench.text("a.txt")).toBe("one\ntwo\n3\nfour\n4½\nfive\nsix\n");
});

test("a byte-order mark can be taken away by itself", async () => {
  bench.put("a.txt", "\uFEFFa\n");
  expect(await edit("\uFEFF", "")).toBe("Edited “a.txt”.");
  expect(bench.text("a.txt")).toBe("a\n");
});

describe("what the file has of its own stays", () => {
  const rows: [what: string, before: string, oldText: string, newText: string, after: string][] = [
    ["CRLF", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"],
    ["CRLF, asked for in CRLF", "a\r\nb\r\nc\r\n", "a\r\nb\r\n", "x\r\n", "x\r\nc\r\n"],
    ["CRLF, where the old words have no line end", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"],
    ["CRLF, a line taken out", "a\r\nb\r\nc", "b\n", "", "a\r\nc"],
    ["LF, asked for in CRLF", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"],
    ["both ends in one file: each where it was", "a\r\nb\nc\r\nd\n", "b\nc\n", "B\nC\n", "a\r\nB\nC\nd\n"],
    ["a carriage return alone", "a\rb\nc", "c", "d", "a\rb\nd"],
    ["a byte-order mark", "\uFEFFa\nb\n", "a", "x", "\uFEFFx\nb\n"],
    ["a byte-order mark that was asked for as well", "\uFEFFa\nb\n", "\uFEFFa", "\uFEFFx", "\uFEFFx\nb\n"],
    ["words that look like a pattern", "a $& $1 \\n .* b", "$& $1 \\n .*", "$$ $` $'", "a $$ $` $' b"],
    ["letters of several bytes", "żółw 🐢 żółw!", "🐢 żółw", "🐇", "żółw 🐇!"],
  ];
  for (const [what, before, oldText, newText, after] of rows)
    test(what, async () => {
      bench.put("a.txt", before);
      expect(await edit(oldText, newText)).toMatch(/^Edited “a\.txt”:\n--- a\.txt/);
      expect(bench.text("a.txt")).toBe(after);
    });

  test("bytes that are no UTF-8", async () => {
    const path = bench.put("a.txt", Buffer.from("caf\xe9 one\n", "latin1"));
    await edit("one", "zwölf");
    expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.from("caf\xe9 ", "latin1"), Buffer.from("zwölf\n")]));
  });
});

describe("nothing is changed", () => {
  const rows: [what: string, before: string, oldText: string, newText: string, expected: string][] = [
    [
      "words that are not there",
      "a\n",
      "b",
      "c",
      "! Nothing was changed: the text is not in “a.txt”. Read the file again; every character must match.",
    ],
    [
      "words that stand there with other spaces",
      "if (a) {\n\tb();\n}\n",
      "if (a) {\n  b();\n}",
      "c",
      "! Nothing was changed: the text is not in “a.txt”. At line 1 it differs only in the space around lines; every character must match.",
    ],
    [
      "words that stand there twice",
      "a\nb\na\n",
      "a",
      "c",
      "! Nothing was changed: the text stands 2 times in “a.txt”, at lines 1, 3. Give more of the lines around it, so that it stands there once.",
    ],
    [
      "words that overlap themselves",
      "aaa\n",
      "aa",
      "b",
      "! Nothing was changed: the text stands 2 times in “a.txt”, at lines 1, 1. Give more of the lines around it, so that it stands there once.",
    ],
    [
      "words that stand there often",
      "a\n".repeat(12),
      "a",
      "b",
      "! Nothing was changed: the text stands 12 times in “a.txt”, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more. Give more of the lines around it, so that it stands there once.",
    ],
    [
      "words that overlap themselves, long ones and very often",
      "a".repeat(1_000_000),
      "a".repeat(20_000),
      "b",
      "! Nothing was changed: the text stands 1000 times or more in “a.txt”, at lines 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 and more. Give more of the lines around it, so that it stands there once.",
    ],
    [
      "a byte-order mark that is not there",
      "a\n",
      "\uFEFF",
      "b",
      "! Nothing was changed: the text is not in “a.txt”. Read the file again; every character must match.",
    ],
    ["the same words", "a\n", "a", "a", "! Nothing was changed: the new text is the old one."],
    [
      "the same words with other line ends",
      "a\r\nb",
      "a\nb",
      "a\r\nb",
      "! Nothing was changed: the new text is the old one.",
    ],
    ["a binary file", "a\0b", "a", "b", "! “a.txt” is a binary file: it cannot be edited as text."],
  ];
  for (const [what, before, oldText, newText, expected] of rows)
    test(what, async () => {
      bench.put("a.txt", before);
      expect(await edit(oldText, newText)).toBe(expected);
      expect(bench.text("a.txt")).toBe(before);
    });

  test("no words at all, or half a character", async () => {
    bench.put("a.txt", "a");
    await expect(edit("", "b")).rejects.toThrow("oldText");
    await expect(edit("a", "\udc00")).rejects.toThrow("half a character");
  });

  test("a file that is not there, or too large", async () => {
    expect(await edit("a", "b")).toBe("no-such-file: There is no “a.txt”. Look at what is there first.");
    bench.put("a.txt", "a".repeat(2000));
    expect(
      await bench.call("edit", { path: "a.txt", oldText: "b", newText: "c" }, { limits: { fileBytes: 1024 } }),
    ).toBe("! “a.txt” has more than 1 KB: too large to edit.");
  });

  test("a file that someone else changed after it was read", () => {
    const path = bench.put("a.txt", "one");
    const workspace = openWorkspace({ root: bench.root });
    const place = workspace.locate("a.txt", "write");
    const { fd, stat } = openFile(workspace, place);
    closeSync(fd);
    appendFileSync(path, " two");
    expect(() => replaceFile(workspace, place, Buffer.from("mine"), stat)).toThrow(
      "“a.txt” was changed by someone else at the same time.",
    );
    expect(bench.text("a.txt")).toBe("one two");
  });
});

test("many edits at once: none is lost", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index};`);
  bench.put("a.txt", lines.join("\n"));
  await Promise.all(lines.map((line) => edit(line, line.toUpperCase())));
  expect(bench.text("a.txt")).toBe(lines.join("\n").toUpperCase());
});

test("a large change is told in numbers, a long line cut", async () => {
  const path = join(bench.root, "a.txt");
  bench.put("a.txt", "x\n".repeat(300));
  expect(await edit("x\n".repeat(299), "y\n".repeat(200))).toMatch(/^! .*stands 2 times/);
  expect(await edit("x\n".repeat(300), "y\n".repeat(200))).toBe("Edited “a.txt”: 301 lines became 201.");
  expect(readFileSync(path, "utf8")).toBe("y\n".repeat(200));
  bench.put("b.txt", "z".repeat(1000));
  expect(await edit("z".repeat(1000), "short", "b.txt")).toBe(
    `Edited “b.txt”:\n--- b.txt (before)\n+++ b.txt (after)\n@@ -1,1 +1,1 @@\n-${"z".repeat(499)}… (cut)\n+short`,
  );
});

test("what came too late leaves nothing behind", () => {
  const path = bench.put("a.txt", "one");
  const workspace = openWorkspace({ root: bench.root });
  const place = workspace.locate("a.txt", "write");
  const { fd, stat } = openFile(workspace, place);
  closeSync(fd);
  appendFileSync(path, " two");
  expect(() => replaceFile(workspace, place, Buffer.from("mine"), stat)).toThrow("changed by someone else");
  expect(readdirSync(bench.root)).toEqual(["a.txt"]);
});
