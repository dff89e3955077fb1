import { chmodSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { counting, later, locked, meddling, placeForEach } from "../../../test/sources/place.ts";
import { disk } from "./disk.ts";
import { createFiles } from "./file.ts";

const place = placeForEach();

const max = 1000;
const told = (severity: string, code: string, path: string, message: string) => [{ severity, code, path, message }];

describe("what a path holds", () => {
  test("words", () => {
    const path = place.write("a.md", "Hello.\r\n");
    expect(createFiles(disk, later).read(path, max)).toEqual({
      status: "present",
      text: "Hello.\n",
      more: 0,
      diagnostics: [],
    });
  });

  test.each(["", " \n\t\n", "\uFEFF", "\u0085\n"])("nothing but white space is empty: %j", (words) => {
    expect(createFiles(disk, later).read(place.write("a.md", words), max)).toEqual({
      status: "empty",
      diagnostics: [],
    });
  });

  test("no more is read than is wanted, and a character is never split", () => {
    const path = place.write("a.md", "ab€".repeat(10_000));
    const { disk: counted, counts } = counting();
    expect(createFiles(counted, later).read(path, 9)).toEqual({
      status: "present",
      text: "ab€ab",
      more: 49_993,
      diagnostics: [],
    });
    expect(counts).toMatchObject({ opened: 1, bytes: 9 });
  });

  test("a file whose size nobody knows before is read all the same", () => {
    expect(createFiles(disk, later).read("/proc/self/comm", max)).toMatchObject({ status: "present", more: 0 });
  });

  test("no file, or a file where a directory would have to be: missing", () => {
    const path = place.write("a.md", "Hello.");
    const files = createFiles(disk, later);
    expect(files.read(place.at("b.md"), max)).toEqual({ status: "missing", diagnostics: [] });
    expect(files.read(`${path}/b.md`, max)).toEqual({ status: "missing", diagnostics: [] });
  });

  test("a link that leads nowhere: missing, and told", () => {
    const path = place.link("a.md", "nowhere.md");
    const message = `${path} is a link to a file that is not there.`;
    expect(createFiles(disk, later).read(path, max)).toEqual({
      status: "missing",
      diagnostics: told("warning", "broken-link", path, message),
    });
  });

  test.each<[kind: string, make: () => string]>([
    ["a directory", () => place.folder("a.md")],
    ["a device", () => place.link("a.md", "/dev/zero")],
  ])("%s is not opened", (kind, make) => {
    const path = make();
    const { disk: counted, counts } = counting();
    expect(createFiles(counted, later).read(path, max)).toEqual({
      status: "missing",
      diagnostics: told("warning", "not-a-file", path, `${path} is ${kind}, not a file.`),
    });
    expect(counts.opened).toBe(0);
  });

  test("a file that may not be read is unavailable, and named", () => {
    const path = place.write("a.md", "Hello.");
    const reason = `${path} cannot be read: EACCES: permission denied`;
    expect(createFiles(locked(path), later).read(path, max)).toEqual({
      status: "unavailable",
      reason,
      diagnostics: told("error", "unreadable", path, reason),
    });
  });

  test.skipIf(process.getuid?.() === 0)("so it is when the system says it", () => {
    const path = place.write("a.md", "Hello.");
    chmodSync(path, 0);
    expect(createFiles(disk, later).read(path, max)).toMatchObject({ status: "unavailable" });
  });

  test("a link to itself is unavailable", () => {
    const path = place.link("a.md", "a.md");
    const reason = `${path} cannot be read: ELOOP: too many symbolic links encountered`;
    expect(createFiles(disk, later).read(path, max)).toMatchObject({ status: "unavailable", reason });
  });
});

describe("while nothing changes", () => {
  test("the same object comes back, and nothing is opened", () => {
    const path = place.write("a.md", "Hello.");
    const { disk: counted, counts } = counting();
    const files = createFiles(counted, later);
    const first = files.read(path, max);
    expect(files.read(path, max)).toBe(first);
    expect(counts).toEqual({ opened: 1, bytes: 6, looks: 2 });
  });

  test("a file that was written just now is not believed: it is read again, and the object is the same", () => {
    const path = place.write("a.md", "Hello.");
    const { disk: counted, counts } = counting();
    const files = createFiles(counted, () => statSync(path).mtimeMs);
    const first = files.read(path, max);
    expect(files.read(path, max)).toBe(first);
    expect(counts.opened).toBe(2);
  });

  test("what cannot be read is asked again each time, and is the same object", () => {
    const path = place.write("a.md", "Hello.");
    const files = createFiles(locked(path), later);
    const first = files.read(path, max);
    expect(files.read(path, max)).toBe(first);
    const broken = place.link("b.md", "nowhere.md");
    expect(files.read(broken, max)).toBe(files.read(broken, max));
  });

  test("after forget everything is read anew", () => {
    const path = place.write("a.md", "Hello.");
    const { disk: counted, counts } = counting();
    const files = createFiles(counted, later);
    files.read(path, max);
    files.forget();
    expect(files.read(path, max)).toMatchObject({ text: "Hello." });
    expect(counts.opened).toBe(2);
  });
});

describe("what changed is read again", () => {
  test("other words, none, and words again", () => {
    const path = place.write("a.md", "One.");
    const files = createFiles(disk, later);
    expect(files.read(path, max)).toMatchObject({ text: "One." });
    writeFileSync(path, "Two!");
    expect(files.read(path, max)).toMatchObject({ text: "Two!" });
    rmSync(path);
    expect(files.read(path, max)).toEqual({ status: "missing", diagnostics: [] });
    writeFileSync(path, "Three");
    expect(files.read(path, max)).toMatchObject({ text: "Three" });
  });

  test("a file that was put in its place with the same size and the same time", () => {
    const path = place.write("a.md", "One.");
    const at = new Date("2026-01-01T00:00:00Z");
    utimesSync(path, at, at);
    const files = createFiles(disk, later);
    expect(files.read(path, max)).toMatchObject({ text: "One." });
    const other = place.write("b.md", "Two!");
    utimesSync(other, at, at);
    renameSync(other, path);
    expect(files.read(path, max)).toMatchObject({ text: "Two!" });
  });

  test("the same file written again within one tick of the clock, time put back", () => {
    const path = place.write("a.md", "One.");
    const { atime, mtime } = statSync(path);
    const files = createFiles(disk, Date.now);
    expect(files.read(path, max)).toMatchObject({ text: "One." });
    writeFileSync(path, "Two!");
    utimesSync(path, atime, mtime);
    expect(files.read(path, max)).toMatchObject({ text: "Two!" });
  });

  test("more of it when more is wanted", () => {
    const path = place.write("a.md", "One and two.");
    const files = createFiles(disk, later);
    expect(files.read(path, 3)).toMatchObject({ text: "One", more: 9 });
    expect(files.read(path, 100)).toMatchObject({ text: "One and two.", more: 0 });
  });
});

describe("a file that changes while it is read", () => {
  test("once: the words that stood still", () => {
    const path = place.write("a.md", "Old words");
    const files = createFiles(
      meddling((time) => time === 1 && writeFileSync(path, "New")),
      later,
    );
    expect(files.read(path, max)).toEqual({ status: "present", text: "New", more: 0, diagnostics: [] });
  });

  test("each time: the last reading, with a warning, and next time it is asked again", () => {
    const path = place.write("a.md", "0");
    let busy = true;
    const files = createFiles(
      meddling((time) => busy && writeFileSync(path, "x".repeat(time + 1))),
      later,
    );
    const message = `${path} changed each time it was read; it may be half written.`;
    expect(files.read(path, max)).toEqual({
      status: "present",
      text: "xxxx",
      more: 0,
      diagnostics: told("warning", "changed-while-read", path, message),
    });
    busy = false;
    expect(files.read(path, max)).toEqual({ status: "present", text: "xxxxx", more: 0, diagnostics: [] });
  });

  test("one that goes while it is read is missing", () => {
    const path = place.write("a.md", "Hello.");
    const openSync: typeof disk.openSync = (...given) => {
      rmSync(path);
      return disk.openSync(...given);
    };
    expect(createFiles({ ...disk, openSync }, later).read(path, max)).toEqual({ status: "missing", diagnostics: [] });
  });
});

test("two paths of one file have one identity, and other files have others", () => {
  const path = place.write("a.md", "Hello.");
  const link = place.link("b.md", "a.md");
  const other = place.write("c.md", "Hello.");
  const files = createFiles(disk, later);
  for (const one of [path, link, other]) files.read(one, max);
  expect(files.identity(link)).toBe(files.identity(path));
  expect(files.identity(other)).not.toBe(files.identity(path));
  expect(files.identity(place.at("d.md"))).toBeUndefined();
});

describe("a change that hides", () => {
  const at = new Date("2026-01-01T00:00:00Z");

  test("behind its old time, long after it was read: the disk remembers the moment", () => {
    const path = place.write("a.md", "One.");
    utimesSync(path, at, at);
    const before = statSync(path).ctimeMs;
    const files = createFiles(disk, later);
    expect(files.read(path, max)).toMatchObject({ text: "One." });
    // Until the clock of the disk has moved on.
    do {
      writeFileSync(path, "Two!");
      utimesSync(path, at, at);
    } while (statSync(path).ctimeMs === before);
    expect(files.read(path, max)).toMatchObject({ text: "Two!" });
  });

  test("behind its old size, while it is read in one go: the words that stood still", () => {
    const path = place.write("a.md", "Old words");
    utimesSync(path, at, at);
    let times = 0;
    const readSync = ((...given: Parameters<typeof disk.readSync>) => {
      const length = disk.readSync(...given);
      if (++times === 1) writeFileSync(path, "New words");
      return length;
    }) as typeof disk.readSync;
    expect(createFiles({ ...disk, readSync }, later).read(path, max, true)).toMatchObject({ text: "New words" });
  });
});
