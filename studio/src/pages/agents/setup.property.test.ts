import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../charter/test/tiers/search.ts";
import { fieldsFor, shownIn, typedIn } from "./setting-field.tsx";
import { canSet, isSame, type Settings, valueAt, withValue } from "./setup.ts";

/** Settings of any kind, often with the names that fields have. */
const names = fc.constantFrom(
  ...[
    "original",
    "identity",
    "soul",
    "settings",
    "memory",
    "relays",
    "window",
    "zone",
    "sessions",
    "across",
    "edition",
  ],
  ...["reserve", "attachments", "maxCount", "__proto__", "constructor", "x"],
);
const { settings: anySettings } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.constantFrom("full", "compact", "two\nlines", "dos\r\nlines", ""),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("settings"),
  ),
  settings: fc.dictionary(names, tie("value"), { maxKeys: 5 }),
}));
const someSettings = anySettings.map((value) => JSON.parse(JSON.stringify(value)) as Settings);
const readings = fc.constantFrom<readonly string[]>(
  ["original.soul", "original.identity.name", "original.identity.vibe", "original.identity.description"],
  ["original", "settings.max_size_bytes", "settings.protected_prefix_chars"],
  ["soul", "reserve"],
  ["base", "operator", "memory.relays", "memory.owner", "memory.key"],
  ["cwd", "system", "append"],
  [],
);

test("what a field shows, written back as it is, changes nothing", () => {
  fc.assert(
    fc.property(someSettings, readings, (settings, reads) => {
      for (const field of fieldsFor(reads)) {
        const shown = shownIn(settings, field);
        if (shown === undefined) continue;
        const value = typedIn(field, shown);
        const before = valueAt(settings, field.path);
        // Nothing typed and false, an empty text or an empty list say the same as nothing.
        if (value === undefined) expect([undefined, false, "", []]).toContainEqual(before);
        else expect(withValue(settings, field.path, value)).toEqual(settings);
      }
    }),
    { numRuns: runs(300, 10_000) },
  );
});

test("what is typed into a field is what it shows, and nothing else of the settings is lost or moved", () => {
  fc.assert(
    fc.property(someSettings, readings, fc.nat(), fc.string(), (settings, reads, which, words) => {
      const fields = fieldsFor(reads);
      const field = fields[which % fields.length] as (typeof fields)[number];
      if (shownIn(settings, field) === undefined) return;
      const typed =
        field.kind === "flag" ? words.length > 3 : field.kind === "choice" ? "compact" : words.replace(/[\r\n]/g, " ");
      const after = withValue(settings, field.path, typedIn(field, typed));
      expect(shownIn(after, field)).toBe(typed);
      // Taking it out of both leaves the same.
      const without = (value: Settings) => withValue(value, field.path, undefined);
      expect(without(after)).toEqual(without(settings));
      expect(isSame(without(after), without(settings))).toBe(true);
    }),
    { numRuns: runs(300, 10_000) },
  );
});

test("a setting in another form is left to JSON, and nothing is set through it", () => {
  const [name] = fieldsFor(["original.identity.name", "original.soul"]);
  const odd = { original: "one text" };
  expect([canSet(odd, ["original", "soul"]), name && shownIn(odd, name)]).toEqual([false, undefined]);
  const soul = fieldsFor(["original.identity.name", "original.soul"]).find(({ label }) => label === "Soul");
  expect(soul && shownIn({ original: { soul: 7 } }, soul)).toBeUndefined();
});

test("a value is set and taken away where it stands", () => {
  const before: Settings = { zone: "UTC", x: 1 };
  const set = withValue(before, ["original", "identity", "name"], "Ada");
  expect(JSON.stringify(set)).toBe('{"zone":"UTC","x":1,"original":{"identity":{"name":"Ada"}}}');
  expect(withValue(set, ["original", "identity", "name"], undefined)).toEqual(before);
  expect(JSON.stringify(withValue(before, ["zone"], "Europe/Rome"))).toBe('{"zone":"Europe/Rome","x":1}');
  const own = JSON.parse('{"__proto__": {"a": 1}}');
  expect(JSON.stringify(withValue(own, ["__proto__", "a"], 2))).toBe('{"__proto__":{"a":2}}');
});
