import { afterEach, expect, test } from "vitest";
import { type Bench, newBench } from "../../../test/agent/tool-bench.ts";
import { factsOf } from "../../charters/facts.ts";
import { sovereignFromFacts } from "../../charters/sovereign/sovereign.ts";
import { amendableLayers, fixedLayers } from "../../charters/sovereign/words.ts";

const inbox = [{ id: "m1", sender: "0xabc", body: "Hello" }];
const given = sovereignFromFacts(factsOf({ now: "2026-02-18T15:04:00.000Z", inbox }), () => new Date(0));

let bench: Bench;
afterEach(() => bench.close());

test("the prompt of the step, by section: who may change each, and its revision", async () => {
  bench = await newBench(given);
  await bench.propose({ section: "inbox", operation: { kind: "rewrite", content: "Be kind." } });
  const { call, context } = await bench.turn();
  const { sections, ...about } = (await call("read_prompt", {})).result as { sections: object[] };
  const characters = [...context.prompt.text].length;
  expect(about).toEqual({ charter: "sovereign", edition: "full", characters, omitted: [] });
  expect(sections).toHaveLength(11);
  expect([sections[0], sections[6], sections[7], sections[10]]).toEqual([
    { section: "interpretation", layer: "0", changedBy: "nobody", characters: expect.any(Number) },
    { section: "decisions", layer: "6", changedBy: "agent, operator", revision: 0, characters: expect.any(Number) },
    { section: "inbox", layer: "7", changedBy: "agent, operator", revision: 1, characters: 43 },
    {
      section: "now",
      layer: "10",
      changedBy: "nobody: it is generated per turn",
      characters: expect.any(Number),
    },
  ]);
});

test("one section whole, by its name or its layer's", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  const decisions = { section: "decisions", layer: "6", changedBy: "agent, operator", revision: 0 };
  for (const section of ["decisions", "6"])
    expect((await call("read_prompt", { section })).result).toEqual({
      ...decisions,
      text: `${amendableLayers[0]?.words}\n\nIn short:\n\n${amendableLayers[0]?.short}`,
    });
  expect((await call("read_prompt", { section: "constitution" })).result).toEqual({
    section: "constitution",
    layer: "1",
    changedBy: "nobody",
    text: `## Layer 1: ${fixedLayers({})[1]?.title}\n${fixedLayers({})[1]?.words}`,
  });
});

test("a section with others' words in it is foreign", async () => {
  bench = await newBench(given);
  const { call, context } = await bench.turn();
  const span = context.prompt.sections.at(-1);
  expect(await call("read_prompt", { section: "now" })).toEqual({
    result: {
      section: "now",
      layer: "10",
      changedBy: "nobody: it is generated per turn",
      text: context.prompt.text.slice(span?.start),
    },
    foreign: true,
  });
});

test("a section there is not comes back with those there are", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  expect(await call("read_prompt", { section: "soul" })).toEqual({
    result: expect.stringMatching(
      /^It could not be read: The charter “sovereign” has no section “soul”\. Its sections are “interpretation”, /,
    ),
    failed: true,
  });
});
