import { createHash } from "node:crypto";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { commands } from "../../src/operations/commands.ts";
import { grouped } from "../../src/prompt/problem.ts";
import { type Answer, charter, createFolder, dryRun, type Folder, show, withFacts } from "../cli.ts";

/** What other languages script against: the command's words, its JSON and its exit codes. */

const now = "2026-02-18T15:04:00Z";
const tokenizer = await loadTokenizer("o200k_base");

type PromptJson = {
  text: string;
  digest: string;
  edition: string;
  tokens: { total: number; tokenizer: string; exact: boolean };
  sections: {
    name: string;
    layer: string;
    mutability: string;
    stability: string;
    trust: string;
    start: number;
    end: number;
    tokens: number;
    source: string;
    revision: number | null;
  }[];
  cuts: { section: string; form: string; kept: number; missing: number; unit: string; because: string }[];
  omitted: { name: string; reason: string }[];
  notices: { code: string; section?: string; message: string }[];
};

function folderOf(files: Parameters<typeof createFolder>[0]): Folder {
  const folder = createFolder(files);
  onTestFinished(folder.remove);
  return folder;
}

/** Everything at once: a cut, an omission, a notice, foreign words. */
const rich: [charter: string, facts: object, more: string[]][] = [
  ["artifact", { original: "I am Eva 🎯.\n\n## Goals\n1. Rest" }, []],
  [
    "assistant",
    {
      now,
      zone: "Nowhere",
      channel: "web",
      standing: { soul: "Sei kühn 🎯.", instructions: "語".repeat(2100) },
      revisions: { soul: 4 },
      tools: ["read_memory"],
    },
    [],
  ],
  [
    "sovereign",
    {
      now,
      soul: "eva",
      inbox: [{ id: 1, sender: "0xA", body: "Hi 🎯" }],
      conversations: { "0xa": [{ sender_body: "q", agent_reply: "a" }] },
      memory: Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, value: "語".repeat(400) })),
      tools: [{ name: "sleep", left: 2 }],
    },
    [],
  ],
  ["sovereign", { now, standing: { "6": "Sleep." } }, ["--edition", "compact"]],
  ["coder", { now, cwd: "/app", tools: ["read", "bash"], context: [{ path: "/AGENTS.md", content: "Tabs.\n" }] }, []],
  ["resident", { now, base: "Base.", core: { status: "unavailable" } }, []],
];

