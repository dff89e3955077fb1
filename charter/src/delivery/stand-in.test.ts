import { describe, expect, test } from "vitest";
import type { AskOptions, Message, Model, ModelRequest, ToolResult } from "./model.ts";
import { standIn } from "./stand-in.ts";

const assistantTools = ["update_instructions", "read_memory", "save_memory"];
const artifactTools = ["modify_system_prompt", "read_prompt"];
const sovereignTools = ["update_prompt_layer", "read_memory", "save_memory", "read_prompt"];

const closing = `The user can change these by telling you things like "always do X" or "never do Y".
When they do, use the update_instructions tool to persist the change.`;
const instructions = (words: string) => `## User Instructions\n${words}\n${closing}`;
const assistantSystem = (words = "(No custom instructions set.)") => ["## Soul\nBe kind.\n\n", instructions(words)];
const updated = (section: string, words: string): Message => ({
  role: "system",
  text: `Your prompt has changed: “${section}” now reads:\n\n${words}`,
  update: section,
});
const user = (text: string): Message => ({ role: "user", text });

type Given = { readonly system?: readonly string[]; readonly messages?: readonly Message[]; readonly tools?: string[] };

function requestOf({ system = ["You are Eva."], messages = [user("Hello")], tools = [] }: Given): ModelRequest {
  return {
    tools: tools.map((name) => ({ name, description: name, input: { type: "object" } })),
    system: system.map((text) => ({ text })),
    messages,
  };
}

const quiet: AskOptions = { signal: new AbortController().signal };

async function answerTo(given: Given, model: Model = standIn()) {
  const { answer } = await model.ask(requestOf(given), quiet);
  return answer;
}

/** What it says or calls. */
async function does(given: Given): Promise<unknown> {
  const answer = await answerTo(given);
  if (!answer) return undefined;
  if (answer.calls.length === 0) return answer.text;
  expect([answer.text, answer.finish]).toEqual(["", "tool-calls"]);
  return answer.calls.map(({ name, input }) => [name, JSON.parse(input)]);
}

const assistant = (words: string, more: Given = {}) =>
  does({
    system: assistantSystem(),
    tools: assistantTools,
    ...more,
    messages: [...(more.messages ?? []), user(words)],
  });

/** What it says once its call came back with this. */
async function afterwards(words: string, results: readonly Omit<ToolResult, "call">[], more: Given = {}) {
  const given = { system: assistantSystem(), tools: assistantTools, ...more };
  const calls = results.map(({ name }, index) => ({ id: `c${index}`, name, input: "{}" }));
  const messages: Message[] = [
    user(words),
    { role: "assistant", text: "", calls },
    { role: "tool", results: results.map((result, index) => ({ call: `c${index}`, ...result })) },
    ...(more.messages ?? []),
  ];
  return does({ ...given, messages });
}

describe("without a script for it", () => {
  test("it says what it is, and what was asked", async () => {
    expect(await does({})).toBe(
      "(stand-in model) I am a script that stands in for a model: nothing was sent anywhere. You wrote: “Hello”.",
    );
  });

  test("a newcomer is told what to try with the tools there are, once", async () => {
    expect(await assistant("Hello")).toBe(
      "(stand-in model) I am a script that stands in for a model: nothing was sent anywhere. You wrote: “Hello”. Try “always answer in bullet points”, “remember that I like tea”, “what do you remember about me?”.",
    );
    const messages: Message[] = [user("Hi"), { role: "assistant", text: "(stand-in model) …", calls: [] }];
    expect(await assistant("Hello", { messages })).toBe(
      "(stand-in model) I am a script that stands in for a model: nothing was sent anywhere. You wrote: “Hello”.",
    );
  });

  const bulleted =
    "(stand-in model)\n- I am a script that stands in for a model: nothing was sent anywhere.\n- You wrote: “Hello”.";
  const plain =
    "(stand-in model) I am a script that stands in for a model: nothing was sent anywhere. You wrote: “Hello”.";
  const bullets: [what: string, given: Given, expected: string][] = [
    ["instructions that ask for them", { system: assistantSystem("Always answer in bullet points.") }, bulleted],
    ["instructions that forbid them", { system: assistantSystem("Never use bullet points.") }, plain],
    [
      "instructions that ask for nothing else",
      { system: assistantSystem("Use bullet points, not paragraphs.") },
      bulleted,
    ],
    ["a prompt that asks for them", { system: ["I am Eva.\nAlways answer in bullet points."] }, bulleted],
    [
      "an update that asks for them",
      {
        system: assistantSystem(),
        messages: [updated("instructions", instructions("Use bullet points.")), user("Hello")],
      },
      bulleted,
    ],
    [
      "an update that no longer asks for them",
      {
        system: assistantSystem("Use bullet points."),
        messages: [updated("instructions", instructions("(No custom instructions set.)")), user("Hello")],
      },
      plain,
    ],
  ];
  for (const [what, given, expected] of bullets)
    test(`bullet points: ${what}`, async () => expect(await does(given)).toBe(expected));
});

