import { resolve } from "node:path";
import { expect, test } from "vitest";
import { untrustedProblem } from "./directory-settings.ts";

const refusal = (...changed: string[]) => untrustedProblem([{ file: "charter.config.ts", trust: "changed", changed }]);

test("a refusal names what changed; of what may be data it says where to say so, of a script it does not", () => {
  const { message, hint } = refusal("index.bin", "server.mjs");
  expect([message, hint]).toEqual([
    `“charter.config.ts” in ${resolve(".")} says where words and keys go, and is not used: it is not what it was when it was trusted (changed, new or gone: “index.bin”, “server.mjs”).`,
    "Look at what the directory brings, then say charter trust. If programs write such a file, list it in the setting data of charter.config.ts (docs/files.md#settings).",
  ]);
  const look = "Look at what the directory brings, then say charter trust.";
  expect([refusal("server.mjs").hint, refusal("charter.config.ts").hint]).toEqual([look, look]);
});

test("what names more files than can be compared says so", () => {
  expect(refusal().message).toMatch(/is not used: it names more files than can be compared\.$/);
});
