import { describe, expect, test } from "vitest";
import { artifactFromFacts } from "../../src/charters/artifact/artifact.ts";
import { assistantFromFacts } from "../../src/charters/assistant/assistant.ts";
import { coderFromFacts } from "../../src/charters/coder/coder.ts";
import { factsOf } from "../../src/charters/facts.ts";
import { residentFromFacts } from "../../src/charters/resident/resident.ts";
import { sovereignFromFacts } from "../../src/charters/sovereign/sovereign.ts";
import { Problem } from "../../src/index.ts";
import { type Answer, createFolder, type Files } from "../cli.ts";

/** Whatever comes in: a problem that names the culprit, never a stack trace, nothing written. */

function attempt(args: readonly string[], files: Files = {}, stdin: string | Uint8Array = ""): Answer {
  const folder = createFolder(files);
  try {
    const answer = folder.charter(args, stdin);
    expect(folder.names()).toEqual(Object.keys(files).sort());
    return answer;
  } finally {
    folder.remove();
  }
}

/** Exit code 2, one line that names it, one hint, and nothing else. */
function expectProblem(answer: Answer, firstLine: string | RegExp): void {
  expect(answer.stderr).not.toMatch(/^ {4}at /m);
  const [first, hint, ...rest] = answer.stderr.split("\n");
  if (typeof firstLine === "string") expect(first).toBe(firstLine);
  else expect(first).toMatch(firstLine);
  expect([answer.code, answer.stdout, rest]).toEqual([2, "", [""]]);
  expect(hint).toMatch(/^ {2}\S/);
}

const show = (charter: string, input = "-") => ["show", "--charter", charter, "--input", input];

