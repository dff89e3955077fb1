import { describe, expect, test } from "vitest";
import { coderFromFacts, identityWords, noteWords } from "../../../src/charters/coder/coder.ts";
import { factsOf } from "../../../src/charters/facts.ts";
import { coder } from "../../../src/charters/index.ts";
import { assemble, empty, fromText, gather, type Reading, unavailable } from "../../../src/index.ts";
import { contextReading } from "../../../src/sources/context-files.ts";
import { skillsReading } from "../../../src/sources/skills/skills.ts";
import { promptOf, show } from "../../cli.ts";

/** A coding agent whose prompt comes from files, skills and tools. */

const now = "2026-03-07T14:55:05Z";
const given = (facts: object) => coderFromFacts(factsOf({ now, cwd: "/srv/app", ...facts }), () => new Date(0));
const textOf = async (facts: object) => (await promptOf(given(facts))).text;

const documentation = `Charter documentation (read only when the user asks about Charter itself, its prompts, extensions or skills):
- Main documentation: node_modules/charter/README.md
- Additional docs: node_modules/charter/docs
- Examples: node_modules/charter/examples`;
const always = "- Be concise in your responses\n- Show file paths clearly when working with files";
const environment = `Current date and time: Saturday, March 7, 2026 at 02:55:05 PM UTC
Current working directory: /srv/app`;

function expected(parts: {
  base?: string;
  tools?: string;
  guidelines?: string;
  docs?: string | null;
  append?: string;
  project?: string;
  skills?: string;
  environment?: string;
}): string {
  const { tools = "(none)", guidelines = always, docs = documentation } = parts;
  const usual = [identityWords, `Available tools:\n${tools}`, noteWords, `Guidelines:\n${guidelines}`, docs];
  return [
    ...(parts.base === undefined ? usual : [parts.base]),
    parts.append,
    parts.project === undefined
      ? undefined
      : `# Project Context\n\nProject-specific instructions and guidelines:\n\n${parts.project}`,
    parts.skills === undefined
      ? undefined
      : `The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
When a skill file references a relative path, resolve it against the skill directory.

<available_skills>
${parts.skills}
</available_skills>`,
    parts.environment ?? environment,
  ]
    .filter((part) => part !== undefined && part !== null)
    .join("\n\n");
}

const commit = { name: "commit", description: "Commit files in groups", location: "/skills/commit/SKILL.md" };
const commitXml = `  <skill>
    <name>commit</name>
    <description>Commit files in groups</description>
    <location>/skills/commit/SKILL.md</location>
  </skill>`;

