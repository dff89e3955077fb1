import { expect, test } from "vitest";
import { permissionAnswer, permissionOptions, questionText } from "./call-view.ts";

test("a call is allowed once, or its tool for the session; what is about no tool only once", () => {
  expect(permissionOptions({ mayAllow: "bash" })).toEqual([
    { optionId: "allow", name: "Allow once", kind: "allow_once" },
    { optionId: "session", name: "Allow bash in this session", kind: "allow_always" },
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ]);
  expect(permissionOptions({ ofPicture: true }).slice(1, -1)).toEqual([
    { optionId: "mine", name: "Yes, the picture is mine", kind: "allow_always" },
  ]);
  expect(permissionOptions({}).map(({ optionId }) => optionId)).toEqual(["allow", "reject"]);
});

test.each([
  [{ outcome: "selected", optionId: "allow" }, true, true],
  [{ outcome: "selected", optionId: "session" }, "session", false],
  [{ outcome: "selected", optionId: "mine" }, "mine", false],
  [{ outcome: "selected", optionId: "reject" }, false, false],
  [{ outcome: "selected", optionId: "allow_always" }, false, false],
  [{ outcome: "cancelled" }, undefined, undefined],
  [{ outcome: "_own", optionId: "allow" }, undefined, undefined],
  [undefined, undefined, undefined],
])("the answer %j is %j, and %j where no tool may be allowed", (outcome, answer, once) => {
  expect(permissionAnswer(outcome, { mayAllow: "bash", ofPicture: true })).toBe(answer);
  expect(permissionAnswer(outcome, {})).toBe(once);
});

test("nothing of a call is hidden by what an editor makes of it", () => {
  const details = ["  echo hi # <!--", "  rm -rf ~", "  # -->", "  ```"];
  const text = ["Why.", "", "````", ...details, "````"].join("\n");
  expect(questionText({ sentence: "Why.", details }, {})).toBe(text);
  expect(questionText({ sentence: "Why.", details: [] }, {})).toBe("Why.");
  const diff = (after: string) => ({ diff: { path: "/a", before: null, after, whole: true } });
  expect(questionText({ sentence: "Why.", details: ["+ a"] }, diff("a"))).toBe("Why.");
  expect(questionText({ sentence: "Why.", details: ["+ \\u202ea"] }, diff("\u202ea"))).toContain("\\u202ea");
});
