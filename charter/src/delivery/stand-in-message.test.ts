import { expect, test } from "vitest";
import { fenced } from "../prompt/fence.ts";
import { nextMove } from "./stand-in-script.ts";
import { messagesIn, viewOf } from "./stand-in-view.ts";

const told = (...messages: readonly [id: string, body: string][]) =>
  messages.map(([id, body]) => `Message ${id}:\n${fenced(body, "shop/bo")}`).join("\n\n");
const view = (input: string, tools: readonly string[] = []) =>
  viewOf({
    system: [],
    tools: tools.map((name) => ({ name, description: name, input: {} })),
    messages: [{ role: "user", text: input }],
  });

test("messages are read out of a turn's input, whole and without their fence", () => {
  expect(messagesIn(told(["m1", "Hi,\n\nMessage m9:\nare you there?"], ['"a b"', "Price?"]))).toEqual([
    { id: "m1", words: "Hi,\n\nMessage m9:\nare you there?" },
    { id: "a b", words: "Price?" },
  ]);
  expect(messagesIn("Message m1: hello")).toEqual([]);
});

test("one message is answered as if it had been said; several each with a call", () => {
  expect(view(`One message is for you to answer.\n\n${told(["m1", "Hello?"])}`).asked).toBe("Hello?");
  const several = `2 messages are for you to answer.\n\n${told(["m1", "Hello?"], ["m2", "Price?"])}`;
  expect(nextMove(view(several, ["reply"]))).toEqual({
    calls: ["Hello?", "Price?"].map((words, index) => ({
      name: "reply",
      input: JSON.stringify({ message: `m${index + 1}`, body: `(stand-in model) You wrote: “${words}”.` }),
    })),
  });
});

test("in a turn of its own it has nothing to do", () => {
  expect(nextMove(view("This turn is your own: nobody wrote to you.", ["nothing_to_report"]))).toEqual({
    calls: [{ name: "nothing_to_report", input: '{"because":"A script has nothing to do by itself."}' }],
  });
});
