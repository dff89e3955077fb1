import { expect, test } from "vitest";
import { messageTokens } from "../../delivery/cost.ts";
import type { Message } from "../../delivery/model.ts";
import { shortened } from "./compaction.ts";

const tokenizer = { name: "letters", exact: true, count: (text: string) => text.length };
const tokens = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + messageTokens(message, tokenizer), 0);

const turn = (text: string, output: string): Message[] => [
  { role: "user", text },
  { role: "assistant", text: "", calls: [{ id: "c1", name: "look", input: `{"at":"${output}"}` }] },
  { role: "tool", results: [{ call: "c1", name: "look", output }] },
  { role: "assistant", text: "Seen.", calls: [] },
];

test("what fits is as it was", () => {
  const messages = turn("Look.", "A cup.");
  expect(shortened(messages, 1000, tokenizer)).toBe(messages);
});

test("what is long is cut, and says so; the rest is as it was", () => {
  const messages = turn("Look.", "x".repeat(5000));
  const short = shortened(messages, 3000, tokenizer);
  expect(tokens(short)).toBeLessThanOrEqual(3000);
  expect(short).toEqual([
    messages[0],
    { role: "assistant", text: "", calls: [{ id: "c1", name: "look", input: "{}" }] },
    {
      role: "tool",
      results: [{ call: "c1", name: "look", output: `${"x".repeat(2000)}\n(cut here: 3000 more characters)` }],
    },
    messages[3],
  ]);
});

test("many short messages: the oldest go, up to where someone speaks", () => {
  const messages = Array.from({ length: 100 }, (_, index) => turn(`Look ${index}.`, "A cup.")).flat();
  const short = shortened(messages, 1000, tokenizer);
  expect(tokens(short)).toBeLessThanOrEqual(1000);
  expect(short[0]).toMatchObject({ role: "user" });
  expect(short).toEqual(messages.slice(-short.length));
  expect(short.length).toBeGreaterThan(10);
});

test("one turn of many short steps: the first steps go, each call with its results", () => {
  const steps = Array.from({ length: 100 }, () => turn("", "A cup.").slice(1, 3)).flat();
  const messages: Message[] = [{ role: "user", text: "Look." }, ...steps];
  const short = shortened(messages, 1000, tokenizer);
  expect(tokens(short)).toBeLessThanOrEqual(1000);
  expect(short.map(({ role }) => role)).toEqual(messages.slice(0, short.length).map(({ role }) => role));
  expect(short.length).toBeGreaterThan(10);
  expect(shortened(messages, 1, tokenizer)).toHaveLength(3);
});

test("of attachments it is only told that they were there", () => {
  const about = { digest: "d", mediaType: "image/png", bytes: 900_000, name: "cat.png", width: 640, height: 480 };
  const messages: Message[] = [{ role: "user", text: "Look.", attachments: [about] }, ...turn("And?", "A cup.")];
  const counting = { ...tokenizer, attachment: () => 5000 };
  expect(shortened(messages, 10_000, counting)).toBe(messages);
  expect(shortened(messages, 1000, counting)).toEqual([
    { role: "user", text: '[Attached: "cat.png", image/png, 900 kB, 640 × 480. It was shown before.]\n\nLook.' },
    ...messages.slice(1),
  ]);
});
