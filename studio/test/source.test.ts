import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("nothing in the page's source makes elements of words", () => {
  const source = join(import.meta.dirname, "../src");
  const names = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const making = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("on/i;
  expect(names.filter((name) => making.test(readFileSync(join(source, name), "utf8")))).toEqual([]);
});
