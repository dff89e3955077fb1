import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { assemble, fromText, present } from "../src/index.ts";
import { expectPrompt, expectRequest } from "../src/testing/index.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/testing.md"), "utf8");

/** The files a page is made of: its blocks of code that begin with their name. */
const files = [...page.matchAll(/^```ts\n\/\/ ([\w.-]+)\n([\s\S]*?)^```$/gm)].map(
  ([, name, text]) => [name as string, text as string] as const,
);

/** What is in the files, as tests in a folder of someone's own, run by Node's own runner. */
async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "charter-testing-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every test in docs/testing.md passes", async () => {
  const names = files.map(([name]) => name).filter((name) => name.endsWith(".test.ts"));
  expect(names).toEqual(["turn.test.ts", "tools.test.ts", "prompt.test.ts", "guards.test.ts"]);
  const words = ["--conditions=charter-source", "--test", "--test-isolation=none", "--test-reporter=tap", ...names];
  const env = { PATH: process.env.PATH };
  const { stdout } = await inFolder((cwd) =>
    promisify(execFile)(process.execPath, words, { cwd, env }).catch((error: { stdout: string }) => error),
  );
  expect(stdout.match(/^not ok[\s\S]*?\.\.\.$|^# (?:pass|fail) \d+$/gm)).toEqual(["# pass 9", "# fail 0"]);
});

test("the message in docs/testing.md is the one that is thrown", async () => {
  const { librarian } = await inFolder((folder) => import(join(folder, "librarian.ts")));
  const prompt = assemble(librarian, {
    goals: fromText("Find good books."),
    loans: present([{ text: "- Emma" }]),
    inbox: fromText("Hello!"),
  });
  const message = /^```text\nExpectationFailed: ([\s\S]*?)\n```$/m.exec(page)?.[1] as string;
  expect(() => expectPrompt(prompt).has("Find great books.")).toThrow(expect.objectContaining({ message }));
});

test("every method has its place in docs/testing.md", () => {
  const rows = [...page.matchAll(/^\| `(\w+)\([^|]*\)` \| /gm)].map(([, name]) => name);
  const methods = Object.keys(expectPrompt(assemble({ name: "none", layers: [] }, {})));
  expect(rows.filter((name) => methods.includes(name as string))).toEqual(methods);
  for (const method of Object.keys(expectRequest({ tools: [], system: [], messages: [] })))
    expect(page.split("`expectRequest(request)`")[1]).toContain(`\`${method}`);
});