describe("assembly", () => {
  test("the words of the default base", () => {
    expect(identityWords).toBe(
      "You are a purpose-driven software compiler. You take bounded intent, produce a falsifiable purpose contract (the PDD/TDD gate), then write failing tests before implementation. You help users by reading files, executing commands, editing code, and writing new files.",
    );
    expect(noteWords).toBe(
      "In addition to the tools above, you may have access to other custom tools depending on the project.",
    );
  });

  test("everything, in order, through the command", () => {
    const answer = show("coder", {
      now: "2026-03-07T14:55:05Z",
      zone: "America/Chicago",
      cwd: "/Users/you/projects/myapp",
      home: "/Users/you",
      append: "Prefer small commits.",
      tools: [
        "read",
        "bash",
        "edit",
        "write",
        { name: "deploy", promptSnippet: "Ship the\n  app", promptGuidelines: ["Ask before you deploy"] },
      ],
      context: [
        { path: "/Users/you/.charter/agent/AGENTS.md", content: "Use tabs." },
        { path: "/Users/you/projects/myapp/AGENTS.md", content: "# App\n\nRun the tests." },
      ],
      skills: [commit],
    });
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toBe(`${identityWords}

Available tools:
- read: Read file contents
- bash: Execute bash commands (ls, grep, find, etc.)
- edit: Make surgical edits to files (find exact text and replace)
- write: Create or overwrite files
- deploy: Ship the app

${noteWords}

Guidelines:
- Use bash for file operations like ls, rg, find
- Use read to examine files before editing
- Use edit for precise changes (old text must match exactly)
- Use write only for new files or complete rewrites
- When summarizing your actions, output plain text directly
- Ask before you deploy
- Be concise in your responses
- Show file paths clearly when working with files

${documentation}

Prefer small commits.

# Project Context

Project-specific instructions and guidelines:

## /Users/you/.charter/agent/AGENTS.md

Use tabs.

## /Users/you/projects/myapp/AGENTS.md

# App

Run the tests.

The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
When a skill file references a relative path, resolve it against the skill directory.

<available_skills>
${commitXml}
</available_skills>

Current date and time: Saturday, March 7, 2026 at 08:55:05 AM CST
Current working directory: /Users/you/projects/myapp`);
  });

  test("nothing at all: the default base and the environment", async () => {
    expect(await textOf({})).toBe(expected({}));
  });

  test("SYSTEM.md replaces the whole base; append, project, skills and environment stay", async () => {
    const prompt = await promptOf(
      given({
        system: "You are a poet.",
        append: "Rhyme.",
        tools: [{ name: "read", promptSnippet: "Read it", promptGuidelines: ["Read twice"] }],
        context: [{ path: "/AGENTS.md", content: "In French." }],
        skills: [commit],
      }),
    );
    expect(prompt.text).toBe(
      expected({
        base: "You are a poet.",
        append: "Rhyme.",
        project: "## /AGENTS.md\n\nIn French.",
        skills: commitXml,
      }),
    );
    expect(prompt.sections.map(({ name, source }) => [name, source])).toEqual([
      ["base", "SYSTEM.md"],
      ["append", "APPEND_SYSTEM.md"],
      ["project", "/AGENTS.md"],
      ["skills", "/skills/commit/SKILL.md"],
      ["environment", "clock"],
    ]);
  });

  for (const system of ["", " \n"])
    test(`an empty SYSTEM.md (${JSON.stringify(system)}) is empty: the default speaks`, async () => {
      expect(await textOf({ system })).toBe(expected({}));
    });

  test("the sections of the default base", async () => {
    const { sections, omitted } = await promptOf(given({}));
    expect(sections.map(({ layer, name }) => [layer, name])).toEqual([
      ["base", "identity"],
      ["base", "tools"],
      ["base", "note"],
      ["base", "guidelines"],
      ["base", "documentation"],
      ["environment", "environment"],
    ]);
    expect(omitted).toEqual([
      { name: "base", reason: "empty" },
      { name: "append", reason: "empty" },
      { name: "project", reason: "empty" },
      { name: "skills", reason: "empty" },
    ]);
  });

  test("an unreadable SYSTEM.md is not replaced by the default", async () => {
    const source = (reading: Reading) => () => reading;
    const { charter } = coder({
      system: source(unavailable("EACCES: .charter/SYSTEM.md")),
      append: source(fromText("Rhyme.")),
      context: source(contextReading([])),
      skills: source(skillsReading([])),
      cwd: "/srv/app",
    });
    const prompt = assemble(charter, await gather(charter, { now, tools: [], standing: {} }));
    expect(prompt.text).toBe(`Rhyme.\n\n${environment}`);
    expect(prompt.omitted[0]).toEqual({ name: "base", reason: "unavailable" });
    expect(prompt.notices).toEqual([
      {
        code: "source-unavailable",
        section: "base",
        message: "“base” could not be read: EACCES: .charter/SYSTEM.md",
      },
    ]);
  });

  test("the documentation of a host's own agent", async () => {
    const { charter } = coder({
      system: () => empty,
      append: () => empty,
      context: () => empty,
      skills: () => empty,
      cwd: "/srv/app",
      documentation: { main: "/d/README.md", additional: "/d/docs", examples: "/d/examples" },
    });
    const { text } = assemble(charter, await gather(charter, { now, tools: [], standing: {} }));
    expect(text).toBe(
      expected({
        docs: `Charter documentation (read only when the user asks about Charter itself, its prompts, extensions or skills):
- Main documentation: /d/README.md
- Additional docs: /d/docs
- Examples: /d/examples`,
      }),
    );
  });
});