describe("charter show --json", () => {
  for (const [name, facts, more] of rich)
    describe([name, ...more].join(" "), () => {
      let answer: Answer;
      let prompt: PromptJson;
      beforeAll(() => {
        answer = show(name, facts, "--json", ...more);
        prompt = answer.json() as PromptJson;
      });

      test("has exactly the keys of the contract, each of its type", () => {
        expect(answer).toMatchObject({ code: 0, stderr: "" });
        expect(Object.keys(prompt)).toEqual([
          ...["text", "digest", "edition", "tokens", "sections", "cuts", "omitted", "notices"],
        ]);
        expect(prompt.tokens).toEqual({ total: expect.any(Number), tokenizer: "o200k_base", exact: true });
        for (const section of prompt.sections) {
          expect(Object.keys(section)).toEqual([
            ...["name", "layer", "mutability", "stability", "trust", "start", "end", "tokens", "source", "revision"],
          ]);
          expect(section).toEqual({
            name: expect.any(String),
            layer: expect.any(String),
            mutability: expect.stringMatching(/^(?:fixed|amendable|live)$/),
            stability: expect.stringMatching(/^(?:stable|event|state)$/),
            trust: expect.stringMatching(/^(?:own|user|foreign)$/),
            start: expect.any(Number),
            end: expect.any(Number),
            tokens: expect.any(Number),
            source: expect.stringMatching(/./),
            revision: section.mutability === "amendable" ? expect.any(Number) : null,
          });
        }
        for (const cut of prompt.cuts)
          expect(cut).toEqual({
            section: expect.any(String),
            form: expect.stringMatching(/^(?:shorter|compact|dropped)$/),
            kept: expect.any(Number),
            missing: expect.any(Number),
            unit: expect.any(String),
            because: expect.any(String),
          });
        for (const omitted of prompt.omitted)
          expect(omitted).toEqual({
            name: expect.any(String),
            reason: expect.stringMatching(/^(?:empty|unavailable|gave-way|not-in-edition)$/),
          });
        for (const { section, ...notice } of prompt.notices) {
          expect(notice).toEqual({ code: expect.any(String), message: expect.any(String) });
          expect(["string", "undefined"]).toContain(typeof section);
        }
      });

      test("its sections tile the text, and its tokens add up", () => {
        expect(prompt.sections.map(({ start }) => start)).toEqual([
          0,
          ...prompt.sections.slice(0, -1).map(({ end }) => end),
        ]);
        expect(prompt.sections.at(-1)?.end).toBe(prompt.text.length);
        const separator = name === "sovereign" ? "\n\n---\n\n" : "\n\n";
        for (const { start, end } of prompt.sections.slice(0, -1)) {
          expect(prompt.text.slice(start, end).endsWith(separator)).toBe(true);
          expect(prompt.text.slice(end)).toMatch(/^\S/);
        }
        expect(prompt.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(prompt.tokens.total);
        expect(prompt.tokens.total).toBe(tokenizer.count(prompt.text));
      });

      test("its digest is the SHA-256 of the text's UTF-8 bytes, in lower-case hex", () => {
        const digest = createHash("sha256").update(Buffer.from(prompt.text, "utf8")).digest("hex");
        expect(prompt.digest).toBe(digest);
        expect(prompt.digest).toMatch(/^[0-9a-f]{64}$/);
      });

      test("plain, it is exactly the text", () => {
        expect(show(name, facts, ...more).stdout).toBe(prompt.text);
      });
    });

  test("the report of one prompt, whole", () => {
    const { text, tokens, digest, ...report } = show(
      "assistant",
      {
        now,
        zone: "Nowhere",
        standing: { soul: "Be kind.", instructions: "x".repeat(2005) },
        revisions: { soul: 4, instructions: 2 },
        tools: ["read_memory"],
      },
      "--json",
    ).json() as PromptJson;
    const start = (heading: string) => text.indexOf(heading);
    const sections = report.sections.map(({ tokens: _, ...section }) => section);
    expect({ ...report, sections }).toEqual({
      edition: "full",
      sections: [
        {
          name: "soul",
          layer: "character",
          mutability: "amendable",
          stability: "stable",
          trust: "own",
          start: 0,
          end: start("## Safety"),
          source: "standing",
          revision: 4,
        },
        {
          name: "safety",
          layer: "safety",
          mutability: "fixed",
          stability: "stable",
          trust: "own",
          start: start("## Safety"),
          end: start("## Current Time"),
          source: "charter",
          revision: null,
        },
        {
          name: "time",
          layer: "setting",
          mutability: "live",
          stability: "state",
          trust: "own",
          start: start("## Current Time"),
          end: start("## Memory"),
          source: "clock",
          revision: null,
        },
        {
          name: "memory",
          layer: "memory",
          mutability: "fixed",
          stability: "stable",
          trust: "own",
          start: start("## Memory"),
          end: start("## User Instructions"),
          source: "charter",
          revision: null,
        },
        {
          name: "instructions",
          layer: "instructions",
          mutability: "amendable",
          stability: "stable",
          trust: "user",
          start: start("## User Instructions"),
          end: start("## Tools"),
          source: "standing",
          revision: 2,
        },
        {
          name: "tools",
          layer: "tools",
          mutability: "live",
          stability: "stable",
          trust: "own",
          start: start("## Tools"),
          end: text.length,
          source: "tools",
          revision: null,
        },
      ],
      cuts: [
        {
          section: "instructions",
          form: "shorter",
          kept: 2000,
          missing: 5,
          unit: "characters",
          because: "“instructions” shows at most 2000 characters.",
        },
      ],
      omitted: [
        { name: "identity", reason: "empty" },
        { name: "channel", reason: "empty" },
      ],
      notices: [
        {
          code: "bad-time-zone",
          section: "time",
          message: "There is no time zone “Nowhere”; the time is shown in UTC.",
        },
      ],
    });
  });

  const names: [charter: string, facts: object, sections: string[]][] = [
    ["artifact", { original: "x" }, ["prompt"]],
    [
      "assistant",
      { identity: { name: "Ada" }, channel: "web", tools: ["a"] },
      ["identity", "soul", "safety", "channel", "time", "memory", "instructions", "tools"],
    ],
    [
      "sovereign",
      {},
      [
        ...["interpretation", "constitution", "survival", "identity", "ethics", "operations"],
        ...["decisions", "inbox", "learning", "self-modification", "now"],
      ],
    ],
    [
      "coder",
      {
        append: "x",
        tools: ["read"],
        context: [{ path: "/a", content: "x" }],
        skills: [{ name: "a", description: "b", location: "c" }],
      },
      ["identity", "tools", "note", "guidelines", "documentation", "append", "project", "skills", "environment"],
    ],
    ["coder", { system: "x" }, ["base", "environment"]],
    ["resident", { base: "x", operator: "y", core: { status: "present", text: "z" } }, ["base", "operator", "core"]],
    ["resident", { base: "x" }, ["base"]],
  ];
  for (const [name, facts, sections] of names)
    test(`the sections of ${name}: ${sections.join(" ")}`, () => {
      const prompt = show(name, facts, "--json", "--tokenizer", "estimate").json() as PromptJson;
      expect(prompt.sections.map((section) => section.name)).toEqual(sections);
      expect(prompt.tokens).toMatchObject({ tokenizer: "estimate", exact: false });
    });
});

describe("charter show", () => {
  test("reads its facts from a file, from standard input, or needs none", () => {
    const facts = JSON.stringify({ original: "I am Eva." });
    const files = { "facts.json": facts };
    const rows = [
      charter(["show", "--charter", "artifact", "--input", "facts.json"], { files }),
      charter(["show", "-c", "artifact", "-i", "facts.json"], { files }),
      charter(["show", "--charter=artifact", "--input=facts.json"], { files }),
      charter(["show", "--input", "-", "--charter", "artifact"], { stdin: facts }),
    ];
    for (const answer of rows) expect(answer).toMatchObject({ code: 0, stdout: "I am Eva.", stderr: "" });
    expect(charter(["show", "--charter", "artifact"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("asks the clock when the facts have no now", () => {
    const before = Date.now();
    const { stdout } = charter(["show", "--charter", "sovereign"]);
    const shown = Date.parse(/^- timestamp: (.*)$/m.exec(stdout)?.[1] ?? "");
    expect(shown).toBeGreaterThanOrEqual(before);
    expect(shown).toBeLessThanOrEqual(Date.now());
  });

  test("a time without an offset reads the same on every machine", () => {
    const zone = process.env.TZ;
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    const shown = ["UTC", "Asia/Tokyo", "America/New_York"].map((machine) => {
      process.env.TZ = machine;
      return /^- timestamp: (.*)$/m.exec(show("sovereign", { now: "2026-02-18T15:04:00" }).stdout)?.[1];
    });
    expect(shown).toEqual([shown[0], shown[0], shown[0]]);
  });

  test("fits into characters", () => {
    const facts = { now, memory: [1, 2, 3].map((key) => ({ key: `k${key}`, value: "v".repeat(100) })) };
    const whole = [...show("sovereign", facts).stdout].length;
    const answer = show("sovereign", facts, "--limit-chars", String(whole - 1));
    expect(answer).toMatchObject({
      code: 0,
      stderr: `cut: “now” is shorter: 2 facts kept, 1 missing. The prompt may have ${grouped(whole - 1)} characters.\n`,
    });
    expect([...answer.stdout].length).toBeLessThanOrEqual(whole - 1);
  });

  test("fits into tokens, also both at once", () => {
    const facts = { now, memory: [1, 2, 3].map((key) => ({ key: `k${key}`, value: "v".repeat(100) })) };
    const { tokens, text } = show("sovereign", facts, "--json").json() as PromptJson;
    const limit = String(tokens.total - 1);
    const fewer = show("sovereign", facts, "--json", "--limit-tokens", limit).json() as PromptJson;
    expect(fewer.tokens.total).toBeLessThan(tokens.total);
    expect(fewer.cuts).toEqual([
      {
        section: "now",
        form: "shorter",
        kept: 2,
        missing: 1,
        unit: "fact",
        because: `The prompt may have ${limit} tokens.`,
      },
    ]);
    const chars = String(text.length - 150);
    const both = show(
      "sovereign",
      facts,
      "--json",
      "--limit-tokens",
      limit,
      "--limit-chars",
      chars,
    ).json() as PromptJson;
    expect(both.tokens.total).toBeLessThan(tokens.total);
    expect(both.text.length).toBeLessThanOrEqual(Number(chars));
  });

  test("draws a table instead of the text", () => {
    const { code, stdout } = show("artifact", { original: "I am Eva." }, "--table");
    expect(code).toBe(0);
    expect(stdout).toBe(`section  mutability changes source                 tokens
prompt   amendable  stable  original                    4 ${"█".repeat(40)}
4 tokens (exact, o200k_base), 9 characters, edition full
`);
  });

  test("lists a section that was trimmed away once in the table, as a cut", () => {
    const facts = { now, channel: "web", standing: { instructions: "Be brief. ".repeat(50) } };
    const { stdout } = show("assistant", facts, "--limit-tokens", "300", "--table");
    expect(stdout.split("\n").slice(-4)).toEqual([
      "cut      instructions: dropped, 0 parts kept, 1 missing. The prompt may have 300 tokens.",
      "omitted  identity: empty",
      "omitted  tools: empty",
      "",
    ]);
  });
});

describe("charter why", () => {
  test("answers for every occurrence with section, layer, source and revision", () => {
    const facts = {
      now,
      standing: { "6": "Sleep well. Sleep.", "9": "Sleep." },
      revisions: { "6": 3 },
      memory: [{ key: "k", value: "Sleep." }],
    };
    const text = show("sovereign", facts).stdout;
    const answer = withFacts("why", "sovereign", facts, "--json", "Sleep.");
    const { words, occurrences } = answer.json() as {
      words: string;
      occurrences: { start: number; end: number; spans: Record<string, unknown>[] }[];
    };
    expect([answer.code, answer.stderr, words]).toEqual([0, "", "Sleep."]);
    for (const { start, end } of occurrences) expect(text.slice(start, end)).toBe("Sleep.");
    expect(occurrences.map(({ spans }) => spans)).toMatchObject([
      [{ section: "decisions", layer: "6", source: "standing", revision: 3 }],
      [{ section: "self-modification", layer: "9", source: "standing", revision: 0 }],
      [{ section: "now", layer: "10", source: "memory", revision: null }],
    ]);
  });

  test("in plain words, each with its line", () => {
    expect(withFacts("why", "artifact", { original: "I am Eva.\nYes, Eva." }, "Eva")).toMatchObject({
      code: 0,
      stderr: "",
      stdout: `5–8  I am Eva.
  prompt (layer artifact), from original, revision 0

15–18  Yes, Eva.
  prompt (layer artifact), from original, revision 0
`,
    });
  });

  test("names every section that words reach across", () => {
    const answer = withFacts("why", "resident", { base: "One.", operator: "Two." }, "--json", "One.\n\nTwo.");
    const { occurrences } = answer.json() as { occurrences: { spans: { section: string }[] }[] };
    expect(occurrences.map(({ spans }) => spans.map(({ section }) => section))).toEqual([["base", "operator"]]);
  });

  test("overlapping words are found in every place", () => {
    const answer = withFacts("why", "artifact", { original: "aaaa" }, "--json", "aa");
    const { occurrences } = answer.json() as { occurrences: { start: number; end: number }[] };
    expect(occurrences.map(({ start, end }) => [start, end])).toEqual([
      [0, 2],
      [1, 3],
      [2, 4],
    ]);
  });

  test("words that are not there: exit code 1", () => {
    expect(withFacts("why", "artifact", { original: "I am Eva." }, "Max")).toMatchObject({ code: 1, stdout: "" });
    const json = withFacts("why", "artifact", { original: "I am Eva." }, "--json", "Max");
    expect([json.code, json.json()]).toEqual([1, { words: "Max", occurrences: [] }]);
  });

  test("a tool's line and a skill's entry name their source", () => {
    const facts = { now, tools: ["read"], skills: [{ name: "zip", description: "Pack", location: "/s/zip" }] };
    const sourceOf = (words: string) =>
      (
        withFacts("why", "coder", facts, "--json", words).json() as { occurrences: { spans: { source: string }[] }[] }
      ).occurrences.flatMap(({ spans }) => spans.map(({ source }) => source));
    expect(sourceOf("Read file contents")).toEqual(["tool read"]);
    expect(sourceOf("<name>zip</name>")).toEqual(["/s/zip"]);
  });
});

describe("charter amend --dry-run --json", () => {
  const facts = { original: "One.\nTwo.", settings: { protected_prefix_chars: 4 } };
  const prompt = ["--section", "prompt"];
  const keys = ["section", "verdict", "refusals", "before", "after", "diff"];

  test("accepted: exit code 0", () => {
    const answer = dryRun("artifact", facts, ...prompt, "--operation", "append", "--content", "Three.");
    expect([answer.code, answer.stderr]).toEqual([0, ""]);
    expect(answer.json()).toEqual({
      section: "prompt",
      verdict: "accepted",
      refusals: [],
      before: "One.\nTwo.",
      after: "One.\nTwo.\nThree.",
      diff: "--- prompt (before)\n+++ prompt (after)\n@@ -1,2 +1,3 @@\n One.\n Two.\n+Three.\n",
    });
    expect(Object.keys(answer.json() as object)).toEqual(keys);
  });

  test("refused: exit code 1, with both texts", () => {
    const answer = dryRun("artifact", facts, ...prompt, "--operation", "rewrite", "--content", "Eins.");
    expect([answer.code, answer.stderr]).toEqual([1, ""]);
    expect(answer.json()).toEqual({
      section: "prompt",
      standing: { text: "One.\nTwo.", revision: 0 },
      proposed: { text: "Eins.", revision: 0 },
      verdict: "refused",
      refusals: [{ guard: "protected-opening", because: "The first 4 characters of “prompt” may not change." }],
      before: "One.\nTwo.",
      after: "One.\nTwo.",
      diff: "",
    });
  });

  test("held: exit code 1", () => {
    const held = { ...facts, turn: { tainted: true } };
    const answer = dryRun("artifact", held, ...prompt, "--operation", "append", "--content", "Three.");
    expect([answer.code, Object.keys(answer.json() as object)]).toEqual([1, keys]);
    expect(answer.json()).toMatchObject({ verdict: "held", after: "One.\nTwo.\nThree." });
  });

  test("the words may come from a file or from standard input", () => {
    const files = { "facts.json": JSON.stringify(facts), "words.md": "Three.\nFour." };
    const args = ["amend", "--charter", "artifact", "--input", "facts.json", ...prompt, "--operation", "append"];
    const rest = ["--dry-run", "--json"];
    const expected = { verdict: "accepted", after: "One.\nTwo.\nThree.\nFour." };
    expect(charter([...args, "--content-file", "words.md", ...rest], { files }).json()).toMatchObject(expected);
    expect(charter([...args, "--content-file", "-", ...rest], { files, stdin: "Three.\nFour." }).json()).toMatchObject(
      expected,
    );
  });

  test("words that start with a dash are words: a Markdown list", () => {
    const answer = dryRun("artifact", facts, ...prompt, "--operation", "append", "--content", "- Three.");
    expect(answer.code).toBe(0);
    expect(answer.json()).toMatchObject({ verdict: "accepted", after: "One.\nTwo.\n- Three." });
  });

  test("the reason and the revision it was made against are understood", () => {
    const append = ["--operation", "append", "--content", "Three.", "--reason", "a test", "--revision", "0"];
    expect(dryRun("artifact", facts, ...prompt, ...append).json()).toMatchObject({ verdict: "accepted" });
  });

  test("the default actor is the agent", () => {
    const append = ["--section", "soul", "--operation", "rewrite", "--content", "x"];
    expect(dryRun("assistant", { now }, ...append).json()).toMatchObject({ verdict: "refused" });
    expect(dryRun("assistant", { now }, ...append, "--actor", "agent").json()).toMatchObject({ verdict: "refused" });
    expect(dryRun("assistant", { now }, ...append, "--actor", "operator").json()).toMatchObject({
      verdict: "accepted",
    });
  });

  test("plain, it reads as a report", () => {
    const answer = withFacts(
      "amend",
      "artifact",
      facts,
      ...["--dry-run", ...prompt, "--operation", "append", "--content", "Three."],
    );
    expect(answer).toMatchObject({
      code: 0,
      stdout: "accepted\n--- prompt (before)\n+++ prompt (after)\n@@ -1,2 +1,3 @@\n One.\n Two.\n+Three.\n",
    });
  });
});

test("a slip in a command's name is told with the command that was meant", () => {
  expect(charter(["chatt"]).stderr).toBe(
    "usage: There is no command “chatt”.\n  Did you mean charter chat? See them all: charter --help.\n",
  );
});

describe("a problem", () => {
  const amend = ["amend", "--charter", "artifact", "--dry-run"];
  const rows: [what: string, args: string[], code: string, message: string][] = [
    ["no such command", ["shew"], "usage", "There is no command “shew”."],
    ["an inherited name is no command", ["constructor"], "usage", "There is no command “constructor”."],
    ["no charter", ["show"], "usage", "There is no agent here, and no charter was named."],
    ["no such charter", ["show", "--charter", "poet"], "unknown-charter", "There is no charter “poet”."],
    ["an unknown option", ["show", "--charter", "coder", "--loud"], "usage", "Unknown option '--loud'."],
    ["a word too many", ["show", "--charter", "coder", "now"], "usage", "charter show does not understand “now”."],
    [
      "no such edition",
      ["show", "--charter", "coder", "--edition", "tiny"],
      "usage",
      "--edition must be “full” or “compact”, and is “tiny”.",
    ],
    [
      "a limit that is no number",
      ["show", "--charter", "coder", "--limit-tokens", "many"],
      "usage",
      "--limit-tokens must be a whole number, and is “many”.",
    ],
    [
      "a limit below nothing",
      ["show", "--charter", "coder", "--limit-chars=-1"],
      "usage",
      "--limit-chars must be at least 0, and is -1.",
    ],
    [
      "no such tokenizer",
      ["show", "--charter", "coder", "--table", "--tokenizer", "runes"],
      "unknown-tokenizer",
      "There is no tokenizer “runes”.",
    ],
    [
      "no such facts",
      ["show", "--charter", "coder", "--input", "no.json"],
      "no-such-file",
      "There is no facts file at no.json.",
    ],
    [
      "nothing to ask about",
      ["why", "--charter", "coder"],
      "usage",
      "charter why needs the words to ask about, in quotes.",
    ],
    [
      "no dry run",
      ["amend", "--charter", "artifact", "--section", "prompt", "--operation", "reset"],
      "no-store",
      "An amendment has to be stored in a database, and none was named.",
    ],
    ["no section", [...amend, "--operation", "reset"], "usage", "charter amend needs the name of a section."],
    ["no operation", [...amend, "--section", "prompt"], "usage", "charter amend needs --operation."],
    [
      "no such operation",
      [...amend, "--section", "prompt", "--operation", "burn"],
      "usage",
      "--operation must be “append”, “prepend”, “replace_section”, “rewrite”, “reset” or “revert”, and is “burn”.",
    ],
    [
      "no words",
      [...amend, "--section", "prompt", "--operation", "append"],
      "usage",
      "The operation append needs --content or --content-file.",
    ],
    [
      "no marker",
      [...amend, "--section", "prompt", "--operation", "replace_section", "--content", "x"],
      "usage",
      "charter amend needs --marker.",
    ],
    [
      "no revision to go back to",
      [...amend, "--section", "prompt", "--operation", "revert"],
      "usage",
      "charter amend needs --to.",
    ],
    [
      "no such actor",
      [...amend, "--section", "prompt", "--operation", "reset", "--actor", "god"],
      "usage",
      "--actor must be “agent”, “user” or “operator”, and is “god”.",
    ],
    [
      "no such section",
      [...amend, "--section", "soul", "--operation", "reset"],
      "unknown-section",
      "The charter “artifact” has no section “soul”.",
    ],
    [
      "no such words",
      [...amend, "--section", "prompt", "--operation", "append", "--content-file", "no.md"],
      "no-such-file",
      "There is no content file at no.md.",
    ],
  ];
  /** Both forms for one of each kind; a process for each would be slow. */
  const inJson = new Set(["no such command", "an unknown option", "no such facts", "no such section", "no dry run"]);
  for (const [what, args, code, message] of rows)
    test(`${what}: exit code 2, on standard error, with its hint`, () => {
      const plain = charter(args);
      expect([plain.code, plain.stdout]).toEqual([2, ""]);
      const [first, hint, rest] = plain.stderr.split("\n");
      expect([first, rest]).toEqual([`${code}: ${message}`, ""]);
      expect(hint).toMatch(/^ {2}\S/);
      if (!inJson.has(what)) return;
      const json = charter([...args, "--json"]);
      expect(json.code).toBe(2);
      expect(json.json()).toEqual({ problem: { code, message, hint: hint?.trim() } });
    });
});

describe("help", () => {
  for (const command of ["show", "why", "amend", "lock", "verify", "start"])
    test(`charter ${command} --help`, () => {
      const answer = charter([command, "--help"]);
      expect([answer.code, answer.stderr]).toEqual([0, ""]);
      expect(answer.stdout.startsWith(`charter ${command}: `)).toBe(true);
    });

  test("has three spellings", () => {
    const { stdout } = charter(["show", "--help"]);
    expect(charter(["show", "-h"]).stdout).toBe(stdout);
    expect(charter(["help", "show"]).stdout).toBe(stdout);
  });

  test("names every option a command understands", () => {
    const options: [command: string, names: string[]][] = [
      ["show", ["charter", "input", "edition", "limit-tokens", "limit-chars", "tokenizer", "lock", "json", "table"]],
      ["why", ["charter", "input", "edition", "limit-tokens", "limit-chars", "tokenizer", "lock", "json"]],
      [
        "amend",
        [
          ...["charter", "input", "section", "operation", "content", "content-file", "marker", "to", "revision"],
          ...["reason", "actor", "dry-run", "json"],
        ],
      ],
      ["lock", ["charter", "lock", "diff", "json"]],
      ["verify", ["lock", "json"]],
    ];
    for (const [command, names] of options) {
      const { stdout } = charter([command, "--help"]);
      expect([command, names.filter((name) => !stdout.includes(`--${name}`))]).toEqual([command, []]);
    }
  });

  test("charter alone names every command", () => {
    const { code, stdout } = charter([]);
    expect(code).toBe(0);
    const named = stdout.slice(0, stdout.indexOf("Try:"));
    expect(Object.keys(commands).filter((name) => !new RegExp(`\\b${name}\\b`).test(named))).toEqual([]);
    expect(charter(["--help"]).stdout).toBe(stdout);
  });

  test("charter --version is the package's", () => {
    expect(charter(["--version"])).toMatchObject({ code: 0, stderr: "" });
    expect(charter(["--version"]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a charter of one's own", () => {
  const poet = `import { type Charter, defineCharter, fromText } from "charter";

const charter: Charter = defineCharter({
  name: "poet",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: "Never bore anyone." }] },
    {
      name: "voice",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "voice", heading: "## Voice", original: "Speak softly." }],
    },
    { name: "clock", mutability: "live", sections: [{ name: "year", trust: "own", sources: [({ now }) => fromText(now.slice(0, 4))] }] },
  ],
});

export default charter;
`;
  const greeter = `export default (facts: { greeting?: string }) => ({
  name: "greeter",
  layers: [
    { name: "g", mutability: "live" as const, sections: [{ name: "greeting", words: facts.greeting ?? "Hello." }] },
  ],
});
`;

  test("as an object, typed, with imports from charter", () => {
    const folder = folderOf({ "agents/poet.ts": poet, "facts.json": JSON.stringify({ now }) });
    const args = ["--charter", "agents/poet.ts", "--input", "facts.json"];
    expect(folder.charter(["show", ...args])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: "## Law\nNever bore anyone.\n\n## Voice\nSpeak softly.\n\n2026",
    });
    const amended = folder.charter([
      ...["amend", ...args, "--section", "voice", "--operation", "append", "--content", "And slowly."],
      ...["--dry-run", "--json"],
    ]);
    expect([amended.code, amended.json()]).toMatchObject([
      0,
      { verdict: "accepted", before: "Speak softly.", after: "Speak softly.\nAnd slowly." },
    ]);
    const refused = folder.charter([
      ...["amend", ...args, "--section", "law", "--operation", "reset", "--actor", "operator", "--dry-run", "--json"],
    ]);
    expect([refused.code, refused.json()]).toMatchObject([
      1,
      { refusals: [{ guard: "allowed-hand", because: "“law” is fixed: it cannot be changed while the agent runs." }] },
    ]);
    const why = folder.charter(["why", ...args, "--json", "Speak"]);
    expect(why.json()).toMatchObject({
      occurrences: [{ spans: [{ section: "voice", layer: "voice", source: "original" }] }],
    });
  });

  test("as a function of the facts", () => {
    const folder = folderOf({ "greeter.ts": greeter });
    expect(folder.charter(["show", "--charter", "greeter.ts"]).stdout).toBe("Hello.");
    expect(folder.charter(["show", "--charter", "./greeter.ts", "--input", "-"], '{"greeting":"Hi 🎯"}').stdout).toBe(
      "Hi 🎯",
    );
  });

  test("its standing texts come from the facts", () => {
    const folder = folderOf({ "poet.ts": poet });
    const facts = JSON.stringify({ now, standing: { voice: "## Shout\n### Fine" }, revisions: { voice: 2 } });
    expect(folder.charter(["show", "--charter", "poet.ts", "--input", "-"], facts).stdout).toBe(
      "## Law\nNever bore anyone.\n\n## Voice\n\\## Shout\n### Fine\n\n2026",
    );
  });

  test("in plain JavaScript, and by an absolute path", () => {
    const folder = folderOf({
      "plain.mjs": `import { Problem } from "charter";
export default { name: typeof Problem, layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: "A" }] }] };`,
    });
    expect(folder.charter(["show", "--charter", `${folder.path}/plain.mjs`])).toMatchObject({ code: 0, stdout: "A" });
  });
});
