import { expect, test } from "vitest";
import { bytesOf, scripted, spoken } from "../../../test/agent/model.ts";
import { newStage } from "../../../test/agent/stage.ts";
import type { ModelRequest } from "../../delivery/model.ts";
import { cutSummary } from "./room.ts";

const tokenizer = { name: "letters", exact: true, count: (text: string) => text.length };

test("a summary that is too long is cut at a line end where one is near, and says how much is missing", () => {
  const summary = `${"They like tea. ".repeat(4)}\n${"They have a dog. ".repeat(4)}`;
  expect(cutSummary(summary, 200, tokenizer)).toBe(summary);
  expect(cutSummary(summary, 80, tokenizer)).toBe(`${"They like tea. ".repeat(4)}\n\n(cut here: 68 more characters)`);
  expect(cutSummary(summary, 0, tokenizer)).toBe("\n(cut here: 129 more characters)");
});

test("an input that leaves no room for what was summed up is answered, and the cut is kept", async () => {
  const stage = await newStage();
  const isAsked = (request: ModelRequest) => bytesOf(request).includes("Write down what was said so far");
  const model = scripted([(request) => (isAsked(request) ? "They spoke of tea. ".repeat(60) : "Fine.")], {
    window: 2000,
  });
  const agent = stage.agent(model, { compactAt: 500 });
  const long = "word ".repeat(600).trim();
  for (const input of [long, long]) await agent.runTurn({ input, user: "eva" });
  const longer = "word ".repeat(1450).trim();
  const outcome = await agent.runTurn({ input: longer, user: "eva" });
  expect(outcome).toMatchObject({ state: "answered", reply: "Fine." });
  const [summary, input] = spoken(model.requests.at(-1) as ModelRequest);
  expect(summary).toMatch(/^user: \[What was said before, in short\]\nThey spoke of tea\. .*\n\(cut here: \d+ more /s);
  expect(input).toBe(`user: ${longer}`);
  const there = await (await stage.another()).sessions.get(outcome.session as string);
  const { text } = (there.baseline as { summary: { text: string } }).summary;
  expect(summary).toBe(`user: [What was said before, in short]\n${text}`);
  await stage.close();
});