describe("tool lines: the snippet, else the built-in description, else the name", () => {
  const rows: [what: string, tool: unknown, line: string][] = [
    ["a snippet", { name: "deploy", promptSnippet: "Ship it" }, "- deploy: Ship it"],
    ["a snippet on several lines", { name: "deploy", promptSnippet: " Ship\r\n\tit \n now " }, "- deploy: Ship it now"],
    ["a snippet over a built-in", { name: "read", promptSnippet: "Peek" }, "- read: Peek"],
    ["a blank snippet over a built-in", { name: "read", promptSnippet: " \n " }, "- read: Read file contents"],
    ["a blank snippet", { name: "deploy", promptSnippet: "" }, "- deploy: deploy"],
    ["no snippet", { name: "deploy" }, "- deploy: deploy"],
    ["read", "read", "- read: Read file contents"],
    ["grep", "grep", "- grep: Search file contents for patterns (respects .gitignore)"],
    ["find", "find", "- find: Find files by glob pattern (respects .gitignore)"],
    ["ls", "ls", "- ls: List directory contents"],
    ["a name that only an object knows", "constructor", "- constructor: constructor"],
  ];
  for (const [what, tool, line] of rows)
    test(what, async () => expect(await textOf({ tools: [tool] })).toBe(expected({ tools: line })));

  test("in the order given", async () => {
    const tools = "- ls: List directory contents\n- deploy: deploy\n- read: Read file contents";
    expect(await textOf({ tools: ["ls", "deploy", "read"] })).toBe(expected({ tools }));
  });
});

describe("guidelines, by the table", () => {
  const bash = "- Use bash for file operations like ls, rg, find";
  const explore = "- Prefer grep/find/ls tools over bash for file exploration";
  const read = "- Use read to examine files before editing";
  const edit = "- Use edit for precise changes (old text must match exactly)";
  const write = "- Use write only for new files or complete rewrites";
  const plain = "- When summarizing your actions, output plain text directly";
  const rows: [tools: string[], lines: string[]][] = [
    [[], []],
    [["bash"], [bash]],
    [["bash", "grep"], [explore]],
    [["bash", "find"], [explore]],
    [["ls", "bash"], [explore]],
    [["bash", "grep", "find", "ls"], [explore]],
    [["grep", "find", "ls"], []],
    [["read"], []],
    [
      ["read", "edit"],
      [read, edit, plain],
    ],
    [["edit"], [edit, plain]],
    [["write"], [write, plain]],
    [
      ["read", "write"],
      [write, plain],
    ],
    [
      ["edit", "write"],
      [edit, write, plain],
    ],
    [
      ["read", "bash", "edit", "write"],
      [bash, read, edit, write, plain],
    ],
    [
      ["write", "ls", "edit", "bash", "read"],
      [explore, read, edit, write, plain],
    ],
  ];
  for (const [tools, lines] of rows)
    test(tools.join(" + ") || "no tools", async () => {
      const { text, spans } = await promptOf(given({ tools }));
      const { start } = spans.find(({ section }) => section === "guidelines") as { start: number };
      const { end } = spans.findLast(({ section }) => section === "guidelines") as { end: number };
      expect(text.slice(start, end)).toBe(["Guidelines:", ...lines, always].join("\n").concat("\n\n"));
    });

  test("a tool's own come after the built-in ones, on one line each, before what always holds, each once", async () => {
    const tools = [
      { name: "a", promptGuidelines: ["Ask first", "Be concise in your responses", " Two\n  lines "] },
      { name: "bash", promptGuidelines: ["Ask first", "Use bash for file operations like ls, rg, find", " "] },
      { name: "b", promptGuidelines: ["Ask last"] },
    ];
    expect(await textOf({ tools })).toBe(
      expected({
        tools: "- a: a\n- bash: Execute bash commands (ls, grep, find, etc.)\n- b: b",
        guidelines: `- Use bash for file operations like ls, rg, find
- Ask first
- Two lines
- Ask last
${always}`,
      }),
    );
  });
});

