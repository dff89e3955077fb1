import { expect, test } from "vitest";
import type { Message } from "../../delivery/model.ts";
import { paired } from "./turn-prompt.ts";

const user: Message = { role: "user", text: "Go." };
const asks = (...ids: string[]): Message => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, name: "bash", input: "{}" })),
  native: { acp: { signed: "as it was" } },
});
const result = (call: string, output = "Done.") => ({ call, name: "bash", output });
const told = (...results: ReturnType<typeof result>[]): Message => ({ role: "tool", results });
const missing = (call: string) => ({
  ...result(call, "(The result of this call was left out.)"),
  failed: true as const,
});

const rows: [what: string, given: Message[], expected: Message[]][] = [
  ["nothing is amiss", [user, asks("a", "b"), told(result("a"), result("b")), user], []],
  ["two calls share an id", [user, asks("a", "a"), told(result("a"), result("a", "Not run."))], []],
  [
    "a result is gone",
    [user, asks("a", "b"), told(result("b")), user],
    [user, asks("a", "b"), told(result("b"), missing("a")), user],
  ],
  ["all results are gone", [user, asks("a"), user], [user, asks("a"), told(missing("a")), user]],
  ["they are gone at the end", [user, asks("a")], [user, asks("a"), told(missing("a"))]],
  ["a call is gone", [user, told(result("a")), user], [user, user]],
  ["a result comes twice", [user, asks("a"), told(result("a"), result("a"))], [user, asks("a"), told(result("a"))]],
  [
    "results stand apart",
    [user, asks("a", "b"), told(result("a")), told(result("b"))],
    [user, asks("a", "b"), told(result("a"), result("b"))],
  ],
  ["a result comes too late", [user, asks("a"), user, told(result("a"))], [user, asks("a"), told(missing("a")), user]],
];

for (const [what, given, expected] of rows)
  test(`every call has its result, and every result its call, where ${what}`, () =>
    expect(paired(given)).toEqual(expected.length > 0 ? expected : given));
