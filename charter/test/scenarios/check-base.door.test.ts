import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import type { CheckAnswer } from "../../src/operations/here/check.ts";
import { createFolder, type Files, type Folder } from "../cli.ts";

/** What the reviewer of a pull request reads: a real repository, a commit on main, and one on a branch. */

const day = `({ now }) => ({ status: "present", parts: [{ text: "It is " + now.slice(0, 10) + ", says @all on https://example.org/#1 | <b>." }] })`;

type Changes = {
  readonly words: string;
  readonly tools: readonly string[];
  readonly limit: number;
  readonly goals: string;
  readonly day: string;
};

const atMain: Changes = {
  words: "Tell nobody who reads what.\nRemind people with `send_mail` when a book is due.",
  tools: ["lend", "send_mail"],
  limit: 900,
  goals: "Find good books for whoever asks.",
  day: `{ name: "day", trust: "own", sources: [${day}], stability: "state", reserve: { chars: 40, tokens: 15 } }`,
};

const librarian = ({ words, tools, limit, goals, day }: Changes) => `import { defineTool } from "charter/agent";
import { z } from "zod";

export default {
  name: "librarian",
  limit: { chars: ${limit} },
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [{ name: "safety", heading: "## Safety", words: ${JSON.stringify(words)} }],
    },
    {
      name: "goals",
      mutability: { amendableBy: ["agent"], scope: "user" },
      sections: [{ name: "goals", heading: "## Goals", original: ${JSON.stringify(goals)} }],
    },
    { name: "now", mutability: "live", sections: [${day}] },
  ],
};
export const tools = ${JSON.stringify(tools)}.map((name) =>
  defineTool({ name, input: z.object({}), summary: name, reads: true, trusted: true, run: () => "" }),
);
`;

type Repository = Folder & { readonly git: (...args: readonly string[]) => string };

