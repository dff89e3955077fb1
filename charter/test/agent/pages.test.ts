import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { usualLimits } from "../../src/agent/limits.ts";

const root = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The names in the first column of a page's table under a heading, in order. */
function rowsOf(page: string, heading: string): string[] {
  const chapter =
    read(page)
      .split(/^## /m)
      .find((one) => one.startsWith(heading)) ?? read(page);
  return [...chapter.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap((row) =>
    [...(row[1] as string).matchAll(/`([\w-]+)`/g)].map(([, name]) => name as string),
  );
}

test("every event has its line in docs/agent.md, and no line is left over", () => {
  const kinds = [...read("charter/src/agent/turn-interface.ts").matchAll(/readonly kind: "([\w-]+)"/g)].map(
    ([, kind]) => kind,
  );
  expect(rowsOf("docs/agent.md", "Events").toSorted()).toEqual(kinds.toSorted());
});

test("every limit has its line in docs/agent.md, with what it is unless said otherwise", () => {
  const names = [...Object.keys(usualLimits), "answerTokens", "userDollarsPerDay", "agentDollarsPerDay"];
  expect(rowsOf("docs/agent.md", "Limits").toSorted()).toEqual(names.toSorted());
  for (const [name, value] of Object.entries(usualLimits))
    expect(read("docs/agent.md")).toContain(`| \`${name}\` | ${value.toLocaleString("en-US")} |`);
});

test("every moment has its line in docs/hooks.md, in the order in which they come", () => {
  const moments = [...read("charter/src/agent/hook.ts").matchAll(/readonly "?([\w-]+)"?\?: Moment</g)].map(
    ([, one]) => one,
  );
  expect(rowsOf("docs/hooks.md", "Hooks")).toEqual(moments);
});
