import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "../../prompt/assemble.ts";
import { gather } from "../../prompt/gather.ts";
import { fromText } from "../../prompt/reading.ts";
import { assistant, exampleSoul } from "./assistant.ts";
import { soulReading } from "./sections.ts";

test("a soul is read paragraph by paragraph; all but the first can be left out", () => {
  const more = { kind: "paragraph", apart: true, edition: "full" };
  expect(soulReading("Be kind.\nAlways.\n\n- Mail\n- Tasks\n\nBe brief.")).toEqual({
    status: "present",
    parts: [{ text: "Be kind.\nAlways." }, { text: "- Mail\n- Tasks", ...more }, { text: "Be brief.", ...more }],
  });
});

test.for([
  ["", "nothing"],
  ["Be kind.", "one paragraph"],
  ["Be kind.\n\n\nBe brief.", "two blank lines"],
  ["Be kind.\r\n\r\nBe brief.", "other line ends"],
  ["```\na\n\nb\n```", "code"],
  ["- a\n\n  more of a", "a list that goes on after a blank line"],
  ["1. a\n\n2. b", "a numbered list"],
  ["<pre>\n\nx\n\n</pre>", "markup"],
  ["Be kind.\n\n", "a blank line at the end"],
])("%j stays in one piece: %s", ([text]) => expect(soulReading(text as string)).toEqual(fromText(text)));

const promptOf = async (soul: string, how: Parameters<typeof assemble>[2] = {}) => {
  const { charter } = assistant({ soul });
  return assemble(charter, await gather(charter, { now: "2026-02-18T15:04:00Z", tools: [], standing: {} }), how);
};
const soulIn = (text: string) => /^## Soul\n([\s\S]*?)\n\n## Safety/.exec(text)?.[1];

describe("in the prompt", () => {
  test("a soul is the same text, whatever it is cut into", async () => {
    const line = fc.constantFrom("Be kind.", "- mail", "1. tasks", "", " ", "```", "<b>", "  x", "# Big", "> q", "---");
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
        const soul = lines.join("\n");
        if (soul.trim() === "") return;
        const whole = assistant({ soul: "x" }).charter;
        const reading = await gather(whole, { now: "2026-02-18T15:04:00Z", tools: [], standing: {} });
        const asOne = {
          ...fromText(soul),
          parts: [{ text: soul, source: "original", revision: 0, trust: "own" as const }],
        };
        const expected = assemble(whole, { ...reading, soul: { ...asOne, status: "present" } });
        expect(soulIn((await promptOf(soul)).text)).toBe(soulIn(expected.text));
      }),
    );
  });

  test("its last paragraphs give way where room is short, and the model is told", async () => {
    const whole = await promptOf(exampleSoul);
    const tight = await promptOf(exampleSoul, { chars: whole.text.length - 200 });
    expect(soulIn(whole.text)).toBe(exampleSoul);
    expect(soulIn(tight.text)).toMatch(/don't know something, say so\..*\n\(Paragraphs left out here: 2\.\)$/);
    expect(tight.cuts).toMatchObject([{ section: "soul", form: "shorter", kept: 3, missing: 2, unit: "paragraph" }]);
  });

  test("the compact edition has its first paragraph, and the short form of the memory's words", async () => {
    const [full, compact] = [await promptOf(exampleSoul), await promptOf(exampleSoul, { edition: "compact" })];
    expect(soulIn(compact.text)).toBe(`${exampleSoul.split("\n\n")[0]}\n(Paragraphs left out here: 5.)`);
    expect(compact.text).toContain("## Memory\nBefore answering anything about the user");
    expect(full.text).not.toContain("Before answering anything about the user or the past, call");
    expect(compact.text.length).toBeLessThan(full.text.length * 0.6);
  });
});
