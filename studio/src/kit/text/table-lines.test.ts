import fc from "fast-check";
import { expect, test } from "vitest";
import { tableAt } from "./table-lines.ts";

const read = (text: string) => tableAt(text.split("\n"), 0);

test("a table is a row, a row of dashes, and the rows after it", () => {
  expect(read("| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n\nno more")).toEqual({
    aligns: ["left", "center", "right"],
    head: ["a", "b", "c"],
    rows: [["1", "2", "3"]],
    length: 3,
  });
});

test("bars at the ends may be left out, and a bar behind a backslash belongs to its cell", () => {
  expect(read("a | b\n--- | ---\nx \\| y | z\\|")).toEqual({
    aligns: [undefined, undefined],
    head: ["a", "b"],
    rows: [["x | y", "z|"]],
    length: 3,
  });
});

test("a short row is filled up, and a long one keeps the rest in its last cell", () => {
  expect(read("|a|b|\n|-|-|\n|1|\n|1|2|3|4|")?.rows).toEqual([
    ["1", ""],
    ["1", "2|3|4"],
  ]);
});

for (const [what, text] of [
  ["no row of dashes", "| a |\n| b |"],
  ["nothing after its first line", "| a |"],
  ["fewer dashes than columns", "| a | b |\n|---|"],
  ["no bar in its first line", "a\n---"],
  ["more columns than anyone reads", `${"|a".repeat(101)}|\n${"|-".repeat(101)}|`],
] as const)
  test(`no table: ${what}`, () => {
    expect(read(text)).toBeUndefined();
  });

test("every cell's text is kept", () => {
  const cell = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n\\]/g, "").trim());
  const width = fc.integer({ min: 1, max: 8 });
  const table = width.chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
  );
  const line = (cells: readonly string[]) => `| ${cells.map((one) => one.replaceAll("|", "\\|")).join(" | ")} |`;
  fc.assert(
    fc.property(table, ([head = [], ...rows]) => {
      const found = read([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
      expect(found).toEqual({ aligns: head.map(() => undefined), head, rows, length: rows.length + 2 });
    }),
  );
});