describe("words that are to hold for good", () => {
  const said: [words: string, line: string][] = [
    ["always answer in bullet points", "Always answer in bullet points."],
    ["Please never call me Bob!", "Never call me Bob!"],
    ["From now on, answer in French", "From now on, answer in French."],
    ["Thanks. Could you always sign with “E”?", "Always sign with “E”."],
    ["always be brief\nThanks!", "Always be brief."],
  ];
  for (const [words, line] of said)
    test(`“${words.split("\n")[0]}” goes into the user's instructions`, async () =>
      expect(await assistant(words)).toEqual([["update_instructions", { instructions: line }]]));

  test("what stands already is kept", async () => {
    const system = assistantSystem("Be brief.\n### On tea\n- Green.");
    expect(await assistant("never lie", { system })).toEqual([
      ["update_instructions", { instructions: "Be brief.\n### On tea\n- Green.\nNever lie." }],
    ]);
  });

  test("what stands is what was said last", async () => {
    const messages = [
      updated("instructions", instructions("Be kind.")),
      user("Hi"),
      updated("instructions", instructions("Be kinder.")),
    ];
    expect(await assistant("never lie", { system: assistantSystem("Be brief."), messages })).toEqual([
      ["update_instructions", { instructions: "Be kinder.\nNever lie." }],
    ]);
  });

  test("what stands already is not written twice", async () => {
    expect(await assistant("never lie", { system: assistantSystem("Never lie.") })).toBe(
      "(stand-in model) It is in your instructions already: “Never lie.”",
    );
  });

  const cut =
    "Be brief.\n(Only the first 2000 characters are shown; 90 more are stored. Call read_memory for the whole instructions before changing them.)";
  const whole =
    "No note matches “instructions”.\n\nThe user's standing instructions, whole (revision 3, 21 characters), to the end of this result:\nBe brief.\nBe kind too.";

  test("instructions that are shown in part are read first, then written whole", async () => {
    const system = assistantSystem(cut);
    expect(await assistant("never lie", { system })).toEqual([["read_memory", { query: "instructions" }]]);
    expect(await afterwards("never lie", [{ name: "read_memory", output: whole }], { system })).toEqual([
      ["update_instructions", { instructions: "Be brief.\nBe kind too.\nNever lie." }],
    ]);
  });

  test("instructions that could not be read whole are left alone", async () => {
    const results = [
      { name: "read_memory", output: "Memory is unavailable: busy.", failed: true as const },
      { name: "read_memory", output: `${whole}\n(cut here: 70 more characters; ask for less at once)` },
    ];
    for (const result of results)
      expect(await afterwards("never lie", [result], { system: assistantSystem(cut) })).toBe(
        "(stand-in model) I could not read all of your instructions, so I left them as they are.",
      );
  });

  test("without instructions of a user's own, the prompt itself is appended to", async () => {
    expect(await does({ tools: artifactTools, messages: [user("always be brief")] })).toEqual([
      ["modify_system_prompt", { operation: "append", content: "Always be brief." }],
    ]);
  });

  test("with layers, layer 6 has a line more", async () => {
    const system = [
      "## Layer 5: Reality\nWork.\n\n---\n\n## Layer 6: Loop\n1. Think.\n\n---\n\n## Layer 7: Inbox\nRead.",
    ];
    expect(await does({ system, tools: sovereignTools, messages: [user("always be brief")] })).toEqual([
      ["update_prompt_layer", { layer_id: 6, content: "1. Think.\n- Always be brief." }],
    ]);
  });

  for (const words of ["Never mind.", "Never been there?", "I always do."])
    test(`“${words}” is none of them`, async () =>
      expect(await assistant(words)).toMatch(/^\(stand-in model\) I am a script/));

  test("without a tool for it, it says so", async () => {
    expect(await does({ messages: [user("always be brief")] })).toBe(
      "(stand-in model) I would call update_instructions or modify_system_prompt or update_prompt_layer for that, but no such tool is offered to me.",
    );
  });
});

