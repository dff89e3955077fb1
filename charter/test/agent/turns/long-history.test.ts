import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../../src/delivery/model.ts";
import { brokenBindings, thought, thoughtIn } from "../binding.ts";
import { bytesOf, calls, type Line, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { clockTold, meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const asks = "Write down what was said so far";
const isAsked = (request: ModelRequest) => bytesOf(request).includes(asks);
const text = "Line of the page.\n".repeat(150);
const tooLong = (window?: number): Line => ({
  fault: {
    code: "model-rejected",
    message: "The prompt is too long.",
    retry: false,
    tooLong: window === undefined ? {} : { window },
  },
});

/** Reads so many pages, sums up when asked to, and rejects what is longer than it takes. */
function reader(pages: number, max: number, window: number | null, said?: number) {
  let read = 0;
  const page = tool("page", () => `Page ${++read}.\n${text}`);
  let refused = 0;
  const asked: Line = (request) => {
    if (bytesOf(request).length / 4 > max) {
      refused += 1;
      return tooLong(said);
    }
    if (isAsked(request)) return `We read pages up to ${read}.`;
    const answer = spoken(request).includes("user: Read.") && read < pages ? calls(["page"]) : { text: "Fine." };
    return { ...answer, native: thought(model.requests.length) };
  };
  const model = scripted([asked], { window, binds: true });
  return { model, page, read: () => read, refused: () => refused };
}

const rows: [what: string, most: number, window: number | null, said?: number][] = [
  ["counted as the provider does", 5000, 4000],
  ["counted otherwise than the provider does", 3000, 4000],
  ["by a model of which nobody said how much it takes", 3000, null],
  ["by one that says so when it is too much", 3000, null, 3000],
];
for (const [what, max, window, said] of rows)
  test(`a turn that reads more than the window takes goes on to its answer, ${what}`, async () => {
    const { model, page, read, refused } = reader(15, max, window, said);
    const agent = stage.agent(model, { tools: [page], ...(window ? { compactAt: 2400 } : {}) });
    await agent.runTurn({ input: "Hello.", user: "eva" });
    const outcome = await agent.runTurn({ input: "Read.", user: "eva" });
    expect(outcome).toMatchObject({ state: "answered", reply: "Fine." });
    expect(outcome.notices.map(({ code }) => code)).toEqual(["compacted"]);
    expect([read(), refused() > 0]).toEqual([15, max === 3000]);
    const compactions = agent.events.filter(({ kind }) => kind === "compacted");
    expect(compactions.length).toBeGreaterThan(1);
    await provesRequests(stage.store, outcome.turn, model.requests.slice(1));
    expect(brokenBindings(model.requests)).toEqual([]);

    const here = model.requests.at(-1) as ModelRequest;
    const folds = agent.events.flatMap((one) => (one.kind === "step-start" ? [one.prefixChange] : []));
    const last = folds.findLastIndex(({ how }) => how === "folded");
    expect(new Set(folds.slice(1).map((one) => (one.how === "folded" ? one.reason : one.how)))).toEqual(
      new Set(["kept", "the history was compacted"]),
    );
    const bound = here.messages.filter((one) => thoughtIn(one) !== undefined);
    expect(bound).toHaveLength(folds.length - 1 - last);
    expect(spoken(here).slice(0, 4)).toEqual([
      expect.stringMatching(/^user: \[What was said before, in short\]\nWe read pages up to \d+\.$/),
      "user: Read.",
      clockTold,
      "assistant: page {}",
    ]);
    await agent.runTurn({ input: "And now?", user: "eva" });
    await stage
      .agent(model, { store: await stage.another(), tools: [page], compactAt: 4000 })
      .runTurn({ input: "And there?", user: "eva" });
    expect(brokenBindings(model.requests)).toEqual([]);
    const [before, there] = model.requests.slice(-2) as [ModelRequest, ModelRequest];
    const plain = ({ breakpoint: _, ...message }: Message & { breakpoint?: true }) => message;
    expect(there.messages.slice(0, before.messages.length).map(plain)).toEqual(before.messages.map(plain));
  });

test("a turn that fails after it was summed up is told in the next, here and elsewhere", async () => {
  let read = 0;
  const page = tool("page", () => `Page ${++read}.\n${text}`);
  const breaks: Line = { fault: { code: "model-failed", message: "It broke.", retry: false } };
  const model = scripted(
    [
      (request) => {
        if (isAsked(request)) return `We read pages up to ${read}.`;
        if (!spoken(request).includes("user: Read.") || read > 12) return read === 13 && ++read ? breaks : "Fine.";
        return calls(["page"]);
      },
    ],
    { window: 4000 },
  );
  const agent = stage.agent(model, { tools: [page], compactAt: 3500 });
  expect(await agent.runTurn({ input: "Read.", user: "eva" })).toMatchObject({ problem: { code: "model-failed" } });
  await agent.runTurn({ input: "Where were we?", user: "eva" });
  const here = spoken(model.requests.at(-1) as ModelRequest);
  await stage
    .agent(model, { store: await stage.another(), tools: [page], compactAt: 4000 })
    .runTurn({ input: "And there?", user: "eva" });
  const there = spoken(model.requests.at(-1) as ModelRequest);
  expect(here[1]).toBe("user: Read.");
  expect(there.slice(0, here.length)).toEqual(here);
});

test("a result that is too long for what is left is shortened, and read on in pieces", async () => {
  const lines = Array.from({ length: 900 }, (_, index) => `Line ${index + 1} of the report.`).join("\n");
  const report = tool("report", () => lines);
  const pieces: string[] = [];
  const model = scripted(
    [
      (request) => {
        if (isAsked(request)) return "We read the report.";
        const last = request.messages.findLast(({ role }) => role === "tool");
        const output = last?.role === "tool" ? (last.results[0]?.output as string) : undefined;
        if (output === undefined) return calls(["report"]);
        const [words, rest] = output.split("(cut here: ") as [string, string?];
        pieces.push(words);
        const next = /read_result (\{.*\}) reads on/.exec(rest ?? "")?.[1];
        return next === undefined ? "Fine." : calls(["read_result", JSON.parse(next)]);
      },
    ],
    { window: 4000 },
  );
  const agent = stage.agent(model, { tools: [report], limits: { steps: 40 } });
  const outcome = await agent.runTurn({ input: "What does the report say?", user: "eva" });
  expect(outcome).toMatchObject({ state: "answered", reply: "Fine." });
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.join("")).toBe(lines);
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name).join(" ")).slice(0, 2)).toEqual([
    "report",
    "report read_result",
  ]);
  await provesRequests(stage.store, outcome.turn, model.requests);
});

