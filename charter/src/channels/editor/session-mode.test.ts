import { expect, test } from "vitest";
import { modeInOption, modeNamed, modeOptions, sessionModes } from "./client-message.ts";

test("both versions of the protocol offer the same three modes", () => {
  const { currentModeId, availableModes } = sessionModes("writes");
  expect([currentModeId, availableModes.map(({ id }) => id)]).toEqual(["writes", ["never", "writes", "always"]]);
  const [option, ...others] = modeOptions("always");
  expect(others).toEqual([]);
  expect(option).toMatchObject({ configId: "ask", category: "mode", currentValue: "always" });
  expect(option?.options).toEqual(availableModes.map(({ id, ...words }) => ({ value: id, ...words })));
});

test("a mode or an option that is not there is the client's mistake", () => {
  expect([modeNamed("never"), modeInOption({ configId: "ask", value: "always" })]).toEqual(["never", "always"]);
  const wrong = [
    () => modeNamed("yolo"),
    () => modeNamed(undefined),
    () => modeInOption({ configId: "ask", value: true }),
    () => modeInOption({ configId: "model", value: "never" }),
  ];
  for (const one of wrong) expect(one).toThrow(expect.objectContaining({ code: "bad-client-message" }));
});
