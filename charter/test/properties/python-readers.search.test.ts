import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { seed, times } from "../tiers/search.ts";
import { forged, hostileCase } from "./forged-structure.ts";
import type { Reader } from "./readers.ts";

/** Readers of Python, with all that they can: how each makes a page of a text. */
const pages = {
  markdown:
    "import markdown\npage = lambda text: markdown.markdown(text, extensions=['extra', 'admonition', 'sane_lists'])",
  mistune:
    "import mistune\npage = mistune.create_markdown(escape=False, plugins=['footnotes', 'def_list', 'table', 'abbr', 'task_lists', 'strikethrough'])",
};

const each = `
import json, sys
pages = []
for text in json.load(sys.stdin):
    try: pages.append(page(text))
    except Exception: pages.append(None)
print(json.dumps(pages))`;

function python(script: string, input: string): string | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", script], { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  return status === 0 ? stdout : undefined;
}

for (const [name, page] of Object.entries(pages))
  test(`${name} of Python sees no structure that nobody declared, and misses none`, ({ skip }) => {
    if (python(page, "") === undefined) skip(`python3 has no module “${name}” here: pip install ${name}`);
    const cases = Array.from({ length: times(3000, 100) }, (_, index) => seed + index);
    const asked = new Set<string>();
    const asking: Reader = { name: `${name}, asked`, html: (text) => `${asked.add(text).size}` };
    for (const number of cases) forged([asking], hostileCase(number));
    const texts = [...asked];
    const made = JSON.parse(python(page + each, JSON.stringify(texts)) ?? "[]") as (string | null)[];
    const known = new Map(texts.map((text, index) => [text, made[index] ?? null]));
    const answering: Reader = {
      name,
      html: (text) => {
        const html = known.get(text);
        if (typeof html !== "string") throw new Error(`${name} could not read a text.`);
        return html;
      },
    };
    const wrong = cases.flatMap((number) => {
      const one = hostileCase(number);
      const found = forged([answering], one);
      return found.length > 0 ? [{ number, ...one, shape: one.shape.name, found }] : [];
    });
    expect(wrong).toEqual([]);
  });
