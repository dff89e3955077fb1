import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildStudio } from "./build.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "charter-build-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const bundle = async (into: string) => {
  mkdirSync(into);
  writeFileSync(join(into, "page.js"), "1;");
};

test("a page that was built of other words is replaced whole, and packed; of these very words it is not built again", async () => {
  const folder = join(place, "studio");
  mkdirSync(folder);
  writeFileSync(join(folder, ".built"), "of other words");
  writeFileSync(join(folder, "left-over.js"), "");
  expect(await buildStudio(folder, bundle)).toBe(true);
  expect(readdirSync(place)).toEqual(["studio"]);
  expect(readdirSync(folder).sort()).toEqual([".built", "page.js", "page.js.br", "page.js.gz"]);
  expect(String(gunzipSync(readFileSync(join(folder, "page.js.gz"))))).toBe("1;");
  expect(await buildStudio(folder, bundle)).toBe(false);
});

test("one that cannot be built leaves the old one where it is, and nothing else", async () => {
  const folder = join(place, "studio");
  mkdirSync(folder);
  writeFileSync(join(folder, "page.js"), "old");
  const failing = async (into: string) => {
    await bundle(into);
    throw new Error("A word is wrong.");
  };
  await expect(buildStudio(folder, failing)).rejects.toThrow("A word is wrong.");
  expect(readdirSync(place)).toEqual(["studio"]);
  expect(readdirSync(folder)).toEqual(["page.js"]);
});
