import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CheckAnswer } from "../../src/operations/here/check.ts";
import { createFolder, type Files, type Folder } from "../cli.ts";

/** `charter check`, as docs/check.md shows it. Against another commit: check-base.door.test.ts. */

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/check.md"), "utf8");

/** The files a page is made of: its blocks that begin with their name. */
const pageFiles: Files = Object.fromEntries(
  [...page.matchAll(/^```(?:ts|yaml)\n(?:\/\/|#) (librarian\.ts|cases\/\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name, text]) => [name, text],
  ),
);
const librarian = pageFiles["librarian.ts"] as string;

function folderOf(files: Files): Folder {
  const folder = createFolder(files);
  onTestFinished(folder.remove);
  return folder;
}

const named = ["check", "--charter", "librarian.ts"];
const jsonOf = (folder: Folder, ...more: readonly string[]) => {
  const { code, json } = folder.charter([...named, ...more, "--json"]);
  return { code, answer: json() as CheckAnswer };
};
/** What is wrong, a line each. */
const told = ({ diagnostics }: CheckAnswer) =>
  diagnostics.map(({ code, file, line, message }) => `${file}:${line} ${code}: ${message}`);

test("the page's example says what the page shows", () => {
  const folder = folderOf(pageFiles);
  const [, command, output] = /^```console\n\$ npx charter (.*)\n([\s\S]*?)^```$/m.exec(page) as unknown as string[];
  expect(folder.charter((command as string).split(" "))).toMatchObject({ code: 0, stdout: output, stderr: "" });
});

test("the way from a prompt in a file to CI and traces has twenty lines at most", () => {
  const [, way = ""] = /^## From system_prompt\.txt to CI and traces\n([\s\S]*?)^## /m.exec(page) ?? [];
  const lines = [...way.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(lines.filter((line) => !/^(?:#|\/\/) /.test(line)).length).toBe(20);
});

test("every code stands in the page's table", () => {
  const sources = ["prompt/lint.ts", "host/check/check-charter.ts", "cli/commands/maintain/check.ts"].map((file) =>
    readFileSync(resolve(import.meta.dirname, "../../src", file), "utf8"),
  );
  const codes = new Set(sources.flatMap((text) => [...text.matchAll(/\bcode: "([a-z-]+)"/g)].map(([, code]) => code)));
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (?!the )/gm)].map(([, code]) => code);
  for (const code of codes) expect(page).toContain(`| \`${code}\` |`);
  expect(rows.length).toBeGreaterThan(0);
});

test("an address whose words count as the operator's own is said by the check and by doctor", () => {
  const sources = `status: { url: "http://127.0.0.1:9/" }, orders: { url: "http://127.0.0.1:9/", trust: "own" }, time: { command: ["date"], trust: "own" }`;
  const folder = folderOf({
    "librarian.ts": librarian,
    "charter.config.ts": `export default { sources: { ${sources} } };`,
  });
  const found = (command: string[]) =>
    [...folder.charter(command).stdout.matchAll(/The source “(\w+)” is read from/g)].map(([, name]) => name);
  const both = () => [...found(named), ...found(["doctor"])];
  expect(both()).toEqual([]);
  folder.charter(["trust"]);
  expect(both()).toEqual(["orders", "orders"]);
});

