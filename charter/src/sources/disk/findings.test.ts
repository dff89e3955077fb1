import { expect, test } from "vitest";
import { empty, fromText, unavailable } from "../../prompt/reading.ts";
import { type Diagnostic, withDiagnostics } from "./findings.ts";

const diagnostic = (message: string): Diagnostic => ({ severity: "warning", code: "collision", path: "/x", message });
const many = (count: number) => Array.from({ length: count }, (_, index) => diagnostic(`fault ${index}`));

test("a reading with nothing to tell is itself", () => {
  const reading = fromText("words");
  expect(withDiagnostics(reading, [], 20)).toBe(reading);
  expect(withDiagnostics(empty, [], 20)).toBe(empty);
});

test("diagnostics become notices", () => {
  expect(withDiagnostics(empty, [diagnostic("It is odd.")], 20)).toEqual({
    status: "empty",
    notices: [{ code: "collision", message: "It is odd." }],
  });
});

test("why it could not be read is not said twice", () => {
  const reading = unavailable("It is gone.");
  expect(withDiagnostics(reading, [diagnostic("It is gone.")], 20)).toBe(reading);
});

test("5,000 faults do not flood: so many, and one that counts the others", () => {
  const { notices = [] } = withDiagnostics(empty, many(5000), 20);
  expect(notices).toHaveLength(21);
  expect(notices.at(-1)).toEqual({
    code: "more-diagnostics",
    message: "There are 4,980 more diagnostics: “charter files” lists them all.",
  });
  expect(withDiagnostics(empty, many(21), 20).notices?.at(-1)?.message).toBe("fault 20");
});
