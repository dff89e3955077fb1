import { expect, test } from "vitest";
import { keyAct } from "./deciding.tsx";

const press = (key: string, more: object = {}) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...more,
});

test("keys move, open and decide", () => {
  const said = ["j", "ArrowDown", "k", "ArrowUp", "Enter", "a", "e", "r", "x", "toString"].map((key) =>
    keyAct(press(key), "card"),
  );
  const wanted = ["next", "next", "previous", "previous", "open", "approve", "edit", "reject", undefined, undefined];
  expect(said).toEqual(wanted);
});

test("whoever types, or holds another key, decides nothing; a control keeps its own Enter and arrows", () => {
  for (const key of ["a", "r", "j", "Enter"]) expect(keyAct(press(key), "text")).toBeUndefined();
  for (const held of ["ctrlKey", "metaKey", "altKey", "shiftKey"])
    expect(keyAct(press("a", { [held]: true }), "card")).toBeUndefined();
  expect(["Enter", "ArrowDown", "a", "j"].map((key) => keyAct(press(key), "control"))).toEqual([
    ...[undefined, undefined, "approve", "next"],
  ]);
  expect(keyAct(press("Enter"), "page")).toBeUndefined();
});
