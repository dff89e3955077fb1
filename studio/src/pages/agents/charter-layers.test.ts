import { expect, test } from "vitest";
import { mayChange } from "./charter-layers.tsx";

test("who may change a section, in words", () => {
  expect(
    [
      { mutability: "fixed" as const, amendableBy: [] },
      { mutability: "live" as const, amendableBy: [] },
      { mutability: "amendable" as const, amendableBy: [] },
      { mutability: "amendable" as const, amendableBy: ["operator" as const] },
      { mutability: "amendable" as const, amendableBy: ["agent" as const, "user" as const, "operator" as const] },
    ].map(mayChange),
  ).toEqual([
    "read-only",
    "generated per turn",
    "editable by nobody",
    "editable by operator",
    "editable by agent, user and operator",
  ]);
});