describe("golden texts", () => {
  test("are written once, and then nothing changes until the prompt does", () => {
    const folder = folderOf({ "librarian.ts": librarian, "cases/any.yaml": "facts: { user: bo }\n" });
    expect(told(jsonOf(folder).answer)).toEqual([
      "cases/any.yaml:1 case-failed: There is no golden text yet: cases/any.md.",
    ]);
    expect(jsonOf(folder, "--update")).toMatchObject({ code: 0, answer: { updated: ["cases/any.md"], fine: true } });
    const golden = folder.read("cases/any.md");
    expect(golden).toBe(
      "## Safety\nTell nobody who reads what.\nLend books with `lend`.\n\n## Goals\nFind good books.\n\nIt is 2026-01-01. You talk with bo.\n",
    );
    expect(jsonOf(folder, "--update").answer.updated).toEqual([]);
    expect([folder.read("cases/any.md"), folder.names()]).toEqual([
      golden,
      ["cases/any.md", "cases/any.yaml", "librarian.ts"],
    ]);
    folder.write("librarian.ts", librarian.replace("good books", "great books"));
    expect(told(jsonOf(folder).answer)).toEqual([
      "cases/any.md:6 case-failed: The prompt is not its golden text: line 6 is “Find great books.”, and was “Find good books.”.",
    ]);
  });

  test("may have the line ends of another system", () => {
    const folder = folderOf({ "librarian.ts": librarian, "cases/any.yaml": "facts: { user: bo }\n" });
    folder.charter([...named, "--update"]);
    folder.write("cases/any.md", folder.read("cases/any.md").replaceAll("\n", "\r\n"));
    expect(jsonOf(folder).code).toBe(0);
  });
});

describe("expectations", () => {
  test("that do not hold are told all at once, each at its line", () => {
    const folder = folderOf({
      "librarian.ts": librarian,
      "cases/a.yaml": "facts:\n  user: bo\nhas:\n  - nobody\n  - everybody\norder:\n  - goals\n  - safety\n",
      "cases/b.yaml":
        "facts: { user: bo }\ncut: [today]\nomitted: { goals: empty }\nwithin: { chars: 9 }\nwhole: today\n",
    });
    const { code, answer } = jsonOf(folder);
    expect([code, ...told(answer).map((line) => line.split("\n")[0])]).toEqual([
      1,
      "cases/a.yaml:5 case-failed: The prompt of “librarian” does not have “everybody”.",
      "cases/a.yaml:6 case-failed: The sections are in the order “safety”, “goals”, not “goals”, “safety”.",
      "cases/b.yaml:2 case-failed: “today” was not cut: all of it is in the prompt.",
      "cases/b.yaml:3 case-failed: “goals” is in the prompt.",
      "cases/b.yaml:4 case-failed: The prompt of “librarian” has 125 characters, 116 more than 9.",
    ]);
  });
});

