import { describe, expect, test } from "vitest";
import type { Message } from "./model.ts";
import { standIn } from "./stand-in.ts";

const all = ["read", "bash", "edit", "write", "grep", "find", "ls"];
const usual = ["read", "bash", "edit", "write"];

/** What it says or calls. */
async function does(messages: readonly Message[], tools: readonly string[] = all): Promise<unknown> {
  const request = {
    tools: tools.map((name) => ({ name, description: name, input: { type: "object" } })),
    system: [{ text: "You help with code." }],
    messages,
  };
  const { answer } = await standIn().ask(request, { signal: new AbortController().signal });
  return answer?.calls.length ? answer.calls.map(({ name, input }) => [name, JSON.parse(input)]) : answer?.text;
}

const told = (text: string, tools?: readonly string[]) => does([{ role: "user", text }], tools);

const rows: [words: string, tool: string, input: object][] = [
  ["read README.md", "read", { path: "README.md" }],
  ["Please read the file “my notes.txt”.", "read", { path: "my notes.txt" }],
  ["show me src/a.ts from line 40", "read", { path: "src/a.ts", offset: 40 }],
  ["cat `a.ts`", "read", { path: "a.ts" }],
  ["list the files", "ls", {}],
  ["ls", "ls", {}],
  ["List all the files in src/agent.", "ls", { path: "src/agent" }],
  ["ls src", "ls", { path: "src" }],
  ["find *.ts", "find", { pattern: "*.ts" }],
  ["find all files named config in src", "find", { pattern: "*config*", path: "src" }],
  ["find src/**/*.test.ts", "find", { pattern: "src/**/*.test.ts" }],
  ["search for TODO", "grep", { pattern: "TODO", literal: true }],
  ["search for “a b” in src", "grep", { pattern: "a b", literal: true, path: "src" }],
  ["grep ^import .*zod", "grep", { pattern: "^import .*zod" }],
  ["run npm test", "bash", { command: "npm test" }],
  ["Run `git log --oneline | head`.", "bash", { command: "git log --oneline | head" }],
  ["write hello to notes.txt", "write", { path: "notes.txt", content: "hello\n" }],
  ['write "a\nb" into src/new.txt', "write", { path: "src/new.txt", content: "a\nb\n" }],
  ["create notes.txt with Remember the milk.", "write", { path: "notes.txt", content: "Remember the milk.\n" }],
  ["create a file called a.md containing: # Hi", "write", { path: "a.md", content: "# Hi\n" }],
  ["replace A with B in notes.txt", "edit", { path: "notes.txt", oldText: "A", newText: "B" }],
  ["change `a to b` to “c” in src/x.ts.", "edit", { path: "src/x.ts", oldText: "a to b", newText: "c" }],
];
for (const [words, tool, input] of rows)
  test(`“${words}”`, async () => expect(await told(words)).toEqual([[tool, input]]));

describe("where only the usual tools are offered, the shell looks around", () => {
  const commands: [words: string, command: string][] = [
    ["list the files", "ls -Ap"],
    ["list the files in “my src”", "ls -Ap 'my src'"],
    ["find *.ts", "find . -name '*.ts' -not -path '*/.git/*'"],
    ["find src/*.ts in lib", "find lib -path '*/src/*.ts' -not -path '*/.git/*'"],
    ["search for it's", "grep -rnIF --exclude-dir=.git -e 'it'\\''s' . || [ $? -eq 1 ]"],
    ["grep a+b in src", "grep -rnIE --exclude-dir=.git -e a+b src || [ $? -eq 1 ]"],
  ];
  for (const [words, command] of commands)
    test(`“${words}”`, async () => expect(await told(words, usual)).toEqual([["bash", { command }]]));
});

test("words that are meant otherwise, or for tools that are not there, are none of its business", async () => {
  for (const words of ["write a letter to mother", "open your heart", "find out what happened", "reading is fun"])
    expect(await told(words)).toContain(`You wrote: “${words}”.`);
  for (const words of ["run 5 km with me", "read README.md", "search for peace"])
    expect(await told(words, ["save_memory"])).toContain(`You wrote: “${words}”.`);
});

test("a newcomer is told what to try", async () => {
  expect(await told("Hello", usual)).toBe(
    "(stand-in model) I am a script that stands in for a model: nothing was sent anywhere. You wrote: “Hello”. Try “list the files”, “read README.md”, “run `git status`”, “write hello to notes.txt”, “replace hello with goodbye in notes.txt”.",
  );
});

describe("what came back is told, shortened", () => {
  const after = (name: string, output: string, failed?: true) =>
    does([
      { role: "user", text: "read a.txt" },
      { role: "assistant", text: "", calls: [{ id: "c1", name, input: "{}" }] },
      { role: "tool", results: [{ call: "c1", name, output, ...(failed ? { failed } : {}) }] },
    ]);
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`).join("\n");

  test("a short result whole, a long one by its first lines", async () => {
    expect(await after("read", "one\ntwo\n")).toBe("(stand-in model)\nread answered:\none\ntwo\n");
    expect(await after("bash", lines(22))).toBe(`(stand-in model)\nbash answered:\n${lines(20)}\n(and 2 more lines)`);
    expect(await after("read", "x".repeat(300))).toBe(`(stand-in model)\nread answered:\n${"x".repeat(200)}…`);
  });

  test("what was written, and what failed", async () => {
    expect(await after("write", "Created “a.txt” (6 bytes).")).toBe("(stand-in model) Created “a.txt” (6 bytes).");
    expect(await after("read", "It failed: There is no “a.txt”.", true)).toBe(
      "(stand-in model) read failed: There is no “a.txt”.",
    );
    expect(await after("bash", "oh\n\n[Exit code 1.]", true)).toBe(
      "(stand-in model)\nbash failed:\noh\n\n[Exit code 1.]",
    );
  });
});
