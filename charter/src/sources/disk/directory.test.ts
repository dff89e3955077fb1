import { chmodSync, renameSync, rmSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { counting, denied, later, placeForEach } from "../../../test/sources/place.ts";
import { createDirectories } from "./directory.ts";
import { type Disk, disk } from "./disk.ts";

const place = placeForEach();

const all = () => true;

test("what is in a directory, by name, and what kind of thing it is", () => {
  for (const name of ["b", "a", "B", "é", "ä"]) place.write(name, "");
  place.folder("c");
  place.link("d", "c");
  expect(createDirectories(disk, later, ({ name }) => name !== "b").list(place.root)).toEqual({
    status: "present",
    entries: [
      { name: "B", kind: "file" },
      { name: "a", kind: "file" },
      { name: "c", kind: "directory" },
      { name: "d", kind: "link" },
      { name: "ä", kind: "file" },
      { name: "é", kind: "file" },
    ],
  });
});

test("what is no directory, and what cannot be listed", () => {
  const readdirSync = ((path: string) => {
    throw denied("scandir", path);
  }) as unknown as Disk["readdirSync"];
  const { list } = createDirectories({ ...disk, readdirSync }, later, all);
  expect(list(place.root)).toEqual({ status: "unavailable", reason: "EACCES: permission denied" });
  expect(list(place.at("none"))).toEqual({ status: "missing" });
  expect(list(place.write("a", ""))).toEqual({ status: "other", file: true });
});

test("the same object for a stat, until an entry comes or goes", () => {
  place.write("a", "");
  const { disk: counted, counts } = counting();
  const { list, forget } = createDirectories(counted, later, all);
  const before = list(place.root);
  expect(list(place.root)).toBe(before);
  expect(counts.looks).toBe(2);
  place.write("b", "");
  expect(list(place.root)).not.toBe(before);
  forget();
  expect(list(place.root)).toEqual(createDirectories(disk, later, all).list(place.root));
});

test("another time with the same entries is the same object; another directory is not", () => {
  place.write("one/a", "");
  place.write("two/a", "");
  const { list } = createDirectories(disk, later, all);
  const before = list(place.at("one"));
  utimesSync(place.at("one"), 1, 1);
  chmodSync(place.at("one"), 0o700);
  expect(list(place.at("one"))).toBe(before);
  rmSync(place.at("one"), { recursive: true });
  renameSync(place.at("two"), place.at("one"));
  expect(list(place.at("one"))).not.toBe(before);
  expect(list(place.at("one"))).toEqual(before);
});

test("a directory that changed a moment before it was listed is listed again", () => {
  place.write("a", "");
  let lists = 0;
  const readdirSync = ((...given: Parameters<typeof disk.readdirSync>) => {
    lists++;
    return disk.readdirSync(...given);
  }) as Disk["readdirSync"];
  const at = Date.now();
  let now = at;
  const { list } = createDirectories({ ...disk, readdirSync }, () => now, all);
  const before = list(place.root);
  expect([list(place.root) === before, lists]).toEqual([true, 2]);
  now = at + 60_000;
  list(place.root);
  expect([list(place.root) === before, lists]).toEqual([true, 3]);
});

test("by name, whatever order the disk has", () => {
  for (const name of ["a", "b", "c"]) place.write(name, "");
  const readdirSync = ((path: string) => disk.readdirSync(path, { withFileTypes: true }).reverse()) as unknown;
  const backwards: Disk = { ...disk, readdirSync: readdirSync as Disk["readdirSync"] };
  expect(createDirectories(backwards, later, all).list(place.root)).toMatchObject({
    entries: [{ name: "a" }, { name: "b" }, { name: "c" }],
  });
});