test("a short request that is refused as too long, whatever is said, is asked once and the turn ends", async () => {
  let asked = 0;
  const refuses: Line = (request) => {
    asked += 1;
    return asked > 20 ? "Enough." : tooLong(spoken(request).length > 0 ? 100 : undefined);
  };
  for (const line of [refuses, tooLong()]) {
    const model = scripted([line], { window: 100_000 });
    const outcome = await stage.agent(model).runTurn({ input: "Hello.", user: "eva", session: "new" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "request-too-long" } });
    expect(model.requests).toHaveLength(1);
  }
});

test("what was kept of a result is read in its own conversation only", async () => {
  const secret = "The word is heliotrope.\n".repeat(900);
  const report = tool("report", () => secret);
  let of = "";
  const model = scripted(
    [
      (request) => {
        const last = request.messages.findLast(({ role }) => role === "tool");
        const output = last?.role === "tool" ? (last.results[0]?.output as string) : undefined;
        if (spoken(request).includes("user: Mine.") && output === undefined) return calls(["report"]);
        of ||= /"of":"([^"]+)"/.exec(output ?? "")?.[1] ?? "";
        return spoken(request).includes("user: Theirs.") && output === undefined
          ? calls(["read_result", { of, from: 10 }])
          : "Fine.";
      },
    ],
    { window: 4000 },
  );
  const agent = stage.agent(model, { tools: [report] });
  await agent.runTurn({ input: "Mine.", user: "eva" });
  expect(of).not.toBe("");
  for (const asked of [{ user: "bo" }, { user: "eva", session: "new" }]) {
    await agent.runTurn({ input: "Theirs.", ...asked });
    const request = model.requests.at(-1) as ModelRequest;
    expect(bytesOf(request)).not.toContain("heliotrope");
    expect(bytesOf(request)).toContain("There is no result");
  }
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
    expect(spoken(model.requests.at(-1) as ModelRequest)).toContain("user: The SLOW one.");
  }
});
