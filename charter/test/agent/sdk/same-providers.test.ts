import { expect, test } from "vitest";
import { expectSame, type Story } from "./sdk-story.ts";

const call = (id: string, name: string, input: object = {}) => ({ id, name, input: JSON.stringify(input) });

const story: Story = {
  lines: [
    { thought: "Two things.", text: ["One moment."], calls: [call("1", "add", { of: "a" }), call("2", "add")] },
    { thought: "Done.", text: ["Three."] },
    { calls: [call("3", "modify_system_prompt", { section: "goals", operation: "append", content: "- Be brief." })] },
    { text: ["Yes."] },
    { calls: [call("4", "read_page"), call("5", "pay", { of: "5" })] },
    { text: ["It waits."] },
    { text: ["It was paid."] },
  ],
  turns: ["What is 1 + 2?", "Be brief from now on.", "Pay what the page says.", "And now?"],
  between: async ({ store }, turn) => {
    const [held] = turn === 3 ? await store.calls.list({ agent: "ada", status: "waiting" }) : [];
    if (held) await store.calls.approve(held.id, "operator");
  },
};

test.for([
  ["openai", '"encrypted_content":"Two things."'],
  ["google", '"thoughtSignature":"signed"'],
] as const)(
  "%s: tools, reasoning, an amendment, a held call: the same is sent, and reasoning sent back",
  async ([provider, reasoning]) => {
    const [first, ...others] = await expectSame({ ...story, provider });
    expect(JSON.stringify(first)).not.toContain(reasoning);
    expect(others.filter((body) => !JSON.stringify(body).includes(reasoning))).toEqual([]);
  },
);