describe("memory", () => {
  const said: [words: string, call: unknown][] = [
    ["remember that my cat is called Tom", ["save_memory", { content: "my cat is called Tom" }]],
    ["Hi! Please remember: I like tea.", ["save_memory", { content: "I like tea." }]],
    ["Don't forget that it rains.", ["save_memory", { content: "it rains." }]],
    ["what do you remember about my cat?", ["read_memory", { query: "my cat" }]],
    ["Do you remember my name?", ["read_memory", { query: "my name" }]],
    ["What do you know about me?", ["read_memory", {}]],
    ["what do you remember?", ["read_memory", {}]],
  ];
  for (const [words, call] of said) test(`“${words}”`, async () => expect(await assistant(words)).toEqual([call]));

  test("an agent with a core memory and no notes adds to that", async () => {
    const asked = { tools: ["update_core_memory"], messages: [user("remember that you are Ada")] };
    expect(await does(asked)).toEqual([["update_core_memory", { operation: "append", content: "You are Ada." }]]);
  });

  test("it answers with what came back", async () => {
    const output = '1 note for “cat” (with all the words), best match first:\n- 2026-02-18: "Tom."';
    expect(await afterwards("what do you remember about my cat?", [{ name: "read_memory", output }])).toBe(
      `(stand-in model)\nread_memory answered:\n${output}`,
    );
    const saved = { name: "save_memory", output: "Saved as note n1." };
    expect(await afterwards("remember that I like tea", [saved])).toBe("(stand-in model) Saved as note n1.");
    const failed = { name: "save_memory", output: "Not saved: The database is busy.", failed: true as const };
    expect(await afterwards("remember that I like tea", [failed])).toBe(
      "(stand-in model) save_memory failed: Not saved: The database is busy.",
    );
  });
});

describe("its own prompt", () => {
  const artifact = (words: string, more: Given = {}) =>
    does({ tools: artifactTools, ...more, messages: [...(more.messages ?? []), user(words)] });

  const goals: [what: string, given: Given, input: object][] = [
    [
      "numbers go on",
      { system: ["I am Eva.\n\n## Goals\n1. Grow\n2. Rest\n\n## Habits\nRead."] },
      { operation: "replace_section", section_marker: "## Goals", section_content: "1. Grow\n2. Rest\n3. learn Greek" },
    ],
    [
      "a list goes on",
      { system: ["# Goals\n- Grow"] },
      { operation: "replace_section", section_marker: "# Goals", section_content: "- Grow\n- learn Greek" },
    ],
    [
      "the words that were said last count",
      { system: ["## Goals\n1. Grow"], messages: [updated("prompt", "I am Eva.\n\n## Goals\n\n## Habits")] },
      { operation: "replace_section", section_marker: "## Goals", section_content: "- learn Greek" },
    ],
    [
      "after an update of their lines",
      {
        system: ["# Law\nBe good.\n\nI am Eva.\n\n## Goals\n1. Grow\n2. Rest\n\n## Habits\nRead."],
        messages: [
          {
            role: "system",
            text: 'Your prompt has changed in “prompt”:\nLine 5 ("2. Rest") now reads:\n| 2. Wait\n| 3. See',
            update: "prompt",
          },
        ],
      },
      {
        operation: "replace_section",
        section_marker: "## Goals",
        section_content: "1. Grow\n2. Wait\n3. See\n4. learn Greek",
      },
    ],
    ["without goals they begin", {}, { operation: "append", content: "\n## Goals\n- learn Greek" }],
  ];
  for (const [what, given, input] of goals)
    test(`add to your goals: ${what}`, async () =>
      expect(await artifact("Please add to your goals: learn Greek", given)).toEqual([
        ["modify_system_prompt", input],
      ]));

  test("add to your goals: with layers, layer 6 has a line more", async () => {
    const messages = [updated("decisions", "## Layer 6: Loop\nThink."), user("add to your goals: learn Greek")];
    expect(await does({ system: ["## Layer 6: Loop\nOld."], tools: sovereignTools, messages })).toEqual([
      ["update_prompt_layer", { layer_id: 6, content: "Think.\n- Learn Greek." }],
    ]);
  });

  test("what it was told to forget, reset or read", async () => {
    expect(await assistant("please forget my instructions")).toEqual([["update_instructions", { instructions: "" }]]);
    expect(await assistant("Clear all my instructions")).toEqual([["update_instructions", { instructions: "" }]]);
    expect(await artifact("Reset your prompt!")).toEqual([["modify_system_prompt", { operation: "reset" }]]);
    expect(await artifact("What does your prompt say?")).toEqual([["read_prompt", {}]]);
    expect(await artifact("What does your prompt say in section goals?")).toEqual([
      ["read_prompt", { section: "goals" }],
    ]);
  });
});