describe("cases that cannot be read", () => {
  const rows: [what: string, text: string | Uint8Array, line: number, message: string][] = [
    ["no YAML", "has: [a\nb: c\n", 2, "This is not valid YAML:"],
    ["a list", "- has: a\n", 1, "This is not valid YAML: it is not a list of fields."],
    ["a misspelled field", "facts: {}\nhasnot: a\n", 2, "“hasnot” is no field of a case."],
    ["a text in the place of facts", "facts: web\n", 1, "“facts” is “web”; it is an object."],
    ["an empty expectation", "has: ''\n", 1, "“has” is empty; it is a text."],
    ["an order of one", "order: [safety]\n", 1, "“order” has 1; it has at least 2."],
    [
      "a limit that is no number",
      "within: { tokens: many }\n",
      1,
      "“tokens” is “many”; it is a whole number from 0 up.",
    ],
    ["a case that expects nothing", "golden: false\n", 1, "The case expects nothing."],
    ["facts of a wrong type", "facts:\n  user: bo\n  tools:\n    - a\n    - [b]\nhas: a\n", 5, "The fact “tools[1]"],
    [
      "a day that does not exist",
      "has: a\nfacts:\n  now: 2026-02-30\n",
      3,
      "The fact “now” is “2026-02-30”, which is no ISO 8601 time.",
    ],
    [
      "an unknown section",
      "has: a\nfacts:\n  standing:\n    gaols: x\n",
      4,
      "The fact “standing.gaols” names no section of “librarian”.",
    ],
    [
      "another charter",
      "has: a\ncharter: poet\n",
      2,
      "It is about “poet”, which is not among the charters that are checked.",
    ],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x00]), 1, "The case at cases/x.yaml is not UTF-8."],
    ["a few bytes that stand for very many", bomb(), 1, "This is not valid YAML: Excessive alias count"],
    ["a thousand levels", `has: ${"[".repeat(10_000)}\n`, 1, "This is not valid YAML:"],
  ];
  test("are all told at once, with their lines, beside what could be checked", () => {
    const files = Object.fromEntries(
      rows.map(([, text], index) => [`cases/${String.fromCharCode(97 + index)}.yaml`, text]),
    );
    const folder = folderOf({
      ...files,
      "librarian.ts": librarian,
      "cases/z.yaml": "facts: { user: bo }\nhas: everybody\n",
    });
    const { code, answer } = jsonOf(folder);
    const found = new Map(answer.diagnostics.map((one) => [one.file, one]));
    for (const [index, [what, , line, message]] of rows.entries()) {
      const name = `cases/${String.fromCharCode(97 + index)}.yaml`;
      const one = found.get(name);
      expect([
        what,
        one?.code,
        one?.line,
        one?.message.startsWith(message.replace("cases/x.yaml", name)),
        one?.hint !== "",
      ]).toEqual([what, "bad-case", line, true, true]);
    }
    expect([code, answer.unchecked, found.get("cases/z.yaml")?.code]).toEqual([2, rows.length, "case-failed"]);
  });

  test("a link is not followed, neither to a case nor to a golden text", () => {
    const folder = folderOf({
      "librarian.ts": librarian,
      "secret.txt": "has: a\n",
      "cases/b.yaml": "facts: { user: bo }\n",
    });
    symlinkSync(join(folder.path, "secret.txt"), join(folder.path, "cases/a.yaml"));
    symlinkSync(join(folder.path, "secret.txt"), join(folder.path, "cases/b.md"));
    expect(told(jsonOf(folder, "--update").answer)).toEqual([
      "cases/a.yaml:1 bad-case: It is no plain file.",
      "cases/b.yaml:1 bad-case: cases/b.md is no plain file.",
    ]);
    expect(folder.read("secret.txt")).toBe("has: a\n");
  });
});

/** Seven lists, each of nine of the one before. */
function bomb(): string {
  const levels = ["b", "c", "d", "e", "f", "g"].map((name, index) => {
    const before = `*${"abcdef"[index]}`;
    return `${name}: &${name} [${Array(9).fill(before).join(", ")}]`;
  });
  return `a: &a [lol]\n${levels.join("\n")}\n`;
}

