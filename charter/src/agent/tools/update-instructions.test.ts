import { afterEach, expect, test } from "vitest";
import { type Bench, newBench } from "../../../test/agent/tool-bench.ts";
import { assistantFromFacts } from "../../charters/assistant/assistant.ts";
import { factsOf } from "../../charters/facts.ts";
import type { Proposal } from "../../index.ts";

const given = assistantFromFacts(factsOf({ now: "2026-02-18T15:04:00.000Z" }), () => new Date(0));
const rewrite = (content: string): Pick<Proposal, "section" | "operation" | "actor"> => ({
  section: "instructions",
  operation: { kind: "rewrite", content },
  actor: "user",
});

let bench: Bench;
afterEach(() => bench.close());

test("the first instructions, in words of the user's own", async () => {
  bench = await newBench(given, { user: "bo" });
  const { call } = await bench.turn();
  expect(await call("update_instructions", { instructions: "Always answer in French." })).toEqual({
    result: {
      verdict: "accepted",
      section: "instructions",
      says: "“instructions” is at revision 1 now.",
      refusals: [],
      revision: 1,
      diff: "--- instructions (before)\n+++ instructions (after)\n@@ -0,0 +1,1 @@\n+Always answer in French.\n",
    },
  });
  expect((await bench.turn()).context.prompt.text).toContain("## User Instructions\nAlways answer in French.\n");
});

test("a rewrite says which lines it dropped", async () => {
  bench = await newBench(given, { user: "bo" });
  await bench.propose(rewrite("Always answer in French.\n\nNever call me Bob.\nBe brief."));
  const { call } = await bench.turn();
  const { result } = await call("update_instructions", { instructions: "Be brief.\nAlways answer in Greek." });
  expect(result).toMatchObject({
    verdict: "accepted",
    revision: 2,
    dropped: ["Always answer in French.", "Never call me Bob."],
  });
});

test("the empty text clears them, and they can be set again", async () => {
  bench = await newBench(given, { user: "bo" });
  await bench.propose(rewrite("Be brief."));
  const first = await bench.turn();
  expect((await first.call("update_instructions", { instructions: " \n" })).result).toMatchObject({
    verdict: "accepted",
    revision: 2,
    dropped: ["Be brief."],
  });
  expect(await bench.standing("instructions")).toBe("");
  const next = await bench.turn();
  expect(next.context.prompt.text).toContain("## User Instructions\n(No custom instructions set.)\n");
  expect((await next.call("update_instructions", { instructions: "Be kind." })).result).toMatchObject({
    verdict: "accepted",
    revision: 3,
  });
});

test("words set by another hand where the prompt showed none are stale, not lost", async () => {
  bench = await newBench(given, { user: "bo" });
  const { call } = await bench.turn();
  await bench.propose(rewrite("Be brief."));
  const { result, failed } = await call("update_instructions", { instructions: "Be kind." });
  expect([failed, result]).toEqual([
    true,
    expect.objectContaining({
      refusals: [
        {
          guard: "stale-revision",
          because: "“instructions” is at revision 1; the proposal was made against 0. Read it again.",
        },
      ],
    }),
  ]);
  expect(await bench.standing("instructions")).toBe("Be brief.");
});

const long = Array.from({ length: 120 }, (_, index) => `- Rule ${index}: be good, and then be better.`).join("\n");

test("a text longer than the prompt shows is said to be, and nothing of it goes unnoticed", async () => {
  bench = await newBench(given, { user: "bo" });
  await bench.propose(rewrite(long));
  const { call, context } = await bench.turn();
  expect(context.prompt.text).toContain("Only the first 2000 characters are shown");
  const { result } = await call("update_instructions", { instructions: "Be brief." });
  expect(result).toMatchObject({
    verdict: "accepted",
    dropped: long.split("\n"),
    shown: `Your prompt showed 2000 of the ${long.length} characters that stood before. What you left out of them is in dropped, whether or not you had seen it.`,
  });
});

test("a long diff is told in part, and says so", async () => {
  bench = await newBench(given, { user: "bo" });
  await bench.propose(rewrite(`${long}\n${long}\n${long}`));
  const { call } = await bench.turn();
  const { diff } = (await call("update_instructions", { instructions: "" })).result as { diff: string };
  expect(diff.length).toBeLessThan(6100);
  expect(diff.split("\n").slice(-3)).toEqual([
    expect.stringMatching(/^-- Rule/),
    expect.stringMatching(/^\(\d+ more lines\)$/),
    "",
  ]);
});

test("instructions there was no room for must be read before they are rewritten", async () => {
  bench = await newBench(given, { user: "bo", room: { chars: 2400 } });
  await bench.propose(rewrite(`${"Be brief. ".repeat(150)}`));
  const { call, context } = await bench.turn();
  expect(context.prompt.text).toContain("there was no room for them here");
  expect((await call("update_instructions", { instructions: "Be kind." })).result).toMatchObject({
    refusals: [{ guard: "stale-revision" }],
  });
  await call("read_memory", { query: "instructions" });
  expect((await call("update_instructions", { instructions: "Be kind." })).result).toMatchObject({
    verdict: "accepted",
    revision: 2,
  });
});

test("one user's instructions are not another's", async () => {
  bench = await newBench(given, { user: "bo" });
  const { call } = await bench.turn();
  await call("update_instructions", { instructions: "Be brief." });
  expect(await bench.store.standings.read(given.charter, { agent: "ada", user: "cy" })).toEqual({});
});
