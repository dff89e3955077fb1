import { expect, test } from "vitest";
import { headings, parseMarker, passages } from "./passage.ts";

const titles = (text: string) =>
  headings(text).map(({ level, title, line }) => `${line}: ${"#".repeat(level)} ${title}`);

const rows: [what: string, text: string, found: string[]][] = [
  ["levels", "# A\n## B\n###### C\n####### D", ["1: # A", "2: ## B", "3: ###### C"]],
  ["in a fence of backticks", "## A\n```\n## B\n```\n## C", ["1: ## A", "5: ## C"]],
  ["in a fence of tildes", "~~~md\n## B\n~~~\n## C", ["4: ## C"]],
  ["in a longer fence around a shorter one", "````\n```\n## B\n```\n## D\n````\n## C", ["7: ## C"]],
  ["in a fence that is never closed", "## A\n```\n## B", ["1: ## A"]],
  ["Setext", "A\n===\n\nB c\n---\ntext", ["1: # A", "4: ## B c"]],
  ["trailing hashes", "## A ##\n## B#\n## C \\#", ["1: ## A", "2: ## B#", "3: ## C \\#"]],
  ["indented by three, by four", "   ## A\n\n    ## B", ["1: ## A"]],
  ["a tab after the hashes", "##\tA", ["1: ## A"]],
  ["no space after the hashes", "##A\n#hash", []],
  ["in prose, in a list, in a quotation", "see ## A\n\n- ## B\n\n> ## C", []],
  ["in an HTML comment", "<!--\n## A\n-->\n## B", ["4: ## B"]],
  ["CRLF", "## A\r\ntext\r\n\r\nB\r\n---\r\n", ["1: ## A", "4: ## B"]],
  ["a lone carriage return ends a line", "text\r## A", ["2: ## A"]],
  ["emoji and combining characters", "## 🎯 Cafe\u0301\n## 👩‍🚀", ["1: ## 🎯 Café", "2: ## 👩‍🚀"]],
  ["empty", "##\n", ["1: ## "]],
];
for (const [what, text, found] of rows) test(`headings, ${what}`, () => expect(titles(text)).toEqual(found));

test("a passage runs to the next heading of the same or a higher level", () => {
  const text = "intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne";
  expect(passages(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "# A\na\n## B\nb\n### C\nc\n## D\nd\n",
    "## B\nb\n### C\nc\n",
    "### C\nc\n",
    "## D\nd\n",
    "# E\ne",
  ]);
});

test("a marker is one heading and nothing else", () => {
  const named = ["## Goals", "  ## Goals  ", "Goals\n---"].map((text) => parseMarker(text));
  expect(named.map((heading) => heading && [heading.level, heading.title])).toEqual([
    [2, "Goals"],
    [2, "Goals"],
    [2, "Goals"],
  ]);
  expect(["Goals", "", "## A\n## B", "## A\ntext", "text\n## A", "```\n## A\n```"].map(parseMarker)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});
