import fc from "fast-check";
import { expect, test } from "vitest";
import { assemble, join, type Reading } from "../../src/index.ts";
import { firstOf } from "../../src/prompt/reading.ts";
import { always, editions, given, plain, sectionsOf } from "./generate.ts";

const anything = given({ words: plain });

test("a section's fallback speaks exactly when it was confirmed empty, never when its source was out of reach", () => {
  always([anything, editions], ({ charter, readings }, edition) => {
    const prompt = assemble(charter, readings, { edition });
    for (const { section } of sectionsOf(charter)) {
      const status = readings[section.name]?.status;
      const said = prompt.text.includes(`Fallback of ${section.name}:`);
      if (status !== "empty") expect(said).toBe(false);
      if (status === "unavailable" && section.words === undefined)
        expect(prompt.sections.map(({ name }) => name)).not.toContain(section.name);
    }
  });
});

test("a layer's fallback speaks exactly when every section of the layer is confirmed to have nothing to say", () => {
  always([anything], ({ charter, readings }) => {
    const prompt = assemble(charter, readings);
    const shown = new Set([...prompt.sections.map(({ name }) => name), ...prompt.omitted.map(({ name }) => name)]);
    for (const layer of charter.layers) {
      const silent = layer.sections.every(
        (section) =>
          readings[section.name]?.status === "empty" && section.words === undefined && section.fallback === undefined,
      );
      for (const section of layer.fallback ?? []) expect(shown.has(section.name)).toBe(silent);
    }
  });
});

test("what was out of reach is named in a notice, with its reason, and never called empty", () => {
  always([anything, editions], ({ charter, readings }, edition) => {
    const prompt = assemble(charter, readings, { edition });
    const looked = new Set([...prompt.sections, ...prompt.omitted].map(({ name }) => name));
    for (const [name, reading] of Object.entries(readings)) {
      const notices = prompt.notices.filter(({ code, section }) => code === "source-unavailable" && section === name);
      expect(notices.length).toBe(reading.status === "unavailable" && looked.has(name) ? 1 : 0);
      if (reading.status === "unavailable" && notices[0]) expect(notices[0].message).toContain(reading.reason);
      const omission = prompt.omitted.find((one) => one.name === name);
      if (reading.status === "unavailable") expect(omission?.reason).not.toBe("empty");
      if (omission?.reason === "empty") expect(reading.status).toBe("empty");
    }
  });
});

const reading: fc.Arbitrary<Reading> = fc.oneof(
  fc.constant<Reading>({ status: "empty" }),
  fc.nat(9).map((number): Reading => ({ status: "unavailable", reason: `away ${number}` })),
  fc
    .array(fc.nat(99), { minLength: 1, maxLength: 3 })
    .map((all): Reading => ({ status: "present", parts: all.map((number) => ({ text: `${number}` })) })),
);
const readings = fc.array(reading, { maxLength: 5 });
const partsOf = (one: Reading) => (one.status === "present" ? one.parts : []);

test("a join is all that is there, empty only when all of it is, and names every source that was out of reach", () => {
  always([readings], (all) => {
    const joined = join(...all);
    const away = all.flatMap((one) => (one.status === "unavailable" ? [one.reason] : []));
    expect(partsOf(joined)).toEqual(all.flatMap(partsOf));
    const expected = all.some((one) => one.status === "present")
      ? "present"
      : away.length > 0
        ? "unavailable"
        : "empty";
    expect(joined.status).toBe(expected);
    for (const reason of away) expect(JSON.stringify(joined)).toContain(reason);
  });
});

test("joins nest", () => {
  always([readings, readings], (left, right) => {
    const flat = join(...left, ...right);
    const nested = join(join(...left), join(...right));
    expect(nested.status).toBe(flat.status);
    expect(partsOf(nested)).toEqual(partsOf(flat));
  });
});

test("the first of several is the first that is not empty: one out of reach is never passed over", () => {
  always([readings], (all) => {
    expect(firstOf(...all)).toEqual(all.find((one) => one.status !== "empty") ?? { status: "empty" });
  });
});
