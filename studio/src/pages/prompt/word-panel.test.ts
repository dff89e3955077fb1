import { expect, test } from "vitest";
import { withoutChange } from "./word-panel.tsx";

test.each([
  ["what was added goes", "A.\nB.\nC.", { before: "A.", after: "A.\nB." }, "A.\nC."],
  [
    "what was replaced comes back",
    "Be kind. Say thanks.",
    { before: "Be brief.", after: "Be kind." },
    "Be brief. Say thanks.",
  ],
  ["what was changed since stays", "Be very kind.", { before: "Be brief.", after: "Be kind." }, "Be very brief."],
  ["what stands twice is left", "B. B.", { before: "", after: "B." }, "B. B."],
])("%s", (_, stands, change, expected) => {
  expect(withoutChange(stands, change)).toBe(expected);
});
