import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("nothing in the page's source makes elements of words", () => {
  const source = join(import.meta.dirname, "../src");
  const names = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const making = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("on/i;
  expect(names.filter((name) => making.test(readFileSync(join(source, name), "utf8")))).toEqual([]);
});

test("no test reads a page only once: what is not there yet on a busy machine is looked for again", () => {
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const once =
    /expect\([^;]*?\bawait (?:(?!poll)[^;])*?\.(?:all(?:Text|InnerText)s?(?:Contents)?|textContent|innerText|inputValue|getAttribute|is(?:Visible|Hidden|Enabled|Disabled|Checked))\(/;
  const tests = names.filter((name) => /\.(?:door|search)\.test\.ts$/.test(name));
  expect(tests.filter((name) => once.test(readFileSync(join(import.meta.dirname, name), "utf8")))).toEqual([]);
});
