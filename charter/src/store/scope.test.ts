import { expect, test } from "vitest";
import { agentNameFrom, checkAgentName } from "./scope.ts";

const rows: [words: string, name: string][] = [
  ["ada", "ada"],
  ["My Charter!", "My-Charter"],
  [".hidden", "hidden"],
  ["a/b c", "a-b-c"],
  ["--x--", "x"],
  ["名前 2", "名前-2"],
  ["e\u0301", "e\u0301"],
  ["!!!", "agent"],
  ["x".repeat(300), "x".repeat(200)],
];
for (const [words, name] of rows)
  test(`of ${JSON.stringify(words).slice(0, 20)} comes a name an agent may have`, () => {
    expect(agentNameFrom(words)).toBe(name);
    expect(() => checkAgentName(agentNameFrom(words))).not.toThrow();
  });