describe("what its prompt says", () => {
  const asked = "What does your prompt say?";
  const read = (told: object) => ({ name: "read_prompt", output: JSON.stringify(told) });
  const prompt = { section: "prompt", layer: "artifact", changedBy: "agent, operator", revision: 3 };

  test("section by section", async () => {
    const sections = [{ section: "law", layer: "0", changedBy: "nobody" }, prompt];
    expect(await afterwards(asked, [read({ sections })], { tools: artifactTools })).toBe(
      "(stand-in model)\nMy prompt has 2 sections:\n- law: changed by nobody\n- prompt: changed by agent, operator, revision 3",
    );
  });

  test("where there is only one, in its words", async () => {
    const overview = read({ sections: [prompt] });
    const given = { tools: artifactTools };
    expect(await afterwards(asked, [overview], given)).toEqual([["read_prompt", { section: "prompt" }]]);
    const call = { id: "c9", name: "read_prompt", input: "{}" };
    const messages: Message[] = [
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", results: [{ call: "c9", ...read({ ...prompt, text: "I am Eva.\nBe brief." }) }] },
    ];
    expect(await afterwards(asked, [overview], { ...given, messages })).toBe(
      "(stand-in model)\nMy prompt has one section:\n- prompt: changed by agent, operator, revision 3\n“prompt” (revision 3) says:\nI am Eva.\nBe brief.",
    );
  });
});

describe("calls by name", () => {
  test("one call a line, all at once, as they were written", async () => {
    const words =
      'call read_memory with {"query": "tea"}\ncall save_memory with {"content":\n  "x"}\ncall read_memory with';
    const answer = await answerTo({ tools: assistantTools, messages: [user(words)] });
    expect(answer?.calls.map(({ name, input }) => [name, input])).toEqual([
      ["read_memory", '{"query": "tea"}'],
      ["save_memory", '{"content":\n  "x"}'],
      ["read_memory", "{}"],
    ]);
    expect(new Set(answer?.calls.map(({ id }) => id)).size).toBe(3);
  });

  test("arguments that are no JSON are called with all the same", async () => {
    const answer = await answerTo({ tools: assistantTools, messages: [user("Call save_memory with {oh")] });
    expect(answer?.calls.map(({ input }) => input)).toEqual(["{oh"]);
  });

  test("“then” begins the next step, and three steps are the most", async () => {
    const words = Array.from({ length: 5 }, (_, index) => `then call save_memory with {"content":"${index}"}`).join(
      "\n",
    );
    const step = (index: number): Message[] => [
      { role: "assistant", text: "", calls: [{ id: `c${index}`, name: "save_memory", input: "{}" }] },
      { role: "tool", results: [{ call: `c${index}`, name: "save_memory", output: `Saved as note ${index}.` }] },
    ];
    const after = (steps: number) =>
      does({
        tools: assistantTools,
        messages: [user(words), ...Array.from({ length: steps }, (_, index) => step(index)).flat()],
      });
    expect(await after(0)).toEqual([["save_memory", { content: "0" }]]);
    expect(await after(2)).toEqual([["save_memory", { content: "2" }]]);
    expect(await after(3)).toBe("(stand-in model) Saved as note 0. Saved as note 1. Saved as note 2.");
  });

  test("a tool it is not offered is not called", async () => {
    expect(await assistant("call fly with {}")).toBe(
      "(stand-in model) No tool “fly” is offered to me. There are update_instructions, read_memory, save_memory.",
    );
  });
});

