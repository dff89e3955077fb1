import { mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
const read = (path: string, more: object = {}) => bench.call("read", { path, ...more });

test("a file comes as it is", async () => {
  const texts = ["one\ntwo", "one\ntwo\n", "\n", "\n\n a\tb \r\n", "żółw 🐢\n"];
  for (const [index, text] of texts.entries()) {
    bench.put(`${index}.txt`, text);
    expect(await read(`${index}.txt`)).toBe(text);
  }
  bench.put("empty.txt", "");
  expect(await read("empty.txt")).toBe("(empty file)");
});

describe("lines", () => {
  const rows: [asked: object, expected: string][] = [
    [{ limit: 2 }, "line 1\nline 2\n\n[Lines 1-2 of 5. Use offset=3 to continue.]"],
    [{ offset: 3, limit: 2 }, "line 3\nline 4\n\n[Lines 3-4 of 5. Use offset=5 to continue.]"],
    [{ offset: 4 }, "line 4\nline 5\n"],
    [{ offset: 5, limit: 1 }, "line 5\n"],
    [{ offset: 0, limit: 1 }, "line 1\n\n[Lines 1-1 of 5. Use offset=2 to continue.]"],
    [{ offset: 6 }, "! Line 6 is past the end: “five.txt” has 5 lines."],
  ];
  for (const [asked, expected] of rows)
    test(`${JSON.stringify(asked)} of five`, async () => {
      bench.put("five.txt", numbered(5));
      expect(await read("five.txt", asked)).toBe(expected);
    });

  test("more than fit are left for later, and every part put together is the file", async () => {
    const text = `${numbered(4500)}the end`;
    bench.put("long.txt", text);
    let [whole, offset] = ["", 1];
    for (;;) {
      const part = await read("long.txt", { offset });
      const [, lines = part, next] =
        /^([\s\S]*)\n\n\[Lines .* of 4501\. Use offset=(\d+) to continue\.\]$/.exec(part) ?? [];
      whole += next === undefined ? lines : `${lines}\n`;
      if (next === undefined) break;
      offset = Number(next);
    }
    expect([whole, offset]).toEqual([text, 4001]);
  });

  test("bytes run out before lines do: no line is torn", async () => {
    bench.put("wide.txt", `${"x".repeat(1000)}\n`.repeat(100));
    const part = await read("wide.txt");
    expect(part).toBe(`${`${"x".repeat(1000)}\n`.repeat(49)}\n[Lines 1-49 of 100. Use offset=50 to continue.]`);
    expect(part.length).toBeLessThan(50_000);
  });

  test("a line that is too long alone is cut, between characters, and the next ones can be read", async () => {
    bench.put("one.txt", `${"🐢".repeat(20_000)}\nlast\n`);
    const part = await read("one.txt");
    expect(part).toBe(
      `${"🐢".repeat(12_288)}\n\n[Line 1 has 78.1 KB; its first 48 KB are shown. Lines 1-1 of 2. Use offset=2 to continue.]`,
    );
    expect(await read("one.txt", { offset: 2 })).toBe("last\n");
    bench.put("odd.txt", `x${"🐢".repeat(20_000)}`);
    expect(await read("odd.txt")).toBe(`x${"🐢".repeat(12_287)}\n\n[Line 1 has 78.1 KB; its first 48 KB are shown.]`);
  });
});

describe("of a file that is larger than memory should be, only a part is read", () => {
  test("its beginning", async () => {
    const path = bench.put("huge.log", `${"x".repeat(9_000)}\nsecond\n`);
    truncateSync(path, 5 * 1024 ** 3);
    expect(await read("huge.log", { limit: 2 })).toBe(
      `${"x".repeat(9_000)}\nsecond\n\n[Lines 1-2 of a file of 5 GB. Use offset=3 to continue.]`,
    );
  });

  test("somewhere in it", async () => {
    bench.put("large.log", Buffer.alloc(30_000_000, "one line of it\n"));
    const before = process.memoryUsage().arrayBuffers;
    expect(await read("large.log", { offset: 1_900_000, limit: 2 })).toBe(
      "one line of it\none line of it\n\n[Lines 1900000-1900001 of a file of 28.6 MB. Use offset=1900002 to continue.]",
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    expect(await read("large.log", { offset: 2_000_001 })).toBe(
      "! Line 2000001 is past the end: “large.log” has 2000000 lines.",
    );
  });
});

describe("what is no text", () => {
  test("binary files and images are named, not shown", async () => {
    bench.put("a.bin", Buffer.from([1, 2, 0, 3]));
    bench.put("a.png", Buffer.from("\x89PNG\r\n\x1a\n…", "latin1"));
    bench.put("a.jpg", Buffer.from("\xff\xd8\xff\xe0", "latin1"));
    bench.put("a.gif", "GIF89a");
    bench.put("a.webp", "RIFF\x01\x02\x03\x04WEBP");
    bench.put("a.svg", "<svg/>");
    expect(await read("a.bin")).toBe("! “a.bin” is a binary file (4 bytes) and cannot be shown as text.");
    expect(await read("a.png")).toBe("! “a.png” is a PNG image (9 bytes) and cannot be shown as text.");
    expect(await read("a.jpg")).toBe("! “a.jpg” is a JPEG image (4 bytes) and cannot be shown as text.");
    expect(await read("a.gif")).toBe("! “a.gif” is a GIF image (6 bytes) and cannot be shown as text.");
    expect(await read("a.webp")).toBe("! “a.webp” is a WebP image (12 bytes) and cannot be shown as text.");
    expect(await read("a.svg")).toBe("<svg/>");
  });

  test("what is no UTF-8 is replaced, and said to be; so is a NUL further down", async () => {
    bench.put("latin1.txt", Buffer.from("caf\xe9\n", "latin1"));
    bench.put("late.txt", `${"x".repeat(9000)}\n\0\n`);
    expect(await read("latin1.txt")).toBe("caf\uFFFD\n\n[Bytes that are no text are shown as “\uFFFD”.]");
    expect(await read("late.txt", { offset: 2 })).toBe("\uFFFD\n\n[Bytes that are no text are shown as “\uFFFD”.]");
  });

  test("a byte-order mark is not shown, and said to be there", async () => {
    bench.put("bom.txt", "\uFEFFone\ntwo\n");
    expect(await read("bom.txt")).toBe(
      "one\ntwo\n\n[The file begins with a byte-order mark, which is not shown; edit keeps it.]",
    );
    expect(await read("bom.txt", { offset: 2 })).toBe("two\n");
  });

  test("directories and devices are not read", async () => {
    mkdirSync(join(bench.root, "folder"));
    expect(await read("folder")).toBe("not-a-file: “folder” is a directory. List it, or name a file in it.");
    expect(await bench.call("read", { path: "/dev/zero" }, { allowed: ["/dev"] })).toBe(
      "not-a-file: “/dev/zero” is a pipe, a device or another thing that is no file. Name a file.",
    );
  });
});

test("no more lines than there may be, whatever is asked for", async () => {
  bench.put("long.txt", numbered(4500));
  expect(await read("long.txt", { limit: 4500 })).toBe(
    `${numbered(2000)}\n[Lines 1-2000 of 4500. Use offset=2001 to continue.]`,
  );
});
