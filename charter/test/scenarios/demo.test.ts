import { expect, test } from "vitest";
import { createFolder } from "../cli.ts";

test.each([
  [["--demo", "--host", "0.0.0.0"], "usage: A demo is for this machine alone, and the host is 0.0.0.0."],
  [
    ["--demo", "--host", "127.0.0.1.example.com"],
    "usage: A demo is for this machine alone, and the host is 127.0.0.1.example.com.",
  ],
  [
    ["--demo", "--database", "x.db"],
    "usage: --database does not go with --demo: a demo has a database and settings of its own.",
  ],
  [
    ["--demo", "--model", "openai/gpt-5"],
    "usage: --model does not go with --demo: a demo has a database and settings of its own.",
  ],
  [["--demo", "--port", "many"], "usage: --port is “many”, which is no port."],
  [["--fresh"], "usage: --fresh makes a demo anew, and --demo was not given."],
  [["--host", "0.0.0.0"], "usage: charter start is for this machine alone, and the host is 0.0.0.0."],
])("charter start %j is refused, and makes nothing", (args, expected) => {
  const empty = createFolder();
  const { code, stderr } = empty.charter(["start", ...args]);
  expect([code, stderr.split("\n")[0]]).toEqual([2, expected]);
  expect(empty.names()).toEqual([]);
  empty.remove();
});

test("a database of that name that no demo made is left alone", () => {
  const other = createFolder({ ".charter/demo.db": "mine" });
  for (const args of [["--demo"], ["--demo", "--fresh"]]) {
    const { code, stderr } = other.charter(["start", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("was not made by charter start --demo")]);
  }
  expect(other.read(".charter/demo.db")).toBe("mine");
  other.remove();
});