describe("exit codes", () => {
  test("0: all is well, or there are only warnings", () => {
    const goals = "Find good books. Find them in the library of this town. Find them in the library of this town.";
    const folder = folderOf({
      ...pageFiles,
      "librarian.ts": librarian.replace("Find good books.", goals).replace("trusted: true, ", ""),
    });
    const { code, answer } = jsonOf(folder);
    expect([code, answer.fine, ...told(answer)]).toEqual([
      0,
      true,
      "./librarian.ts:15 repeated-words: “goals” repeats itself: “Find them in the library of this town.”",
      "./librarian.ts:undefined tool-unsaid: Of “lend” it is not said what they bring and do: it is foreign, and while foreign text is in a session their calls wait.",
    ]);
  });
  test("1: a clock in a stable section, whether it asks the turn or the machine", () => {
    for (const clock of ["now", "new Date().toISOString()"]) {
      const sources = `sources: [({ now, user }) => fromText(\`It is \${${clock}.slice(0, 10)}. You talk with \${user}.\`)],`;
      const stable = librarian.replace(/sources:.*\n.*\n.*\n/, `${sources}\n`);
      expect(stable).not.toContain("stability");
      const folder = folderOf({ ...pageFiles, "librarian.ts": stable });
      const { code, answer } = jsonOf(folder);
      expect(told(jsonOf(folder, "--no-other-user").answer)).toEqual(told(answer).slice(0, 1));
      expect([code, ...told(answer)]).toEqual([
        1,
        "./librarian.ts:24 stable-moves: “today” is stable and changes with the time: “It is 2026-01-01. You talk with bo.” becomes “It is 2027-02-05. You talk with bo.” (cases/greeting.yaml).",
        "./librarian.ts:24 user-in-prefix: “today” is stable, in the prefix of all users, and is other text for another user, channel or zone, from byte 32 on: “It is 2026-01-01. You talk with bo.” becomes “It is 2026-01-01. You talk with somebody-else.” (cases/greeting.yaml).",
      ]);
    }
  });
  test("2: there is nothing to check, or it cannot be loaded", () => {
    expect(folderOf({}).charter(["check"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("usage: There is no charter of this project to check."),
    });
    expect(folderOf({ "librarian.ts": "export default {" }).charter(named).stderr).toContain("charter-unreadable: ");
    expect(folderOf(pageFiles).charter([...named, "--base", "main"]).stderr).toContain("base-unreadable: ");
  });
});

test("a locked charter is checked without being named, once the directory is trusted; a changed word is told", () => {
  const folder = folderOf(pageFiles);
  folder.charter(["lock", "--charter", "librarian.ts"]);
  expect(folder.charter(["check"])).toMatchObject({ code: 2, stderr: expect.stringContaining("charter-untrusted: ") });
  folder.write("librarian.ts", librarian.replace("Tell nobody", "Tell anybody"));
  const { code, answer } = jsonOf(folder);
  expect([code, ...told(answer)]).toEqual([
    1,
    "./librarian.ts:12 lock-mismatch: The fixed text of “safety” was changed, and charter.lock does not say so.",
  ]);
  expect(answer.charters[0]?.words).toEqual([
    {
      section: "safety",
      what: "changed",
      diff: "--- safety (before)\n+++ safety (after)\n@@ -1,2 +1,2 @@\n-Tell nobody who reads what.\n+Tell anybody who reads what.\n Lend books with `lend`.\n",
    },
  ]);
});

test("doctor tells the errors of a locked charter, too, and which text of an agent all users are sent", () => {
  const tool = librarian.replace("Lend books with `lend`.", "Lend books with `read_memory`.");
  const folder = folderOf({ "librarian.ts": tool });
  folder.charter(["lock", "--charter", "librarian.ts"]);
  folder.charter(["trust"]);
  folder.charter(["agents", "add", "sol", "--charter", "sovereign"]);
  const { checks } = folder.charter(["doctor", "--json"]).json() as { checks: { what: string; fine: boolean }[] };
  expect(checks.filter(({ fine }) => !fine).map(({ what }) => what)).toContain(
    "“safety” names the tool read_memory, which is not offered; those offered are “lend”.",
  );
  expect(checks.filter(({ fine }) => fine).map(({ what }) => what)).toContain(
    "“sol”: All users are sent the same “decisions”, “inbox”, “learning”, “self-modification”: what a user's turn changes there waits for the operator.",
  );
});

test("a thousand cases are one run", () => {
  const cases = Array.from({ length: 1000 }, (_, index) => [
    `cases/${index}.yaml`,
    `facts: { user: u${index} }\nhas: You talk with u${index}.\n`,
  ]);
  const { code, answer } = jsonOf(folderOf({ "librarian.ts": librarian, ...Object.fromEntries(cases) }));
  expect([code, answer.cases, answer.diagnostics]).toEqual([0, 1000, []]);
});

test("the ready-made charters pass", () => {
  for (const name of ["assistant", "artifact", "sovereign", "coder", "resident"]) {
    const { code, stdout } = folderOf({}).charter(["check", "--charter", name]);
    expect([name, code, stdout.split("\n").filter((line) => /^(?:error|warning)/.test(line))]).toEqual([name, 0, []]);
  }
});
