import { expect, test } from "vitest";
import { runs } from "../../test/tiers/search.ts";
import { lineKey } from "./character.ts";
import { placesIn } from "./forgery.ts";
import { nothingForbidden } from "./structure.ts";

/**
 * So often is each repeated. What takes time by the square of its length, or worse, would not come to an end; so many
 * places are more than a call takes arguments.
 */
const many = runs(1000, 150_000);

test("hostile text of any length is read to its end", () => {
  const units = [
    "<a ",
    '<a b="',
    "```\n",
    "- ",
    "> ",
    "[x]:\n",
    "`",
    "<!--",
    "~~~~\n```\n",
    "<div>",
    "1. ",
    "</",
    "< ",
    "<\t/ ",
  ];
  const odd = {
    ...nothingForbidden,
    level: 2,
    rules: true,
    lines: new Set([lineKey("**Safety**")]),
    tags: new Set(["goals"]),
  };
  const texts = [
    ...units.map((unit) => unit.repeat(many)),
    ...units.map((unit) => `<${unit.repeat(many)}`),
    `${">###x".repeat(many)}${"- ".repeat(many)}`,
    `${">###x".repeat(many)}${" ".repeat(many)}`,
    `x ${"<a".repeat(many)}> \`c\``,
    "`<pre>`\n".repeat(many),
    "#1\n".repeat(many),
  ];
  for (const text of texts) expect(placesIn(text, odd).closing.length).toBeLessThan(10);
});