describe("what became of a change is told as it is", () => {
  const outcome = (told: object, failed?: true) => ({
    name: "update_instructions",
    output: JSON.stringify(told),
    ...(failed ? { failed } : {}),
  });
  const refusals = [
    { guard: "size-limit", because: "Too long." },
    { guard: "no-forgery", because: "A heading." },
  ];
  const rows: [what: string, result: Omit<ToolResult, "call">, expected: string][] = [
    [
      "accepted",
      outcome({
        verdict: "accepted",
        section: "instructions",
        says: "“instructions” is at revision 2 now.",
        diff: "--- instructions (before)\n+++ instructions (after)\n@@ -1,1 +1,2 @@\n-Be brief.\n+Be good.\n+\n",
        dropped: ["Be brief.", "Be kind.", "Be 1.", "Be 2."],
      }),
      "Done: “instructions” is at revision 2 now. It says now: “Be good.”. It says no longer: “Be brief.”, “Be kind.”, “Be 1.” and 1 more.",
    ],
    [
      "refused",
      outcome({ verdict: "refused", section: "instructions", refusals }, true),
      "The change of “instructions” was refused, and nothing was changed. size-limit: Too long. no-forgery: A heading.",
    ],
    [
      "held",
      outcome({
        verdict: "held",
        section: "instructions",
        held: "h1",
        refusals: [{ guard: "needs-approval", because: "Foreign words." }],
      }),
      "The change of “instructions” waits for a person's approval as h1, and nothing has changed yet. needs-approval: Foreign words.",
    ],
    [
      "a call that is held",
      outcome({ verdict: "held", held: "h2", because: "Foreign words." }, true),
      "The call waits for a person's approval as h2, and nothing has changed yet. Foreign words.",
    ],
    [
      "a failed call",
      { name: "update_instructions", output: "Not run: the arguments are no JSON.", failed: true },
      "update_instructions failed: Not run: the arguments are no JSON.",
    ],
  ];
  for (const [what, result, expected] of rows)
    test(what, async () => expect(await afterwards("always be brief", [result])).toBe(`(stand-in model) ${expected}`));

  test("the answer after a change already follows it", async () => {
    const messages = [updated("instructions", instructions("Always answer in bullet points."))];
    const result = outcome({
      verdict: "accepted",
      section: "instructions",
      says: "“instructions” is at revision 1 now.",
    });
    expect(await afterwards("always answer in bullet points", [result], { messages })).toBe(
      "(stand-in model)\n- Done: “instructions” is at revision 1 now.",
    );
  });
});

describe("as a model", () => {
  test("the same request gets the same answer", async () => {
    const given = { tools: assistantTools, messages: [user("remember that I like tea")] };
    expect(await answerTo(given)).toEqual(await answerTo(given));
  });

  test("its words come in pieces that make up the answer", async () => {
    const pieces: string[] = [];
    const { answer } = await standIn().ask(requestOf({}), { ...quiet, onText: (piece) => pieces.push(piece) });
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("")).toBe(answer?.text);
  });

  test("it stops when it is told to", async () => {
    const stop = new AbortController();
    const pieces: string[] = [];
    const asked = await standIn().ask(requestOf({}), {
      signal: stop.signal,
      onText: (piece) => {
        pieces.push(piece);
        if (pieces.length === 2) stop.abort();
      },
    });
    expect(asked).toEqual({
      fault: { code: "model-aborted", message: "The stand-in was stopped.", retry: false },
    });
    expect(pieces).toHaveLength(2);
  });

  test("a long history is written down in few words when that is asked for", async () => {
    const messages: Message[] = [user("Hi"), { role: "assistant", text: "(stand-in model) Hello.", calls: [] }];
    expect(
      await assistant("Write down what was said so far, for yourself: never forget a promise.", { messages }),
    ).toBe("(stand-in model)\nNotes of what was said so far:\n- The user: “Hi” I: “(stand-in model) Hello.”");
  });

  test("what was sent before is read from its cache, until it is too old", async () => {
    let at = 0;
    const model = standIn({ now: () => new Date(at) });
    const system = ["I am Eva. ".repeat(1000)];
    const usage = async (words: string) => (await answerTo({ system, messages: [user(words)] }, model))?.usage;
    const first = await usage("Hello");
    expect(first).toEqual({ input: 2509, read: 0, written: 0, output: 27 });
    expect(await usage("Hello again")).toEqual({ input: 2510, read: 2432, written: 0, output: 28 });
    at += 299_000;
    expect((await usage("Hello"))?.read).toBe(2432);
    at += 301_000;
    expect((await usage("Hello"))?.read).toBe(0);
    expect((await answerTo({ system: ["Short."] }, model))?.usage.read).toBe(0);
    expect((await answerTo({ system: ["Short."] }, model))?.usage.read).toBe(0);
  });
});
