import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const home = resolve(import.meta.dirname, "..");

test("every door of the package is built from a file that is there; the long tests build it and go through them", () => {
  const { exports: doors } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const entries = Object.entries(doors as Record<string, Record<string, string>>);
  expect(entries.length).toBeGreaterThan(5);
  for (const [door, { "charter-source": source = "", types, default: built }] of entries) {
    const file = source.replace(/^\.\/src\/(.*)\.ts$/, "$1");
    expect([door, existsSync(join(home, source)), types, built]).toEqual([
      door,
      true,
      `./dist/${file}.d.ts`,
      `./dist/${file}.js`,
    ]);
  }
});