describe("project context", () => {
  test("each file under its path, in the order given, its own headings untouched", async () => {
    const context = [
      { path: "/root/AGENTS.md", content: "# Root\n\n- one\n\n---\n\n## Sub" },
      { path: "/root/app/CLAUDE.md", content: "Two." },
    ];
    expect(await textOf({ context })).toBe(
      expected({
        project: "## /root/AGENTS.md\n\n# Root\n\n- one\n\n---\n\n## Sub\n\n## /root/app/CLAUDE.md\n\nTwo.",
      }),
    );
  });

  test("a byte-order mark is not part of a file's words", async () => {
    expect(await textOf({ context: [{ path: "/AGENTS.md", content: "\ufeffOne." }] })).toBe(
      expected({ project: "## /AGENTS.md\n\nOne." }),
    );
  });

  test("a path that would break its line stands quoted", async () => {
    const facts = { context: [{ path: "/a\n# Evil/AGENTS.md", content: "One." }], cwd: "/a\nb" };
    expect(await textOf(facts)).toBe(
      expected({
        project: '## "/a\\n# Evil/AGENTS.md"\n\nOne.',
        environment: environment.replace("/srv/app", '"/a\\nb"'),
      }),
    );
  });
});

describe("skills", () => {
  test("sorted, the first of a name, hidden ones left out, everything escaped", async () => {
    const skills = [
      { name: "zip", description: "Pack & <unpack>", location: '/s/"zip"/it\'s.md' },
      { name: "audit", description: "First", location: "/s/1" },
      { name: "audit", description: "Second", location: "/s/2" },
      { name: "ghost", description: "Not shown", location: "/s/3", hidden: true },
      { name: "ghost", description: "Not shown either", location: "/s/4" },
      { name: "Zebra", description: "Capital", location: "/s/5", hidden: false },
    ];
    const entry = (name: string, description: string, location: string) =>
      `  <skill>\n    <name>${name}</name>\n    <description>${description}</description>\n    <location>${location}</location>\n  </skill>`;
    expect(await textOf({ tools: ["read"], skills })).toBe(
      expected({
        tools: "- read: Read file contents",
        skills: [
          entry("Zebra", "Capital", "/s/5"),
          entry("audit", "First", "/s/1"),
          entry("zip", "Pack &amp; &lt;unpack&gt;", "/s/&quot;zip&quot;/it&apos;s.md"),
        ].join("\n"),
      }),
    );
  });

  test("only while a tool named read is active", async () => {
    expect(await textOf({ tools: ["bash"], skills: [commit] })).toBe(
      expected({
        tools: "- bash: Execute bash commands (ls, grep, find, etc.)",
        guidelines: `- Use bash for file operations like ls, rg, find\n${always}`,
      }),
    );
    expect(await textOf({ tools: ["read_file"], skills: [commit] })).toBe(
      expected({ tools: "- read_file: read_file" }),
    );
    expect(await textOf({ tools: [{ name: "read", promptSnippet: "Peek" }], skills: [commit] })).toBe(
      expected({ tools: "- read: Peek", skills: commitXml }),
    );
  });

  test("none, or none to be seen: no section", async () => {
    const text = expected({ tools: "- read: Read file contents" });
    expect(await textOf({ tools: ["read"], skills: [] })).toBe(text);
    expect(await textOf({ tools: ["read"], skills: [{ ...commit, hidden: true }] })).toBe(text);
  });
});

