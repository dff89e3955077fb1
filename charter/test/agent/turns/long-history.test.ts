import { afterEach, beforeEach, expect, test } from "vitest";
import type { Request } from "../../../src/delivery/model.ts";
import { bytesOf, calls, type Line, type Scripted, scripted, spoken } from "../model.ts";
import { meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const asks = "Write down what was said so far";
const isAsked = (request: Request) => bytesOf(request).includes(asks);
const page = tool("page", () => "word ".repeat(600));
const tooLong: Line = { fault: { code: "model-rejected", message: "The prompt is too long.", retry: false } };

/** Reads page after page as long as it is let, sums up when asked to, and rejects what is longer than it takes. */
function reader(max: number, window: number | null): Scripted {
  const asked: Line = (request) => {
    if (bytesOf(request).length / 4 > max) return tooLong;
    if (isAsked(request)) return "We read pages.";
    return spoken(request).some((words) => words === "user: Read.") ? calls(["page"]) : "Fine.";
  };
  return scripted([asked], { window });
}

const rows: [what: string, most: number, window: number | null][] = [
  ["counted as the provider does", 5000, 4000],
  ["counted otherwise than the provider does", 3000, 4000],
  ["by a model of which nobody said how much it takes", 3000, null],
];
for (const [what, max, window] of rows)
  test(`a turn that read more than the window takes is no end of the session, ${what}`, async () => {
    const model = reader(max, window);
    const agent = stage.agent(model, { tools: [page], compactAt: 2400 });
    await agent.runTurn({ input: "Hello.", user: "eva" });
    expect(await agent.runTurn({ input: "Read.", user: "eva" })).toMatchObject({
      state: "failed",
      problem: { code: expect.stringMatching(/^(?:request-too-long|model-rejected)$/) },
    });
    expect(await agent.runTurn({ input: "And now?", user: "eva" })).toMatchObject({
      reply: "Fine.",
      notices: [{ code: "compacted" }],
    });
    expect(spoken(model.requests.at(-1) as Request)).toEqual([
      "user: [What was said before, in short]\nWe read pages.",
      "user: And now?",
      "system: ## Clock\nIt is 2026-02-18.",
    ]);
    const summed = model.requests.findLast(isAsked) as Request;
    expect(spoken(summed)).toContain("user: Read.");
    expect(spoken(summed).find((words) => words.startsWith("tool: "))).toMatch(/\(cut here: \d+ more characters\)$/);
  });

test("a turn that another process has not finished is not lost in a summary made meanwhile", async () => {
  const { met, meet } = meeting();
  const began = meeting();
  const long = (word: string) => `${word} `.repeat(100).trim();
  const summing: Line = (request) => (isAsked(request) ? "We spoke." : "Fine.");
  const model = scripted([summing]);
  const slow = scripted([
    async () => {
      began.meet();
      await met;
      return "Slowly.";
    },
  ]);
  const agent = stage.agent(model, { compactAt: 400 });
  const other = stage.agent(slow, { store: await stage.another() });
  const { session } = await agent.runTurn({ input: long("alpha"), user: "eva" });
  const late = other.runTurn({ input: "The SLOW one.", user: "eva", session });
  await began.met;
  for (const word of ["beta", "gamma", "delta", "epsilon"])
    await agent.runTurn({ input: long(word), user: "eva", session });
  meet();
  expect(await late).toMatchObject({ reply: "Slowly." });
  for (const store of [stage.store, await stage.another()]) {
    await stage.agent(model, { store }).runTurn({ input: "And now?", user: "eva", session });
    expect(spoken(model.requests.at(-1) as Request)).toContain("user: The SLOW one.");
  }
});
