import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** The examples that start programs, each alone, as a reader runs it. */

const root = resolve(import.meta.dirname, "../..");

const shows: Readonly<Record<string, (stdout: string) => void>> = {
  "07-coder.ts": (stdout) => {
    expect(stdout).toContain("@@ -1,1 +1,1 @@\n-milk\n+oat milk\n  (its prompt says: Run the tests twice.)\n");
    expect(stdout).toContain("bash answered:\noat milk\n");
  },
  "12-acp.ts": (stdout) =>
    expect(stdout).toBe(
      [
        "Who are you? You are Ada. You keep the books. (message 1)",
        "And now? You are Ada. You keep the books. (message 2)",
        "And now? You are Ada. You keep bees. (message 1)",
        "Tidy up. I was not allowed to.",
        'waits for a person: acp:execute {"command":"rm -r old"}',
        "Tidy up. Tidy.",
        "Tidy up. I was not allowed to.",
        "directories removed: 1\n",
      ].join("\n"),
    ),
};

for (const [file, look] of Object.entries(shows))
  test(`${file} runs`, async () => {
    const words = ["--conditions=charter-source", `examples/${file}`];
    look((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout);
  });
