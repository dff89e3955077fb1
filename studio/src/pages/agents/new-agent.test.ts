import fc from "fast-check";
import { expect, test } from "vitest";
import { checkAgentName } from "../../../../charter/src/store/scope.ts";
import { copyName, nameFault } from "./new-agent.tsx";

const refused = (name: string) => {
  try {
    checkAgentName(name);
    return false;
  } catch {
    return true;
  }
};

test("a name is checked as it is typed, by the server's rule", () => {
  for (const name of [
    "ada",
    "my-agent-2",
    "名前",
    "a",
    ".x",
    "x.",
    "a b",
    "<b>",
    "x".repeat(200),
    "x".repeat(201),
    "é",
  ])
    expect([name, nameFault(name, []) !== undefined]).toEqual([name, refused(name)]);
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }), (name) => {
      expect(nameFault(name, []) !== undefined).toBe(refused(name));
    }),
  );
  expect(nameFault("ada", ["ada"])).toBe("There is an agent “ada” already, or there was one. Names are used once.");
  expect(nameFault("", [])).toBeUndefined();
});

test("a copy is offered a name that is free and allowed, whatever the first one is called", () => {
  expect(copyName("ada", [])).toBe("ada-copy");
  expect(copyName("ada", ["ada-copy", "ada-copy-2"])).toBe("ada-copy-3");
  for (const name of ["<img>/..", "!!", "x".repeat(200)]) expect(nameFault(copyName(name, []), [])).toBeUndefined();
});
