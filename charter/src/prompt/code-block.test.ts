import { expect, test } from "vitest";
import { lineCuts } from "./character.ts";
import { openFence, plainBlocks } from "./code.ts";

/** Each block by its first and last line, each doubtful fence by its place. */
const rows: [what: string, text: string, code: string[], closing?: string][] = [
  ["a word beside the fence", "```sh\n# x\n```", ["0-2"]],
  ["a longer closing fence, which is a line of words to some", "```\nx\n````", ["0-2 unsealed"]],
  ["a shorter one does not close it", "````\nx\n```\ny\n````", ["0-4"]],
  ["tildes", "~~~\nx\n~~~", ["0-2"]],
  ["the other signs do not close it", "~~~\nx\n```\ny\n~~~", ["0-4"]],
  ["indented by three", "   ```\n   x\n   ```", ["0-2 indented 3"]],
  ["indented by four, in no item", "    ```\n    x\n    ```", ["maybe at 4", "maybe at 18"]],
  ["indented by two, and a line that is not", "  ```\nx\n  ```", ["maybe at 2", "maybe at 10"]],
  ["a blank line inside needs no indent", "  ```\n  x\n\n  y\n  ```", ["0-4 indented 2"]],
  ["in a quotation", "> ```\n> x\n>\n> y\n> ```", ["0-4 unsealed"]],
  ["in a quotation that ends", "> ```\n> x\ny\n> ```", ["maybe at 2", "maybe at 14"]],
  ["in a quotation and indented", ">  ```\n>  x\n>  ```", ["maybe at 3", "maybe at 15"]],
  ["in an item of a list", "- a\n\n  ```\n  x\n  ```", ["2-4 indented 2"]],
  ["deep in a list", "- a\n  - b\n\n    ```\n    x\n    ```", ["3-5 indented 4 unsealed"]],
  ["deeper than its item allows", "- a\n\n      ```\n      x\n      ```", ["maybe at 11", "maybe at 29"]],
  ["deep, after the list has ended", "- a\n\nb\n\n    ```\n    x\n    ```", ["maybe at 12", "maybe at 26"]],
  ["in a numbered item", "10. a\n\n    ```\n    x\n    ```", ["2-4 indented 4 unsealed"]],
  ["in an item that does not follow a blank line", "a\n- b\n    ```\n    x\n    ```", ["maybe at 10", "maybe at 24"]],
  [
    "after a fence that fills an item, deep code is not believed",
    "* ```\n* x\n* ```\n\n- a\n  - b\n\n    ```\n    y\n    ```",
    ["maybe at 12", "maybe at 32", "maybe at 46"],
  ],
  ["nothing in it", "```\n```", ["maybe at 0", "maybe at 4"]],
  ["only a blank line in it", "```\n\n```", ["0-2"]],
  ["left open", "a\n```\nx", ["1-2", "hides at 2"], "\n```"],
  ["left open, longer", "a\n~~~~\nx\ny", ["1-3", "hides at 2"], "\n~~~~"],
  ["left open, with nothing after it", "a\n```", ["hides at 2"]],
  ["left open in an item", "- a\n  ```\n  x", ["hides at 6"]],
  ["left open, with another kind of fence inside", "```\nx\n~~~", ["hides at 0", "hides at 6"]],
  ["two in a row", "```\na\n```\n```\nb\n```", ["0-2", "3-5"]],
  ["two words beside it", "```sh x\na\n```", ["maybe at 0", "maybe at 10"]],
  ["two words beside it, and never closed", "```sh x\na", ["hides at 0"]],
  ["its like below closes it and opens nothing", "```a b\nc\n```\n\n```\nd\n```", ["4-6", "maybe at 0", "maybe at 9"]],
  ["a like at another place does not close it", "```a b\nc\n  ```\n  d\n  ```", ["2-4 indented 2", "maybe at 0"]],
  ["code within a line", "``` a ``` b\nc", []],
  ["after HTML", "<p>\n```\nx\n```", ["maybe at 4", "maybe at 10"]],
  ["after HTML and a blank line", "<p>\n\n```\nx\n```", ["2-4"]],
  ["after words with a tag in them", "a <b>\n```\nx\n```", ["1-3"]],
  ["a line end that is one to few", "```\nx\u2028y\n```", ["maybe at 0", "maybe at 8"]],
  ["in a quotation of a quotation", "> > ```\n> > x\n> > ```", ["maybe at 4", "maybe at 18"]],
];
for (const [what, text, code, closing = ""] of rows)
  test(`code, ${what}`, () => {
    const found = plainBlocks(text, lineCuts(text), false);
    const blocks = found.blocks.map(
      ({ first, last, indent, sealed }) =>
        `${first}-${last}${indent > 0 ? ` indented ${indent}` : ""}${sealed ? "" : " unsealed"}`,
    );
    const doubtful = found.doubtful.map(({ at, certainty }) => `${certainty} at ${at}`);
    expect([[...blocks, ...doubtful], found.closing]).toEqual([code, closing]);
  });

test("under a tag no fence is believed before a blank line", () => {
  const first = (text: string) => plainBlocks(text, lineCuts(text), true).blocks.map(({ first: line }) => line);
  expect([first("```\nx\n```"), first("\n```\nx\n```")]).toEqual([[], [1]]);
});

test("the fence that nothing closes", () => {
  expect(["```\nx\n```", "a\n```\nx", "```a b\nx\n```\n\n~~~\ny"].map(openFence)).toEqual([undefined, 2, 14]);
});
