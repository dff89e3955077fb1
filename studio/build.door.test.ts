import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { studioFolder } from "../charter/src/server/studio.ts";

const folder = process.env.CHARTER_STUDIO ?? studioFolder();

test("no script or style stands in the page, and beside each file are its packed forms", () => {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  expect(page).toContain('nonce="%NONCE%"');
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:\/\//);
  const scripts = readdirSync(join(folder, "studio")).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts) expectPacked(join(folder, "studio", name));
});

test("the page for users is a bundle of its own: small, and with no page of the studio in it", () => {
  const page = readFileSync(join(folder, "chat/index.html"), "utf8");
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:\/\//);
  const files = readdirSync(join(folder, "chat/assets"));
  const scripts = files.filter((name) => name.endsWith(".js"));
  for (const name of scripts) expectPacked(join(folder, "chat/assets", name));
  const size = files
    .filter((name) => name.endsWith(".br"))
    .map((name) => statSync(join(folder, "chat/assets", name)).size);
  expect(size.reduce((sum, one) => sum + one, 0)).toBeLessThan(110_000);
  const words = scripts.map((name) => readFileSync(join(folder, "chat/assets", name), "utf8")).join("");
  expect(words).toContain("Waiting for you");
  // Of the operator's: addresses that only they may ask, and words of their pages.
  expect(
    words.match(/parts: ?.inputs|\/samples|\/tokens|\/sign-in#|charter-after-sign-in|In Sections|what the model saw/g),
  ).toBeNull();
});

function expectPacked(path: string): void {
  const read = (ending: string) => readFileSync(path + ending);
  expect(brotliDecompressSync(read(".br")).equals(read(""))).toBe(true);
  expect(gunzipSync(read(".gz")).equals(read(""))).toBe(true);
}
