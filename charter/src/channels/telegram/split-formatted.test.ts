import fc from "fast-check";
import { expect, test } from "vitest";
import { entityTrouble } from "../../../test/telegram/bot-api.ts";
import { formattedText } from "./markdown.ts";
import { maxEntities, splitFormatted } from "./split.ts";

const split = (source: string, max: number, entities?: number) =>
  splitFormatted(formattedText(source), { max, ...(entities === undefined ? {} : { entities }) });

test("a short text is one message, and one of nothing but white space is none", () => {
  expect(split("**Hello**, you.", 4096)).toEqual([
    { text: "Hello, you.", entities: [{ type: "bold", offset: 0, length: 5 }] },
  ]);
  expect(split(" \n\n ", 4096)).toEqual([]);
});

test("it is cut after a paragraph, a line, a sentence or a word, in this order", () => {
  const texts = (source: string, max: number) => split(source, max).map(({ text }) => text);
  expect(texts("One two.\n\nThree four. Five.", 18)).toEqual(["One two.", "Three four. Five."]);
  expect(texts("One two.\nThree four.", 15)).toEqual(["One two.", "Three four."]);
  expect(texts("One two. Three four.", 12)).toEqual(["One two.", "Three four."]);
  expect(texts("One two three four", 10)).toEqual(["One two", "three four"]);
  expect(texts("👍🏽👍🏽👍🏽", 9)).toEqual(["👍🏽👍🏽", "👍🏽"]);
});

test("what is cut is bold, quoted or code on both sides", () => {
  expect(split("> **one two three four**", 10)).toEqual([
    { text: "one two", entities: [blockquote(0, 7), bold(0, 7)] },
    { text: "three four", entities: [blockquote(0, 10), bold(0, 10)] },
  ]);
  expect(split("```ts\nif (a)\n  b();\n  c();\n```", 15)).toEqual([
    { text: "if (a)\n  b();", entities: [{ type: "pre", offset: 0, length: 13, language: "ts" }] },
    { text: "  c();", entities: [{ type: "pre", offset: 0, length: 6, language: "ts" }] },
  ]);
});
const bold = (offset: number, length: number) => ({ type: "bold", offset, length });
const blockquote = (offset: number, length: number) => ({ type: "blockquote", offset, length });

test("code that has room in a message of its own is not cut", () => {
  expect(split("Here:\n```\na\nb\nc\n```", 8).map(({ text }) => text)).toEqual(["Here:", "a\nb\nc"]);
});

test("no message has more entities than Telegram shows", () => {
  const messages = split("**a** b ".repeat(250), 4096);
  expect(messages.map(({ entities }) => entities.length)).toEqual([maxEntities, maxEntities, 50]);
  expect(messages.map(({ text }) => text).join(" ")).toBe("a b ".repeat(250).trim());
});

const word = fc.constantFrom("one", "two", "😀", "👩‍👩‍👧", "naïve", "漢字", "x".repeat(30), "a_b", "2*3", "é");
const inline: fc.Arbitrary<string> = fc.letrec<{ one: string; some: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    word,
    tie("some").map((words) => `**${words}**`),
    tie("some").map((words) => `*${words}*`),
    tie("some").map((words) => `~~${words}~~`),
    word.map((words) => `\`${words}\``),
    word.map((words) => `[${words}](https://${"a".repeat(3)}.example)`),
  ),
  some: fc.array(tie("one"), { minLength: 1, maxLength: 6 }).map((words) => words.join(" ")),
})).some;
const lines = fc.array(inline, { minLength: 1, maxLength: 4 });
const block = fc.oneof(
  lines.map((some) => some.join("\n")),
  inline.map((words) => `## ${words}`),
  lines.map((some) => some.map((words) => `> ${words}`).join("\n")),
  lines.map((some) => some.map((words, index) => `${"  ".repeat(index % 2)}- ${words}`).join("\n")),
  lines.map((some) => `\`\`\`js\n${some.join("\n")}\n\`\`\``),
  fc.tuple(inline, inline).map(([a, b]) => `| ${a} | ${b} |\n|---|---|\n| ${b} | ${a} |`),
);
const source = fc.oneof(
  fc.array(block, { maxLength: 8 }).map((blocks) => blocks.join("\n\n")),
  fc.string({ unit: fc.constantFrom(...("*_~`[]()<>#-|> \n\\a1😀".match(/./gsu) ?? [])), maxLength: 300 }),
);
const ink = (text: string) => text.replace(/\s/g, "");

test("of any text every word goes out, in order, in messages that Telegram takes", () => {
  fc.assert(
    fc.property(
      source,
      fc.integer({ min: 12, max: 120 }),
      fc.integer({ min: 3, max: 100 }),
      (markdown, max, entities) => {
        const whole = formattedText(markdown);
        const messages = splitFormatted(whole, { max, entities });
        expect(ink(messages.map(({ text }) => text).join(""))).toBe(ink(whole.text));
        expect(whole.text.match(/one|two/g)).toEqual(markdown.match(/one|two/g));
        for (const message of [whole, ...messages]) {
          expect(message.text.isWellFormed()).toBe(true);
          const trouble = entityTrouble({ text: message.text, entities: message.entities.slice(0, 100) });
          expect(trouble).toBeUndefined();
        }
        for (const message of messages) {
          expect(message.text.length).toBeLessThanOrEqual(max);
          expect(message.text.trimEnd()).toBe(message.text);
          expect(message.entities.length).toBeLessThanOrEqual(entities);
        }
      },
    ),
  );
});
