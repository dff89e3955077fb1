import { expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import { checkPath } from "./request-log.ts";

const rows: [what: string, url: string, sound: boolean][] = [
  ["a plain one", "http://localhost/api/agents/ada", true],
  ["none", "http://localhost", true],
  ["one with a query of any kind", "http://localhost/api?x=%00%zz//", true],
  ["a name in other letters", "http://localhost/api/agents/%C3%84gypten%20%F0%9F%99%82", true],
  ["a slash inside a name", "http://localhost/api/agents/a%2Fb", true],
  ["a percent sign inside a name", "http://localhost/api/agents/100%25", true],
  ["signs that need no encoding", "http://localhost/api/users/a@b.org:1,2", true],
  ["NUL", "http://localhost/api/agents/ada%00", false],
  ["a line break", "http://localhost/api/agents/ada%0D%0Aset-cookie:%20a=b", false],
  ["a control character of the second set", "http://localhost/api/agents/%C2%9B31m", false],
  ["an encoding that is none", "http://localhost/api/agents/%zz", false],
  ["half a character", "http://localhost/api/agents/%C3", false],
  ["an overlong slash", "http://localhost/api%c0%afagents", false],
  ["half a pair", "http://localhost/api/%ED%A0%80", false],
  ["an empty part", "http://localhost/api//agents", false],
  ["an empty part at the start", "http://localhost//evil.example/", false],
];
for (const [what, url, sound] of rows)
  test(`a path with ${what} is ${sound ? "read" : "turned away"}`, () => {
    const check = () => checkPath(url);
    if (sound) expect(check).not.toThrow();
    else expect(check).toThrow(Problem);
  });
