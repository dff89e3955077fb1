import { expect, test } from "vitest";
import { promptInput } from "./client-message.ts";

const text = (words: string) => ({ type: "text", text: words });
const link = (name: string, uri: string) => ({ type: "resource_link", name, uri });

test.each([
  ["words", [text("Hello.")], "Hello."],
  ["two texts, as two paragraphs", [text("One."), text("Two.")], "One.\n\nTwo."],
  [
    "a file in a sentence, by its path",
    [text("Look at "), link("a b.ts", "file:///work/a%20b.ts"), text(", please.")],
    "Look at @/work/a b.ts, please.",
  ],
  [
    "a page, by its address",
    [text("Read"), link("The docs", "https://example.org/docs")],
    "Read @The docs (https://example.org/docs)",
  ],
  ["a link that has lines in its name", [link("a\n# b", "x:y")], "@a # b (x:y)"],
  ["a file of another machine, as it is", [link("a", "file://host/a")], "@file://host/a"],
  ["a part of a file", [link("a.ts", "file:///a.ts#L3")], "@a.ts (/a.ts#L3)"],
  ["an address that is none", [link("a", "file:///%")], "@a (file:///%)"],
] as const)("a prompt of %s is one text", (_what, blocks, input) => {
  expect(promptInput(blocks)).toBe(input);
});

test.each([
  ["an image", { type: "image", data: "", mimeType: "image/png" }, "A block of the prompt is of the type “image”,"],
  ["a whole file", { type: "resource", resource: {} }, "A block of the prompt is of the type “resource”,"],
  ["a text without words", { type: "text" }, "A block of the prompt is of the type “text”,"],
] as const)("%s is refused", (_what, block, message) => {
  expect(() => promptInput([text("x"), block])).toThrow(
    expect.objectContaining({ code: "bad-client-message", message: expect.stringContaining(message) }),
  );
});

test.each([[[]], [[text(" \n")]]])("a prompt without words is refused: %j", (blocks) => {
  expect(() => promptInput(blocks)).toThrow(expect.objectContaining({ code: "bad-client-message" }));
});
