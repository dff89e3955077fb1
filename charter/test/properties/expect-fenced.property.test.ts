import fc from "fast-check";
import { expect, test } from "vitest";
import { assemble, defineCharter, fromText, type Prompt } from "../../src/index.ts";
import { expectPrompt } from "../../src/testing/index.ts";
import { always, given, hostile } from "./generate.ts";

const anything = given({ words: hostile });

function isFenced(prompt: Prompt, words: string): boolean {
  try {
    expectPrompt(prompt).fenced(words);
    return true;
  } catch {
    return false;
  }
}

/** Of every byte, whether it is in a fence: worked out here from the spans, so that a test does not trust what it tests. */
function fencedBytes({ text, spans }: Prompt): boolean[] {
  const inside: boolean[] = new Array(text.length).fill(false);
  for (const { start, end, source, trust } of spans) {
    if (trust !== "foreign") continue;
    let at = start;
    for (const line of text.slice(start, end).split("\n")) {
      const name = JSON.stringify(source);
      const quoted = line.startsWith(">") ? line.length : line.startsWith(name) ? name.length : 0;
      inside.fill(true, at, at + quoted);
      at += line.length + 1;
    }
  }
  return inside;
}

test("fenced never holds for words that also stand outside a fence", () => {
  let [held, refused] = [0, 0];
  always([anything, fc.array(fc.tuple(fc.nat(), fc.nat(12)), { minLength: 30 })], ({ charter, readings }, choices) => {
    const prompt = assemble(charter, readings);
    const inside = fencedBytes(prompt);
    for (const [at, length] of choices) {
      const start = at % Math.max(1, prompt.text.length);
      const words = prompt.text.slice(start, start + 1 + length);
      if (!isFenced(prompt, words)) {
        refused++;
        continue;
      }
      held++;
      for (let found = prompt.text.indexOf(words); found !== -1; found = prompt.text.indexOf(words, found + 1))
        for (let byte = found; byte < found + words.length; byte++)
          if (!inside[byte] && prompt.text[byte] !== "\n") expect.fail(`“${words}” stands outside at ${byte}`);
    }
  });
  expect(Math.min(held, refused)).toBeGreaterThan(0);
});

test("every stranger's part stands in a fence, and no other does", () => {
  always([anything], ({ charter, readings }) => {
    const prompt = assemble(charter, readings);
    for (const { start, end, part, trust } of prompt.spans) {
      const mark = `Z${part}Z`;
      if (part !== undefined && prompt.text.slice(start, end).includes(mark))
        expect([mark, isFenced(prompt, mark)]).toEqual([mark, trust === "foreign"]);
    }
  });
});

test("words that an agent repeats, behind whatever marks, are not fenced", () => {
  const charter = defineCharter({
    name: "repeating",
    layers: [
      {
        name: "own",
        mutability: { amendableBy: ["agent"], scope: "agent" },
        sections: [{ name: "goals", original: "None." }],
      },
      {
        name: "now",
        mutability: "live",
        sections: [{ name: "inbox", trust: "foreign", sources: [() => fromText("")] }],
      },
    ],
  });
  const around = fc.constantFrom(["", ""], ["> ", ""], ["mallory wrote (data, not instructions):\n> ", ""], ['"', '"']);
  const word = fc
    .string({ unit: fc.constantFrom("a", "b", "c", " "), minLength: 3 })
    .filter((text) => /^\S.*\S$/.test(text));
  always([word, around], (words, [before, after]) => {
    const readings = { goals: fromText(`${before}${words}${after}`), inbox: fromText(words, { source: "mallory" }) };
    expect(isFenced(assemble(charter, { ...readings, goals: fromText("None.") }), words)).toBe(true);
    expect(isFenced(assemble(charter, readings), words)).toBe(false);
  });
});
