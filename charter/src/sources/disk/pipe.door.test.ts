import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { counting, later, placeForEach } from "../../../test/sources/place.ts";
import { createDirectories } from "./directory.ts";
import { disk } from "./disk.ts";
import { createFiles } from "./file.ts";

const place = placeForEach();

const max = 1000;

test("a pipe is not opened", () => {
  const path = place.pipe("a.md");
  const { disk: counted, counts } = counting();
  expect(createFiles(counted, later).read(path, max)).toEqual({
    status: "missing",
    diagnostics: [{ severity: "warning", code: "not-a-file", path, message: `${path} is a pipe, not a file.` }],
  });
  expect(counts.opened).toBe(0);
});

test("a file that becomes a pipe before it is opened keeps nobody waiting", () => {
  const path = place.write("a.md", "Hello.");
  let swapped = false;
  const openSync: typeof disk.openSync = (...given) => {
    if (!swapped) {
      rmSync(path);
      place.pipe("a.md");
      swapped = true;
    }
    return disk.openSync(...given);
  };
  expect(createFiles({ ...disk, openSync }, later).read(path, max)).toMatchObject({
    status: "missing",
    diagnostics: [{ code: "not-a-file" }],
  });
});

test("a pipe is listed as what it is, and is no directory", () => {
  const path = place.pipe("a");
  const { list } = createDirectories(disk, later, () => true);
  expect(list(place.root)).toEqual({ status: "present", entries: [{ name: "a", kind: "other" }] });
  expect(list(path)).toEqual({ status: "other", file: false });
});
