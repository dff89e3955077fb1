import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../test/tiers/search.ts";
import { packText, sha256, unpackFrom } from "./packing.ts";

const piece = fc.oneof(fc.string({ unit: "grapheme", maxLength: 400 }), fc.constant("a".repeat(700)));
/** Two texts that share some of their pieces, in any places: a base, and what is packed against it. */
const pairs = fc
  .array(fc.tuple(piece, fc.constantFrom("both", "base", "text")), { maxLength: 8 })
  .map((pieces) =>
    (["base", "text"] as const).map((which) =>
      pieces.map(([words, where]) => (where === "both" || where === which ? words : "")).join(""),
    ),
  );

const rowsOf = (base: string, text: string) => {
  const { against, ...packed } = packText(Buffer.from(text), Buffer.from(base));
  return new Map([
    [sha256(base), { packed: 0, body: Buffer.from(base), base: null }],
    [sha256(text), { ...packed, base: against ? sha256(base) : null }],
  ]);
};

test("a text packed as the difference to another comes back as it was", () => {
  fc.assert(
    fc.property(pairs, ([base = "", text = ""]) => {
      fc.pre(base !== text);
      const rows = rowsOf(base, text);
      expect(unpackFrom({ row: (digest) => rows.get(digest), known: new Map() }, sha256(text))).toBe(text);
    }),
    { numRuns: runs(300, 10_000) },
  );
});

test("a difference that somebody changed is no text, whatever it says now", () => {
  const [base, text] = [
    `${"Begin. ".repeat(90)}One.${" End.".repeat(90)}`,
    `${"Begin. ".repeat(90)}Two.${" End.".repeat(90)}`,
  ];
  const rows = rowsOf(base, text);
  const row = rows.get(sha256(text));
  expect(row).toMatchObject({ packed: 1, base: sha256(base) });
  const { body } = row as { body: Buffer };
  const read = (changed: Uint8Array) => {
    const row = (digest: string) =>
      digest === sha256(text) ? { packed: 1, base: sha256(base), body: changed } : rows.get(digest);
    return unpackFrom({ row, known: new Map() }, sha256(text));
  };
  expect(read(body)).toBe(text);
  for (let at = 0; at < body.length; at++)
    expect(read(body.map((byte, index) => (index === at ? byte ^ 255 : byte)))).toBeUndefined();
  for (let length = 0; length < body.length; length++) expect(read(body.subarray(0, length))).toBeUndefined();
});
