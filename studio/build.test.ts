import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildStudio } from "./build.ts";

test("a page that was built of these very words is not built again", async () => {
  expect(await buildStudio()).toBe(false);
});

test("one that was built of others is replaced whole, beside each file its packed forms", async () => {
  const place = mkdtempSync(join(tmpdir(), "charter-build-"));
  const folder = join(place, "studio");
  mkdirSync(folder);
  writeFileSync(join(folder, ".built"), "of other words");
  writeFileSync(join(folder, "left-over.js"), "");
  expect(await buildStudio(folder)).toBe(true);
  expect(readdirSync(place)).toEqual(["studio"]);
  expect(existsSync(join(folder, "left-over.js"))).toBe(false);
  expect(await buildStudio(folder)).toBe(false);
  const page = readFileSync(join(folder, "index.html"), "utf8");
  expect(page).toContain('nonce="%NONCE%"');
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:\/\//);
  const files = readdirSync(join(folder, "studio"));
  const scripts = files.filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts) {
    const read = (ending: string) => readFileSync(join(folder, "studio", name + ending));
    expect(brotliDecompressSync(read(".br")).equals(read(""))).toBe(true);
    expect(gunzipSync(read(".gz")).equals(read(""))).toBe(true);
  }
  rmSync(place, { recursive: true, force: true });
});
