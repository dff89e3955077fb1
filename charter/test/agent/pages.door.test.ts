import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");

test("the code in docs/agent.md runs as it stands, without a key", async () => {
  const code = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/agent.md"), "utf8"))?.[1] as string;
  const words = ["--conditions=charter-source", "--input-type=module-typescript", "-e", code];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env: { PATH: process.env.PATH } });
  expect(stdout).toContain("(stand-in model)");
});
