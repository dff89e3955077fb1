import { expect, test } from "vitest";
import {
  anything,
  either,
  type Fields,
  flag,
  list,
  number,
  object,
  oneOf,
  openObject,
  record,
  text,
  whole,
} from "./field.ts";
import { type InvalidField, readFields } from "./read-input.ts";

const read = (fields: Fields, given: Readonly<Record<string, unknown>>, isText = false) => {
  const invalid: InvalidField[] = [];
  const values = readFields(fields, given, { at: "body", isText, invalid });
  return { values, invalid: invalid.map(({ at, reason }) => `${at} ${reason}`) };
};

const fields = {
  name: text("A name.", { form: /^[a-z]+$/, reason: "must be small letters" }),
  count: whole("How many.", { least: 1, most: 10 }).usual(3),
  share: number().optional(),
  loud: flag().optional(),
  kind: oneOf(["one", "other"]).optional(),
  marks: list(whole(), undefined, { least: 1, most: 2 }).optional(),
  place: object({ city: text(), zip: text().nullable() }).optional(),
  facts: record(text()).optional(),
  extra: anything().optional(),
};

test("what fits is taken as it is, and what is left out is what is usual", () => {
  const given = {
    ...{ name: "ada", share: 0.5, loud: false, kind: "other", marks: [1, 2] },
    ...{ place: { city: "Bern", zip: null }, facts: { a: "b" }, extra: [{}] },
  };
  expect(read(fields, given)).toEqual({ values: { ...given, count: 3 }, invalid: [] });
});

test("every place that is wrong is named, with what it has to be and what it is", () => {
  const given = {
    ...{ name: "Ada", count: 11, share: "0.5", loud: 1, kind: "third", marks: [1, "2", 3] },
    ...{ place: { city: 7, street: "x" }, facts: { a: 1 }, more: 1 },
  };
  expect(read(fields, given).invalid).toEqual([
    "body.name must be small letters",
    "body.count must be at most 10, and is 11",
    "body.share must be a number, and is “0.5”",
    "body.loud must be true or false, and is a number",
    "body.kind must be “one” or “other”, and is “third”",
    "body.marks must have at most 2 entries",
    "body.place.city must be text, and is a number",
    "body.place.zip is missing",
    "body.place.street is not known here; known: “city”, “zip”",
    "body.facts.a must be text, and is a number",
    "body.more is not known here; known: “name”, “count”, “share”, “loud”, “kind”, “marks”, “place”, “facts”, “extra”",
  ]);
});

test("an address and a command line hold texts, from which numbers, flags and choices are read", () => {
  const given = { name: "ada", count: "7", share: "-1.25", loud: "true", kind: "one" };
  expect(read(fields, given, true)).toEqual({
    values: { name: "ada", count: 7, share: -1.25, loud: true, kind: "one" },
    invalid: [],
  });
  expect(read(fields, { name: "ada", count: "7x", share: "1e9", loud: "yes" }, true).invalid).toEqual([
    "body.count must be a whole number, and is “7x”",
    "body.share must be a number, and is “1e9”",
    "body.loud must be true or false, and is text",
  ]);
});

test("of several shapes the first that fits is taken; else it is said of the one that is most likely meant", () => {
  const shapes = { model: either(text(), list(text()), object({ name: text() })) };
  expect(read(shapes, { model: ["a", "b"] }).values).toEqual({ model: ["a", "b"] });
  expect(read(shapes, { model: { name: 1 } }).invalid).toEqual(["body.model.name must be text, and is a number"]);
  expect(read(shapes, { model: 1 }).invalid).toEqual(["body.model must be text, and is a number"]);
});

test("an open object keeps what it does not know", () => {
  const open = { part: openObject({ type: text() }) };
  expect(read(open, { part: { type: "text", more: 1 } })).toEqual({
    values: { part: { type: "text", more: 1 } },
    invalid: [],
  });
  expect(read(open, { part: { more: 1 } }).invalid).toEqual(["body.part.type is missing"]);
});

test("a name that every object inherits is no field that was given", () => {
  expect(read({ toString: text().optional() }, {})).toEqual({ values: {}, invalid: [] });
});

test("where each shape has one word that names it, what is wrong is said of the shape that is meant", () => {
  const wish = either(
    object({ kind: oneOf(["reset"]) }),
    object({ kind: oneOf(["revert"]), to: whole() }),
    object({ kind: oneOf(["append"]), content: text() }),
  );
  const wrong = (given: unknown) => {
    const invalid: InvalidField[] = [];
    readFields({ wish }, { wish: given }, { at: "", isText: false, invalid });
    return invalid.map(({ at, reason }) => `${at} ${reason}`);
  };
  expect(wrong({ kind: "append", content: "x" })).toEqual([]);
  expect(wrong({ kind: "revert" })).toEqual(["wish.to is missing"]);
  expect(wrong({ kind: "reset", to: 1 })).toEqual(["wish.to is not known here; known: “kind”"]);
  expect(wrong({ kind: "burn" })).toEqual(["wish.kind must be “reset”, “revert” or “append”, and is “burn”"]);
  expect(wrong({})).toEqual(["wish.kind is missing"]);
  expect(wrong("reset")).toEqual(["wish must be an object, and is text"]);
});
