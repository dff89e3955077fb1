import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { sqlite } from "../../../src/store/index.ts";
import { type Answer, createFolder } from "../../cli.ts";

/** Commands on a database that cannot do what they are asked: a problem that says what to do, and nothing changed. */

const rewrite = (content: string) => ["-o", "rewrite", "--content", content];
const problemOf = ({ code, stdout, stderr }: Answer) => [code, stdout, stderr.split("\n")[0]];

describe("what cannot be done is said in one line, and changes nothing", () => {
  const folder = createFolder();
  beforeAll(() => {
    folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
    folder.write("words.json", JSON.stringify({ standing: { soul: "x" } }));
    folder.write("list.json", "[]");
    folder.write("bad.json", JSON.stringify({ tools: 7 }));
  });
  afterAll(folder.remove);

  const amend = ["amend", "--agent", "ada", ...rewrite("x")];
  const rows: [what: string, args: string[], firstLine: string | RegExp][] = [
    ["no such agent", ["show", "--agent", "eve"], "unknown-agent: There is no agent “eve”."],
    ["no such agent to amend", ["reset", "--agent", "eve", "soul"], "unknown-agent: There is no agent “eve”."],
    ["no such agent in history", ["history", "--agent", "eve", "soul"], "unknown-agent: There is no agent “eve”."],
    ["no such agent to freeze", ["freeze", "eve"], "unknown-agent: There is no agent “eve”."],
    [
      "a user's section without a user",
      [...amend, "-s", "instructions"],
      "needs-user: “instructions” is each user's own, and no user was named.",
    ],
    [
      "its history without a user",
      ["history", "--agent", "ada", "instructions"],
      "needs-user: “instructions” is each user's own, and no user was named.",
    ],
    ["no such section", [...amend, "-s", "heart"], "unknown-section: The charter “assistant” has no section “heart”."],
    [
      "no such section in history",
      ["history", "--agent", "ada", "heart"],
      "unknown-section: The charter “assistant” has no section “heart”.",
    ],
    ["no section at all", ["history", "--agent", "ada"], "usage: charter history needs the name of a section."],
    ["nothing to go back to", ["revert", "--agent", "ada", "soul"], "usage: charter revert needs --to."],
    [
      "an agent and a charter",
      ["show", "--agent", "ada", "--charter", "coder"],
      "usage: Both --agent and --charter were given.",
    ],
    ["a user without an agent", ["show", "--charter", "coder", "--user", "bo"], "usage: --user needs --agent."],
    [
      "standing words among the facts",
      ["show", "--agent", "ada", "--input", "words.json"],
      "bad-facts: The facts contain “standing”, but an agent's current texts are in the database.",
    ],
    [
      "facts that are none",
      ["show", "--agent", "ada", "--input", "list.json"],
      "bad-facts: The fact “facts” should be an object, not a list.",
    ],
    ["a user's name that is none", ["show", "--agent", "ada", "--user", " bo"], /^bad-name: /],
    [
      "a name that is taken",
      ["agents", "add", "ada", "--charter", "coder"],
      "agent-exists: There is an agent “ada” already.",
    ],
    ["no such charter", ["agents", "add", "eve", "--charter", "poet"], "unknown-charter: There is no charter “poet”."],
    ["a name that is none", ["agents", "add", "e\nve", "--charter", "coder"], /^bad-name: /],
    [
      "a name one would have to quote",
      ["agents", "add", "My Agent!", "--charter", "coder"],
      'bad-name: "My Agent!" cannot be the name of a new agent.',
    ],
    [
      "a name that is a step in an address",
      ["chat", "--charter", "assistant", "--agent", "."],
      'bad-name: "." cannot be the name of a new agent.',
    ],
    ["nothing to set", ["agents", "set", "ada"], "usage: Nothing to change was given."],
    [
      "settings that hold standing words",
      ["agents", "set", "ada", "--settings", "words.json"],
      /^bad-settings: The settings contain “standing”/,
    ],
    [
      "settings that are no object",
      ["agents", "add", "eve", "-c", "coder", "--settings", "list.json"],
      "usage: --settings must be an object, and is a list.",
    ],
    [
      "settings the charter cannot read",
      ["agents", "add", "eve", "-c", "coder", "--settings", "bad.json"],
      "bad-facts: The fact “tools” should be a list, not number 7.",
    ],
    ["a zone there is not", ["users", "set", "bo", "--zone", "Mars/Base"], "bad-zone: “Mars/Base” is no time zone."],
    ["a proposal there is not", ["approve", "zz"], "unknown-proposal: There is no held proposal “zz”."],
    ["a page of nothing", ["history", "--agent", "ada", "soul", "--limit", "0"], /^usage: --limit must be at least 1/],
    ["a verb there is not", ["agents", "burn", "ada"], "usage: charter agents does not understand “burn”."],
  ];
  for (const [what, args, firstLine] of rows)
    test(what, () => {
      const { code, stdout, stderr } = folder.charter(args);
      const [first, hint, ...rest] = stderr.split("\n");
      expect([code, stdout, rest]).toEqual([2, "", [""]]);
      if (typeof firstLine === "string") expect(first).toBe(firstLine);
      else expect(first).toMatch(firstLine);
      expect(hint).toMatch(/^ {2}\S/);
    });

  test("without a database nothing is made, except by adding an agent that can be", () => {
    const empty = createFolder();
    try {
      for (const args of [
        ["agents"],
        ["history", "--agent", "ada", "soul"],
        [...amend, "-s", "soul"],
        ["users", "set", "bo", "--zone", "UTC"],
      ])
        expect(problemOf(empty.charter(args))).toEqual([
          2,
          "",
          "no-database: There is no database at .charter/charter.db.",
        ]);
      expect(empty.charter(["agents", "add", "eve", "--charter", "poet"]).code).toBe(2);
      expect(empty.names()).toEqual([]);
      expect(empty.charter(["agents", "add", "eve", "--charter", "coder"]).code).toBe(0);
      expect(empty.names()).toContain(".charter/charter.db");
    } finally {
      empty.remove();
    }
  });
});

describe("an agent that was named before names had a form", () => {
  const folder = createFolder();
  beforeAll(async () => {
    folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
    const home = sqlite(join(folder.path, ".charter/charter.db"));
    await home.write("everything", async (db) => {
      for (const name of [".", "My Agent!"])
        await db.run(sql`insert into agents select ${name}, charter, model, settings, frozen, created_at, updated_at,
          label, removed_at, fallbacks from agents limit 1`);
    });
    await home.close();
  });
  afterAll(folder.remove);

  for (const name of [".", "My Agent!"])
    test(`“${name}” is shown, set up, amended, proved, saved and restored`, () => {
      const bo = ["--agent", name, "--user", "bo"];
      const fine = (...args: string[]) => {
        const { code, stderr, stdout } = folder.charter(args);
        expect([code, stderr]).toEqual([0, ""]);
        return stdout;
      };
      fine("agents", "set", name, "--model", "openai/gpt-5");
      fine("amend", ...bo, "-s", "instructions", ...rewrite("Be brief."));
      expect(fine("show", ...bo)).toContain("Be brief.");
      fine("verify");
      fine("checkpoint", "save", "old.checkpoint", "--agent", name, "--force");
      fine("checkpoint", "restore", "old.checkpoint", "--database", "new.db", "--replace");
      expect(fine("show", ...bo, "--database", "new.db")).toContain("Be brief.");
      fine("verify", "--database", "new.db");
    });
});
