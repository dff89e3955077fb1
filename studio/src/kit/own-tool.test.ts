import { expect, test } from "vitest";
import { askedIn, heldName, wishOf } from "./own-tool.tsx";

test("a permission is named in words, a tool by its name", () => {
  expect([heldName("acp:execute"), heldName("send_mail")]).toEqual(["use a tool of its own (execute)", "send_mail"]);
  expect(wishOf("asks to run: make")).toBe("run: make");
});

test("what it would be used with, whatever stands there", () => {
  const asked = { kind: "execute", title: "make", paths: ["/srv", 7], input: { command: ["make"] } };
  expect(askedIn(asked)).toEqual({ paths: ["/srv"], input: { command: ["make"] } });
  expect([askedIn("odd"), askedIn(null)]).toEqual([
    { paths: [], input: null },
    { paths: [], input: null },
  ]);
});
