import { expect, test } from "vitest";
import { permissionAnswer, permissionOptions } from "./permission.ts";

test("only what holds once is offered", () => {
  expect(permissionOptions.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["allow", "allow_once"],
    ["reject", "reject_once"],
  ]);
});

test.each([
  [{ outcome: "selected", optionId: "allow" }, true],
  [{ outcome: "selected", optionId: "reject" }, false],
  [{ outcome: "selected", optionId: "allow_always" }, false],
  [{ outcome: "cancelled" }, undefined],
  [{ outcome: "_own", optionId: "allow" }, undefined],
  [undefined, undefined],
])("the answer %j is %j", (outcome, answer) => {
  expect(permissionAnswer(outcome)).toBe(answer);
});
