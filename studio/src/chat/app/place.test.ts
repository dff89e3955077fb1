import { expect, test } from "vitest";
import { addressOf, codeIn, placeIn } from "./place.ts";

test("an address says where one is", () => {
  expect(placeIn("")).toEqual({ kind: "talk", session: undefined });
  expect(placeIn("#/")).toEqual({ kind: "talk", session: undefined });
  expect(placeIn("#/notes")).toEqual({ kind: "page", page: "notes" });
  expect(placeIn("#/nowhere")).toEqual({ kind: "talk", session: undefined });
  expect(placeIn("#/with/%E0%A4%A")).toEqual({ kind: "talk", session: undefined });
});

test("a conversation's id may hold whatever it likes", () => {
  for (const session of ["0mlr", "new", "a/b?c#d", "<b>"])
    expect(placeIn(addressOf.talk(session))).toEqual({ kind: "talk", session });
});

test("what stands behind the # and is no place is a code", () => {
  expect(codeIn("#charter_su_abc")).toBe("charter_su_abc");
  expect(codeIn("#/notes")).toBeUndefined();
  expect(codeIn("#")).toBeUndefined();
  expect(codeIn("")).toBeUndefined();
});
