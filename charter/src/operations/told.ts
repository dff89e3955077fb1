import type { Field } from "./field.ts";

/** An answer as users are told it: the fields that say so, of objects in it again only those. */
export function toldPart(field: Field<unknown>, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { kind } = field;
  switch (kind.is) {
    case "list":
      return Array.isArray(value) ? value.map((item) => toldPart(kind.item, item)) : undefined;
    case "object": {
      const told = Object.entries(kind.fields).filter(([name, { more }]) => more.isTold && Object.hasOwn(value, name));
      return Object.fromEntries(
        told.map(([name, one]) => [name, toldPart(one, (value as Record<string, unknown>)[name])]),
      );
    }
    case "record":
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toldPart(kind.item, item)]));
    case "either":
      // The shape that knows all of the value's names; where none does, what all of them tell.
      return toldPart(shapeOf(kind.fields, value), value);
    default:
      return value;
  }
}

function shapeOf(fields: readonly Field<unknown>[], value: object): Field<unknown> {
  const names = Object.keys(value);
  const unknownTo = ({ kind }: Field<unknown>) =>
    kind.is === "object" ? names.filter((name) => !Object.hasOwn(kind.fields, name)).length : names.length;
  return fields.toSorted((one, other) => unknownTo(one) - unknownTo(other))[0] as Field<unknown>;
}
