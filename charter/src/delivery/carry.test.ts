import { expect, test } from "vitest";
import { carry, messageEnds } from "./cost.ts";
import type { Message } from "./model.ts";

const say = (text: string): Message => ({ role: "user", text });
const [a, b, c] = [say("a"), say("b"), say("c")];
const words = (message: Message) => ("text" in message ? message.text : "");

test("what was worked out of messages that are the same is carried over to the next request", () => {
  const seen: string[] = [];
  const joined = carry("", (before, message) => {
    seen.push(words(message));
    return before + words(message);
  });
  const all = (messages: readonly Message[]) => [...joined(messages)];
  expect(all([])).toEqual([""]);
  expect(all([a, b])).toEqual(["", "a", "ab"]);
  expect(all([a, b, c])).toEqual(["", "a", "ab", "abc"]);
  expect(seen.splice(0)).toEqual(["a", "b", "c"]);
  // One that is only equal is another, and so is all that comes after it.
  expect(all([a, { ...b }, c])).toEqual(["", "a", "ab", "abc"]);
  expect(all([a])).toEqual(["", "a"]);
  expect(seen.splice(0)).toEqual(["b", "c"]);
  expect(all([b, a])).toEqual(["", "b", "ba"]);
  expect(all([a, c])).toEqual(["", "a", "ac"]);
  expect(seen).toEqual(["b", "a", "c"]);
});

test("each tokenizer counts for itself", () => {
  const each = (tokens: number) => ({ name: "", exact: true, count: () => tokens });
  const [one, two] = [each(1), each(2)];
  const totals = [messageEnds(one, [a, b]).at(-1), messageEnds(two, [a, b]).at(-1), messageEnds(one, [a, b, c]).at(-1)];
  expect(totals).toEqual([2, 4, 3]);
});