/** A repository whose charter is locked and committed, on a branch of its own. */
function repository(charter: string, files: Files): Repository {
  const folder = createFolder(files);
  onTestFinished(folder.remove);
  const who = ["-c", "user.name=bo", "-c", "user.email=bo@example.org"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...who, ...args], { cwd: folder.path, encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet", "--initial-branch", "main");
  expect(folder.charter(["lock", "--charter", charter]).code).toBe(0);
  git("add", "--all");
  git("commit", "--quiet", "--message", "a charter");
  git("switch", "--quiet", "--create", "change");
  return { ...folder, git };
}

const check = ["check", "--charter", "librarian.ts", "--base", "main", "--model", "anthropic/claude-sonnet-5-5"];

test("five faults of a pull request are told in one comment", () => {
  const folder = repository("librarian.ts", {
    "librarian.ts": librarian(atMain),
    "cases/any.yaml": "has: nobody\n",
  });
  const goals = "Find good books for whoever asks, and say in one line why each of them is worth their time.";
  folder.write(
    "librarian.ts",
    librarian({
      words: atMain.words.replace("nobody", "anybody"),
      tools: ["lend"],
      limit: 160,
      goals,
      day: `{ name: "day", trust: "own", sources: [${day}] }`,
    }),
  );
  folder.git("commit", "--quiet", "--all", "--message", "a change");
  const answer = folder.charter([...check, "--markdown"]);
  expect({ code: answer.code, stderr: answer.stderr }).toEqual({ code: 1, stderr: "" });
  const commit = folder.git("rev-parse", "--short=8", "main").trim();
  expect(answer.stdout.replace(commit, "COMMIT")).toMatchInlineSnapshot(`
    "## Charter check: 5 errors in 1 charter with 1 case.

    | | where | what, and what to do |
    | --- | --- | --- |
    | error | \`./librarian.ts\`<br>\`limit-too-small\` | There is no prompt for cases/any.yaml: The prompt of “librarian” needs 253 characters and may have 160, even after trimming. Largest: “goals” 102, “safety” 91, “day” 60.<br>**Raise the limit, ask for the compact edition, shorten a section, or let one be trimmed (givesWay).** |
    | error | \`./librarian.ts:18 day\`<br>\`stable-moves\` | “day” is stable and changes with the time: “It is 2026-01-01, says @<!-- -->all on https:<!-- -->//example.org/\\#<!-- -->1 \\| \\<b\\>.” becomes “It is 2027-02-05, says @<!-- -->all on https:<!-- -->//example.org/\\#<!-- -->1 \\| \\<b\\>.” (cases/any.yaml).<br>**Declare it \`stability: "state"\`, which is a message of its own; or leave the time out. As it is, each new session begins with another prefix.** |
    | error | \`./librarian.ts:11 safety\`<br>\`tool-not-offered\` | “safety” names the tool send\\_mail, which is not offered; those offered are “lend”.<br>**Offer it, or take it out of the words: a model calls what it reads of.** |
    | error | \`./librarian.ts:11 safety\`<br>\`lock-mismatch\` | The fixed text of “safety” was changed, and charter.lock does not say so.<br>**If it is meant, run \`charter lock\` and commit the file.** |
    | error | \`./librarian.ts\`<br>\`price-up\` | The prompt has 25 % more tokens than at the base: 71, and had 57. At most 10 % were allowed.<br>**Shorten what grew, or allow it with --max-increase.** |

    ### Fixed text of \`safety\` was changed

    \`\`\`diff
    @@ -1,2 +1,2 @@
    -Tell nobody who reads what.
    +Tell anybody who reads what.
     Remind people with \`send_mail\` when a book is due.
    \`\`\`

    ### librarian: 57, $0.11 → 71 tokens, $0.14 (+25 %)

    | section | before | tokens | change | price |
    | --- | --: | --: | --: | --: |
    | \`safety\` | 23 | 23 |  | $0.046 |
    | \`goals\` | 10 | 24 | +14 | $0.048 |
    | \`day\` | 24 | 24 |  | $0.048 |

    Tokens are counted by o200k\\_base, which is an estimate, on average over the cases; prices are of 1,000 requests to anthropic/claude-sonnet-5-5, without its cache. Compared with main (COMMIT).
    "
  `);
  expect(folder.git("status", "--porcelain")).toBe("");
});

test("what changed in fixed text with its lock is for the reviewer to judge; nothing is left in the repository", () => {
  const folder = repository("librarian.ts", { "librarian.ts": librarian(atMain) });
  folder.write("librarian.ts", librarian({ ...atMain, words: `${atMain.words}\nBe kind.` }));
  expect(folder.charter(["lock", "--charter", "librarian.ts"]).code).toBe(0);
  const told = (...more: readonly string[]) => {
    const { diagnostics, charters } = folder
      .charter(["check", "--base", "main", "--json", ...more])
      .json() as CheckAnswer;
    return [
      diagnostics.map(({ code, message }) => `${code}: ${message}`),
      charters.map(({ tokens, before }) => [tokens, before]),
    ];
  };
  const changed = "words-changed: The fixed text of “safety” was changed, and the lock with it.";
  expect(told("--charter", "librarian.ts")).toEqual([[changed], [[60, 57]]]);
  expect(folder.git("status", "--porcelain", "--ignored")).toBe(" M charter.lock\n M librarian.ts\n");
  expect(folder.git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("a folder is data: found by the lock, compared whole, and each finding names its file", () => {
  const rules = (words: string) => `---\nheading: "## Rules"\n---\n${words}\n`;
  const folder = repository("./tally", {
    "tally/charter.yaml": "name: tally\nlayers:\n  - { name: rules, mutability: fixed, sections: [rules] }\n",
    "tally/rules.md": rules("Never guess a number."),
  });
  folder.write("tally/rules.md", rules("Always guess a number, and say so."));
  const { code, json } = folder.charter(["check", "--base", "main", "--json"]);
  const { diagnostics, charters } = json() as CheckAnswer;
  expect([code, ...diagnostics.map((one) => `${one.file} ${one.code}: ${one.message}`)]).toEqual([
    1,
    "./tally/rules.md lock-mismatch: The fixed text of “rules” was changed, and charter.lock does not say so.",
    "./tally price-up: The prompt has 50 % more tokens than at the base: 12, and had 8. At most 10 % were allowed.",
  ]);
  expect(charters).toMatchObject([
    { file: "./tally", tokens: 12, before: 8, words: [{ section: "rules", what: "changed" }] },
  ]);
});

test("a base that there is not is a Problem, and so are a word that is an option, and none at all", () => {
  const folder = repository("librarian.ts", { "librarian.ts": librarian(atMain) });
  for (const base of ["nowhere", "--upload-pack=x", ""])
    expect(folder.charter(["check", "--charter", "librarian.ts", `--base=${base}`]).stderr).toContain(
      `base-unreadable: There is no commit “${base}” here.`,
    );
});
