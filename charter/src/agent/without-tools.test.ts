import { expect, test } from "vitest";
import { assistant } from "../charters/index.ts";
import type { Charter } from "../prompt/charter.ts";
import { declarationOf } from "./bare-declaration.ts";
import { withoutTools } from "./without-tools.ts";

const charter = (words: string): Charter => ({
  name: "test",
  layers: [{ name: "law", mutability: "fixed", sections: [{ name: "law", words }] }],
});

test("an assistant without tools speaks of none, and keeps the rest of its fixed words", () => {
  const declaration = assistant();
  const plain = withoutTools(declaration);
  const sections = plain.charter.layers.flatMap((layer) => layer.sections.map(({ name }) => name));
  expect(sections).toEqual(["identity", "soul", "safety", "channel", "time", "instructions", "tools"]);
  expect(JSON.stringify(plain.charter.layers)).not.toMatch(/_memory|update_instructions/);
  expect(withoutTools(declaration)).toBe(plain);
});

test("one that says nothing of tools is itself; one with other fixed words is refused", () => {
  const plain = declarationOf(charter("Be kind."));
  expect(withoutTools(plain)).toBe(plain);
  const other = { ...plain, withoutTools: () => declarationOf(charter("Be cruel.")) };
  expect(() => withoutTools(other)).toThrow("Without tools, “test” has other fixed words in “law”.");
});
