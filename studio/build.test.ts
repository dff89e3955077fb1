import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { studioFolder } from "../charter/src/server/studio.ts";
import { whole } from "../charter/test/homes.ts";
import { buildStudio } from "./build.ts";

test("a page that was built of these very words is not built again", async () => {
  expect(await buildStudio()).toBe(false);
});

/** `npm run faults` builds one more; elsewhere the one that all tests use is looked at. */
if (whole)
  test("one that was built of others is replaced whole", async () => {
    const place = mkdtempSync(join(tmpdir(), "charter-build-"));
    const folder = join(place, "studio");
    mkdirSync(folder);
    writeFileSync(join(folder, ".built"), "of other words");
    writeFileSync(join(folder, "left-over.js"), "");
    expect(await buildStudio(folder)).toBe(true);
    expect(readdirSync(place)).toEqual(["studio"]);
    expect(existsSync(join(folder, "left-over.js"))).toBe(false);
    expect(await buildStudio(folder)).toBe(false);
    rmSync(place, { recursive: true, force: true });
  });

test("no script or style stands in the page, and beside each file are its packed forms", () => {
  const folder = process.env.CHARTER_STUDIO ?? studioFolder();
  const page = readFileSync(join(folder, "index.html"), "utf8");
  expect(page).toContain('nonce="%NONCE%"');
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:\/\//);
  const scripts = readdirSync(join(folder, "studio")).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts) {
    const read = (ending: string) => readFileSync(join(folder, "studio", name + ending));
    expect(brotliDecompressSync(read(".br")).equals(read(""))).toBe(true);
    expect(gunzipSync(read(".gz")).equals(read(""))).toBe(true);
  }
});