describe("a facts file", () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const files: [what: string, content: string | Uint8Array, firstLine: string | RegExp][] = [
    [
      "that is not UTF-8",
      bytes(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d),
      "bad-encoding: The facts file at facts.json is not UTF-8.",
    ],
    [
      "with an overlong character",
      bytes(0x22, 0xc0, 0x80, 0x22),
      "bad-encoding: The facts file at facts.json is not UTF-8.",
    ],
    [
      "with half a character in UTF-8",
      bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
      "bad-encoding: The facts file at facts.json is not UTF-8.",
    ],
    ["that is empty", "", /^bad-json: The facts file at facts\.json is no JSON: /],
    ["that breaks off", '{"now":', /^bad-json: The facts file at facts\.json is no JSON: /],
    ["with a word in it", "{now: 1}", /^bad-json: The facts file at facts\.json is no JSON: /],
    ["that is a list", "[]", "bad-facts: The fact “facts” should be an object, not a list."],
    ["that is null", "null", "bad-facts: The fact “facts” should be an object, not nothing."],
    ["that is text", '"hi"', "bad-facts: The fact “facts” should be an object, not text."],
    [
      "with half a character in an escape",
      '{"original":"ab\\ud800c"}',
      "bad-facts: The fact “original” holds half a character (a lone surrogate) at index 2.",
    ],
    ["with a NUL", '{"original":"a\\u0000b"}', "bad-facts: The fact “original” holds a NUL character at index 1."],
    [
      "with 10 MB in a section",
      `{"original":"${"x".repeat(10_000_000)}"}`,
      "section-too-large: The section “prompt” has 10,000,000 characters; the limit is 2,000,000.",
    ],
    [
      "with lists 100,000 deep",
      `{"original":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "bad-facts: The fact “original” should be text, not a list.",
    ],
  ];
  for (const [what, content, firstLine] of files)
    test(what, () => expectProblem(attempt(show("artifact", "facts.json"), { "facts.json": content }), firstLine));

  test("on standard input", () => {
    expectProblem(attempt(show("artifact"), {}, "{"), /^bad-json: The facts file at standard input is no JSON: /);
    expectProblem(
      attempt(show("artifact"), {}, bytes(0xff)),
      "bad-encoding: The facts file at standard input is not UTF-8.",
    );
  });

  test("that is not there, or is a folder", () => {
    expectProblem(attempt(show("artifact", "no.json")), "no-such-file: There is no facts file at no.json.");
    expectProblem(
      attempt(show("artifact", "folder"), { "folder/file": "" }),
      "unreadable: The facts file at folder could not be read: EISDIR.",
    );
  });

  test("with --json, the problem is the one document on standard output", () => {
    const answer = attempt([...show("artifact"), "--json"], {}, '{"original":"\\ud800"}');
    expect(answer.code).toBe(2);
    expect(answer.json()).toEqual({
      problem: {
        code: "bad-facts",
        message: "The fact “original” holds half a character (a lone surrogate) at index 0.",
        hint: "Fix the text where it comes from.",
      },
    });
  });

  test("words for an amendment that are not UTF-8, or not there", () => {
    const amend = ["amend", "--charter", "artifact", "--section", "prompt", "--operation", "append", "--dry-run"];
    expectProblem(
      attempt([...amend, "--content-file", "words.md"], { "words.md": bytes(0xff) }),
      "bad-encoding: The content file at words.md is not UTF-8.",
    );
    expectProblem(attempt([...amend, "--content-file", "no.md"]), "no-such-file: There is no content file at no.md.");
  });
});

describe("nonsense in the facts names the field", () => {
  const charters = {
    artifact: artifactFromFacts,
    assistant: assistantFromFacts,
    sovereign: sovereignFromFacts,
    coder: coderFromFacts,
    resident: residentFromFacts,
  };
  const everyCharter: [facts: object, message: string][] = [
    [{ agent: 7 }, "The fact “agent” should be text, not number 7."],
    [{ user: {} }, "The fact “user” should be text, not an object."],
    [{ user: "\udc00" }, "The fact “user” holds half a character (a lone surrogate) at index 0."],
    [{ channel: ["web"] }, "The fact “channel” should be text, not a list."],
    [{ zone: true }, "The fact “zone” should be text, not boolean true."],
    [{ now: 7 }, "The fact “now” should be text, not number 7."],
    [{ now: "yesterday" }, "The fact “now” is “yesterday”, which is no ISO 8601 time."],
    [{ now: "2026-13-45" }, "The fact “now” is “2026-13-45”, which is no ISO 8601 time."],
    [{ now: "2026-02-30T12:00:00Z" }, "The fact “now” is “2026-02-30T12:00:00Z”, which is no ISO 8601 time."],
    [{ now: "2026-02-18 or so" }, "The fact “now” is “2026-02-18 or so”, which is no ISO 8601 time."],
    [{ tools: "read" }, "The fact “tools” should be a list, not text."],
    [{ tools: ["read", 7] }, "The fact “tools[1]” should be an object, not number 7."],
    [{ tools: [null] }, "The fact “tools[0].name” is missing."],
    [{ tools: [{}] }, "The fact “tools[0].name” is missing."],
    [{ tools: [{ name: 7 }] }, "The fact “tools[0].name” should be text, not number 7."],
    [{ tools: ["a b"] }, 'The fact “tools[0]” is no tool name: "a b".'],
    [{ tools: ["a\n## b"] }, 'The fact “tools[0]” is no tool name: "a\\n## b".'],
    [{ tools: [{ name: "a", promptSnippet: 7 }] }, "The fact “tools[0].promptSnippet” should be text, not number 7."],
    [
      { tools: [{ name: "a", promptGuidelines: "x" }] },
      "The fact “tools[0].promptGuidelines” should be a list, not text.",
    ],
    [
      { tools: [{ name: "a", promptGuidelines: [7] }] },
      "The fact “tools[0].promptGuidelines[0]” should be text, not number 7.",
    ],
    [
      { tools: [{ name: "a", left: -1 }] },
      "The fact “tools[0].left” should be a whole number from 0 up, not number -1.",
    ],
    [
      { tools: [{ name: "a", left: 1.5 }] },
      "The fact “tools[0].left” should be a whole number from 0 up, not number 1.5.",
    ],
    [{ tools: [{ name: "a", left: "1" }] }, "The fact “tools[0].left” should be a number, not text."],
    [{ standing: "x" }, "The fact “standing” should be an object, not text."],
    [{ standing: [] }, "The fact “standing” should be an object, not a list."],
    [{ turn: "x" }, "The fact “turn” should be an object, not text."],
    [{ turn: { tainted: "yes" } }, "The fact “turn.tainted” should be true or false, not text."],
    [{ turn: { amendments: -1 } }, "The fact “turn.amendments” should be a whole number from 0 up, not number -1."],
    [{ turn: { amendments: "1" } }, "The fact “turn.amendments” should be a number, not text."],
  ];
  const own: [charter: keyof typeof charters, facts: object, message: string][] = [
    ["artifact", { original: 7 }, "The fact “original” should be text, not number 7."],
    ["artifact", { settings: "x" }, "The fact “settings” should be an object, not text."],
    [
      "artifact",
      { settings: { max_size_bytes: "8k" } },
      "The fact “settings.max_size_bytes” should be a number, not text.",
    ],
    [
      "artifact",
      { settings: { max_size_bytes: -1 } },
      "The fact “settings.max_size_bytes” should be a whole number from 0 up, not number -1.",
    ],
    [
      "artifact",
      { settings: { protected_prefix_chars: 1.5 } },
      "The fact “settings.protected_prefix_chars” should be a whole number from 0 up, not number 1.5.",
    ],
    ["artifact", { standing: { prompt: 7 } }, "The fact “standing.prompt” should be text, not number 7."],
    ["artifact", { standing: { soul: "x" } }, "The fact “standing.soul” names no section of “artifact”."],
    [
      "artifact",
      { standing: { prompt: "x" }, revisions: { prompt: "x" } },
      "The fact “revisions.prompt” should be a number, not text.",
    ],
    ["assistant", { identity: "Ada" }, "The fact “identity” should be an object, not text."],
    ["assistant", { identity: ["Ada"] }, "The fact “identity” should be an object, not a list."],
    ["assistant", { identity: { name: 7 } }, "The fact “identity.name” should be text, not number 7."],
    ["assistant", { identity: { vibe: {} } }, "The fact “identity.vibe” should be text, not an object."],
    ["assistant", { identity: { rank: "x" } }, "The fact “identity” has no “rank”: only name, vibe and description."],
    ["assistant", { standing: { soul: 7 } }, "The fact “standing.soul” should be text, not number 7."],
    [
      "assistant",
      { standing: { instructions: "a\0" } },
      "The fact “standing.instructions” holds a NUL character at index 1.",
    ],
    ["sovereign", { soul: [] }, "The fact “soul” should be text, not a list."],
    ["sovereign", { skills: {} }, "The fact “skills” should be a list, not an object."],
    ["sovereign", { skills: ["x"] }, "The fact “skills[0]” should be an object, not text."],
    ["sovereign", { skills: [{ name: "a" }] }, "The fact “skills[0].instructions” is missing."],
    ["sovereign", { state: "Idle" }, "The fact “state” should be an object, not text."],
    ["sovereign", { state: { cycles_balance: {} } }, "The fact “state.cycles_balance” should be text, not an object."],
    [
      "sovereign",
      { state: { burn_per_hour: true } },
      "The fact “state.burn_per_hour” should be text, not boolean true.",
    ],
    ["sovereign", { state: { state: 7 } }, "The fact “state.state” should be text, not number 7."],
    ["sovereign", { inbox: {} }, "The fact “inbox” should be a list, not an object."],
    ["sovereign", { inbox: [7] }, "The fact “inbox[0]” should be an object, not number 7."],
    ["sovereign", { inbox: [{ body: "x" }] }, "The fact “inbox[0].sender” is missing."],
    [
      "sovereign",
      { inbox: [{ sender: "a" }, { sender: "b", body: 7 }] },
      "The fact “inbox[1].body” should be text, not number 7.",
    ],
    ["sovereign", { inbox: [{ sender: "a", id: {} }] }, "The fact “inbox[0].id” should be text, not an object."],
    [
      "sovereign",
      { inbox: [{ sender: "a", body: "x\ud800" }] },
      "The fact “inbox[0].body” holds half a character (a lone surrogate) at index 1.",
    ],
    ["sovereign", { conversations: [] }, "The fact “conversations” should be an object, not a list."],
    ["sovereign", { conversations: { "0xa": "x" } }, "The fact “conversations.0xa” should be a list, not text."],
    [
      "sovereign",
      { conversations: { "0xa": [{ sender_body: 7 }] } },
      "The fact “conversations.0xa[0].sender_body” should be text, not number 7.",
    ],
    [
      "sovereign",
      { conversations: { "0xa": [{ agent_reply: 7 }] } },
      "The fact “conversations.0xa[0].agent_reply” should be text, not number 7.",
    ],
    ["sovereign", { memory: "x" }, "The fact “memory” should be a list, not text."],
    ["sovereign", { memory: [{ value: "x" }] }, "The fact “memory[0].key” is missing."],
    ["sovereign", { memory: [{ key: "x" }] }, "The fact “memory[0].value” is missing."],
    ["sovereign", { memory: [{ key: "x", value: 7 }] }, "The fact “memory[0].value” should be text, not number 7."],
    ["sovereign", { standing: { "6": 7 } }, "The fact “standing.6” should be text, not number 7."],
    ["sovereign", { standing: { "11": "x" } }, "The fact “standing.11” names no section of “sovereign”."],
    ["coder", { cwd: 7 }, "The fact “cwd” should be text, not number 7."],
    ["coder", { home: 7 }, "The fact “home” should be text, not number 7."],
    ["coder", { system: 7 }, "The fact “system” should be text, not number 7."],
    ["coder", { append: {} }, "The fact “append” should be text, not an object."],
    ["coder", { context: "x" }, "The fact “context” should be a list, not text."],
    ["coder", { context: [{ content: "x" }] }, "The fact “context[0].path” is missing."],
    ["coder", { context: [{ path: "/a" }] }, "The fact “context[0].content” is missing."],
    ["coder", { context: [{ path: "/a", content: 7 }] }, "The fact “context[0].content” should be text, not number 7."],
    ["coder", { skills: [7] }, "The fact “skills[0]” should be an object, not number 7."],
    ["coder", { skills: [{ description: "x", location: "y" }] }, "The fact “skills[0].name” is missing."],
    ["coder", { skills: [{ name: "x", location: "y" }] }, "The fact “skills[0].description” is missing."],
    ["coder", { skills: [{ name: "x", description: "y" }] }, "The fact “skills[0].location” is missing."],
    [
      "coder",
      { skills: [{ name: "x", description: "y", location: "z", hidden: "no" }] },
      "The fact “skills[0].hidden” should be true or false, not text.",
    ],
    ["resident", { base: 7 }, "The fact “base” should be text, not number 7."],
    ["resident", { operator: 7 }, "The fact “operator” should be text, not number 7."],
    ["resident", { core: "You are Eva." }, "The fact “core” should be an object, not text."],
    ["resident", { core: { status: "gone" } }, "The fact “core.status” is “gone”."],
    ["resident", { core: { status: 7 } }, "The fact “core.status” should be text, not number 7."],
    ["resident", { core: { status: "present", text: 7 } }, "The fact “core.text” should be text, not number 7."],
  ];
  const problemOf = (name: keyof typeof charters, facts: object) => {
    try {
      charters[name](factsOf(facts), () => new Date(0));
    } catch (error) {
      if (error instanceof Problem) return [error.code, error.message];
      throw error;
    }
    return "no problem";
  };

  for (const [facts, message] of everyCharter)
    test(`every charter: ${JSON.stringify(facts)}`, () => {
      const names = Object.keys(charters) as (keyof typeof charters)[];
      expect(names.map((name) => [name, problemOf(name, facts)])).toEqual(
        names.map((name) => [name, ["bad-facts", message]]),
      );
    });
  for (const [name, facts, message] of own)
    test(`${name}: ${JSON.stringify(facts)}`, () => expect(problemOf(name, facts)).toEqual(["bad-facts", message]));

  test("null is nothing, in every field", () => {
    const facts = {
      ...{ agent: null, user: null, channel: null, zone: null, tools: null, standing: null, turn: null, state: null },
      ...{ original: null, settings: null, identity: null, soul: null, skills: null, inbox: null, memory: null },
      ...{ conversations: null, cwd: null, home: null, system: null, append: null, context: null, base: null },
      ...{ operator: null, core: null, revisions: null, now: null },
    };
    const names = Object.keys(charters) as (keyof typeof charters)[];
    expect(names.map((name) => problemOf(name, facts))).toEqual(names.map(() => "no problem"));
  });
});

describe("a charter file", () => {
  const declare = (rest: string) => `export default { name: "mine", ${rest} };`;
  const section = (rest: string, mutability = '"live"') =>
    declare(`layers: [{ name: "l", mutability: ${mutability}, sections: [${rest}] }]`);
  const invalid = (message: string) => `charter-invalid: The charter “mine” cannot be used: ${message}`;
  const rows: [what: string, content: string, firstLine: string | RegExp][] = [
    [
      "that goes round in words",
      'const a = { name: "a" }; a.words = a; export default { name: "mine", layers: [{ name: "l", mutability: "live", sections: [a] }] };',
      invalid("“a”: words is not text."),
    ],
    [
      "that goes round in layers",
      'const c = { name: "mine" }; c.layers = [c]; export default c;',
      invalid("Layer 1 has no list of sections."),
    ],
    [
      "that goes round in sections",
      'const l = { name: "a", mutability: "live", sections: [] }; l.sections.push(l); export default { name: "mine", layers: [l] };',
      /^charter-invalid: The charter “mine” .*“a”/,
    ],
    ["with a layer that is nothing", declare("layers: [null]"), invalid("Layer 1 has no list of sections.")],
    ["with a section that is nothing", section("null"), invalid("A section has no name.")],
    [
      "without a name",
      'export default { layers: [{ name: "l", mutability: "live", sections: [{ name: "s", words: "w" }] }] };',
      "charter-invalid: The charter “?” cannot be used: It has no name.",
    ],
    ["without a default export", "export const charter = {};", /^charter-(?:invalid|unreadable): .*mine\.ts.*default/],
    [
      "whose tools are no list",
      `${section('{ name: "a" }')} export const tools = "read";`,
      "charter-unreadable: The charter at mine.ts cannot be used: its tools cannot be used: The tools are no list.",
    ],
    [
      "that throws when it is loaded",
      'throw new Error("boom\\nsecond line");',
      "charter-unreadable: The charter at mine.ts could not be loaded: boom",
    ],
    [
      "that throws when it is given the facts",
      'export default () => { throw new Error("boom"); };',
      /^charter-\w+: The charter at mine\.ts .*boom/,
    ],
    ["that is no TypeScript", "export default {", /^charter-unreadable: The charter at mine\.ts could not be loaded: /],
    [
      "that imports what is not there",
      'import "./nowhere.ts"; export default {};',
      /^charter-unreadable: The charter at mine\.ts could not be loaded: Cannot find module .*nowhere\.ts/,
    ],
    [
      "that imports a package nobody installed",
      'import "left-pad"; export default {};',
      "package-missing: The charter at mine.ts needs the package “left-pad”, which is not installed.",
    ],
    [
      "with a source that gives nonsense",
      section('{ name: "a", trust: "own", sources: [() => 42] }'),
      "bad-reading: A source of “a” gave something that is no reading.",
    ],
    [
      "with a source that gives nothing",
      section('{ name: "a", trust: "own", sources: [() => undefined] }'),
      "bad-reading: A source of “a” gave something that is no reading.",
    ],
    [
      "with a source that goes round",
      'const r = { status: "present", parts: [] }; r.parts.push(r);\n'.concat(
        section('{ name: "a", trust: "own", sources: [() => r] }'),
      ),
      "bad-reading: A source of “a” gave something that is no reading.",
    ],
    [
      "whose standing text cannot be read",
      section(
        '{ name: "a", original: "x", read: () => { throw new Error("boom"); } }',
        '{ amendableBy: ["agent"], scope: "agent" }',
      ),
      /^[a-z-]+: .*“a”/,
    ],
  ];
  for (const [what, part, shown, notice] of [
    ["a NUL", '{ text: "a\\0" }', "a\ufffd", "by a source had half a character or a NUL, which nothing can carry"],
    ["half a character", '{ text: "\\udc00", source: "disk" }', "\ufffd", "by disk had half a character or a NUL"],
    [
      "10 MB",
      '{ text: "x".repeat(1e7) }',
      /^x{2000000}\n\(cut here: 8000000 more/,
      "has more than 2,000,000 characters",
    ],
  ] as const)
    test(`with a source that gives ${what}: it is mended, and said to be`, () => {
      const content = section(
        `{ name: "a", trust: "own", sources: [() => ({ status: "present", parts: [${part}] })] }`,
      );
      const answer = attempt(["show", "--charter", "mine.ts"], { "mine.ts": content });
      expect(answer.code).toBe(0);
      expect(answer.stdout).toMatch(shown);
      expect(answer.stderr).toContain("notice: text-mended: The text of “a” by ");
      expect(answer.stderr).toContain(notice);
    });

  test("with a source that never answers: it is unavailable, and the command does not hang", () => {
    const answer = attempt(["show", "--charter", "mine.ts", "--time-limit", "1"], {
      "mine.ts": section('{ name: "a", trust: "own", sources: [() => new Promise(() => {})] }'),
    });
    expect([answer.code, answer.stdout, answer.stderr]).toEqual([
      0,
      "",
      "notice: source-unavailable: “a” could not be read: it did not answer in 1 s\n",
    ]);
  });

  for (const [what, content, firstLine] of rows)
    test(what, () => {
      const answer = attempt(["show", "--charter", "mine.ts"], { "mine.ts": content });
      expectProblem(answer, firstLine);
      expect(answer.stderr).not.toMatch(/^internal:/);
    });

  test("with a source that throws: the section is unavailable, and said to be", () => {
    const content = section(
      '{ name: "a", trust: "own", sources: [() => { throw new Error("disk on fire"); }] }, { name: "b", words: "B" }',
    );
    expect(attempt(["show", "--charter", "mine.ts"], { "mine.ts": content })).toMatchObject({
      code: 0,
      stdout: "B",
      stderr: "notice: source-unavailable: “a” could not be read: disk on fire\n",
    });
  });

  test("that is not there, or is no charter's name", () => {
    expectProblem(attempt(["show", "--charter", "no.ts"]), "no-such-file: There is no charter at no.ts.");
    expectProblem(attempt(["show", "--charter", "no"]), "unknown-charter: There is no charter “no”.");
    expectProblem(attempt(["show", "--charter", "__proto__"]), "unknown-charter: There is no charter “__proto__”.");
  });
});
