import { expect, test } from "vitest";
import { expectSame, type Story, told } from "./sdk-story.ts";

const call = (id: string, name: string, input: object = {}) => ({ id, name, input: JSON.stringify(input) });

const stories: Readonly<Record<string, Story>> = {
  "tools, signed reasoning, an amendment": {
    lines: [
      { thought: "Two things.", text: ["One moment."], calls: [call("1", "add", { of: "a" }), call("2", "add")] },
      { thought: "Done.", text: ["Three."] },
      { calls: [call("3", "modify_system_prompt", { section: "goals", operation: "append", content: "- Be brief." })] },
      { thought: "Brief.", text: ["Yes."] },
      { text: ["Bye."] },
    ],
    turns: ["What is 1 + 2?", "Be brief from now on.", "Bye."],
  },
  "a tool that breaks, one nobody has, arguments that are none": {
    lines: [
      { calls: [call("1", "break_down"), call("2", "made_up"), { id: "3", name: "add", input: "[]" }] },
      { text: ["It did not work."] },
      { text: ["Fine."] },
    ],
    turns: ["Try.", "Well?"],
  },
  "a call that untrusted text holds, approved later": {
    lines: [
      { calls: [call("1", "read_page"), call("2", "pay", { of: "5" })] },
      { text: ["It waits."] },
      { text: ["It was paid."] },
      { text: ["Fine."] },
    ],
    turns: ["Pay what the page says.", "And now?", "Well?"],
    between: async ({ store }, turn) => {
      if (turn > 1) return;
      const [held] = await store.calls.list({ agent: "ada", status: "waiting" });
      await store.calls.approve(held?.id as string, "operator");
    },
  },
};

test.for(Object.keys(stories))("%s: streamText and generateText send what createAgent sends", async (name) => {
  await expectSame(stories[name] as Story);
});

test("what was sent stands before what is sent next, and signed reasoning is sent back", async () => {
  const { bodies } = await told(stories["tools, signed reasoning, an amendment"] as Story, "streamText");
  const texts = bodies.map(({ tools, system, messages }) =>
    JSON.stringify([tools, system, messages]).replaceAll(/,?"cache_control":\{[^}]*\}/g, ""),
  );
  const shares = texts.slice(1).map((text, index) => {
    const before = texts[index] as string;
    return sharedLength(before, text) / before.length;
  });
  expect(Math.min(...shares)).toBeGreaterThan(0.9);
  expect(JSON.stringify(bodies.at(-1)).split('"signature":"signed"').length - 1).toBe(3);
});

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