describe("environment", () => {
  const rows: [zone: string | undefined, time: string][] = [
    [undefined, "Saturday, March 7, 2026 at 02:55:05 PM UTC"],
    ["America/Chicago", "Saturday, March 7, 2026 at 08:55:05 AM CST"],
    ["Europe/Berlin", "Saturday, March 7, 2026 at 03:55:05 PM GMT+1"],
    ["Asia/Kolkata", "Saturday, March 7, 2026 at 08:25:05 PM GMT+5:30"],
  ];
  for (const [zone, time] of rows)
    test(`in ${zone ?? "UTC"}`, async () => {
      expect(await textOf({ zone })).toBe(
        expected({ environment: `Current date and time: ${time}\nCurrent working directory: /srv/app` }),
      );
    });

  test("in summer the zone has its summer name", async () => {
    expect(await textOf({ now: "2026-07-01T00:00:00Z", zone: "America/Chicago" })).toBe(
      expected({
        environment:
          "Current date and time: Tuesday, June 30, 2026 at 07:00:00 PM CDT\nCurrent working directory: /srv/app",
      }),
    );
  });

  test("a bad zone is UTC, with a notice", async () => {
    const prompt = await promptOf(given({ zone: "Nowhere" }));
    expect(prompt.text).toBe(expected({}));
    expect(prompt.notices).toEqual([
      {
        code: "bad-time-zone",
        section: "environment",
        message: "There is no time zone “Nowhere”; the time is shown in UTC.",
      },
    ]);
  });
});

describe("editions and room", () => {
  test("the compact edition leaves the documentation out, and says so", async () => {
    const prompt = await promptOf(given({ append: "Rhyme." }), { edition: "compact" });
    expect(prompt.text).toBe(expected({ docs: null, append: "Rhyme." }));
    expect(prompt.omitted).toContainEqual({ name: "documentation", reason: "not-in-edition" });
  });

  test("skills give way first, from the end, then context files from the farthest; each cut is told", async () => {
    const context = ["/a", "/a/b", "/a/b/c"].map((folder) => ({
      path: `${folder}/AGENTS.md`,
      content: `${folder} ${"x".repeat(300)}`,
    }));
    const skills = ["one", "three", "two"].map((name) => ({ ...commit, name }));
    const facts = { tools: ["read"], context, skills };
    const whole = (await textOf(facts)).length + 400 - environment.length;
    const entry = (name: string) => commitXml.replace("commit<", `${name}<`);
    const file = ({ path, content }: { path: string; content: string }) => `## ${path}\n\n${content}`;
    const tools = "- read: Read file contents";
    const project = context.map(file).join("\n\n");

    const first = await promptOf(given(facts), { chars: whole - 1 });
    expect(first.text).toBe(
      expected({
        tools,
        project,
        skills: `${entry("one")}\n${entry("three")}\n  <!-- 1 more skills were left out to fit -->`,
      }),
    );
    const second = await promptOf(given(facts), { chars: whole - 500 });
    expect(second.text).toBe(
      expected({
        tools,
        project: `(Left out to fit: 1 context files. Read them when they matter.)\n\n${context.slice(1).map(file).join("\n\n")}`,
        skills: "  <!-- 3 more skills were left out to fit -->",
      }),
    );
    expect(second.cuts.map(({ section, kept, missing }) => [section, kept, missing]).sort()).toEqual([
      ["project", 2, 1],
      ["skills", 0, 3],
    ]);
  });
});

test("the nearest context file never gives way: where it has no room, there is no prompt", async () => {
  const content = "x".repeat(2000);
  const context = ["/a", "/a/b"].map((folder) => ({ path: `${folder}/AGENTS.md`, content }));
  const without = (await textOf({})).length + 400 - environment.length;
  await expect(promptOf(given({ context }), { chars: without + 1000 })).rejects.toMatchObject({ code: "no-room" });
  const { text } = await promptOf(given({ context }), { chars: without + 3000 });
  expect([text.includes("## /a/AGENTS.md"), text.includes("## /a/b/AGENTS.md")]).toEqual([false, true]);
});
