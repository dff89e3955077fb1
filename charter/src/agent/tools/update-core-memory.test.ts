import { afterEach, expect, test } from "vitest";
import { type Bench, newBench } from "../../../test/agent/tool-bench.ts";
import { declaredTurnOf } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import { resident } from "../../charters/resident/resident.ts";
import { fromText, type PublicationOutcome, unavailable } from "../../index.ts";
import type { CoreMemory } from "../../sources/index.ts";

/** A core memory whose one relay takes everything: what it says comes from the store, as after a change in a turn. */
function memoryOf(isAway = () => false): CoreMemory {
  const published: PublicationOutcome = { id: "e", state: "published", taken: ["wss://one"], missed: [] };
  let made = 0;
  return {
    source: ({ standing: { core } }) =>
      isAway()
        ? unavailable("wss://one was late")
        : core && "text" in core
          ? fromText(core.text, { revision: core.revision })
          : fromText(""),
    publisher: async () => ({
      address: "a",
      make: () => ({ id: `e${++made}`, createdAt: made, body: "{}" }),
      send: async () => published,
    }),
  } as Partial<CoreMemory> as CoreMemory;
}

const given = (memory = memoryOf()) =>
  declaredTurnOf(
    resident({ base: "Be kind.", core: memory }),
    factsOf({ now: "2026-02-18T15:04:00Z" }),
    () => new Date(0),
  );

let bench: Bench;
afterEach(() => bench.close());

test("what is added is in the next prompt, and the answer says which relays have it", async () => {
  bench = await newBench(given());
  const { call } = await bench.turn();
  const content = "You are Eva.";
  expect(await call("update_core_memory", { operation: "append", content, reason: "I was told so" })).toEqual({
    result: {
      verdict: "accepted",
      section: "core",
      says: "“core” is at revision 1 now.",
      refusals: [],
      revision: 1,
      diff: "--- core (before)\n+++ core (after)\n@@ -0,0 +1,1 @@\n+You are Eva.\n",
      publication: { id: "e", state: "published", taken: ["wss://one"], missed: [] },
    },
  });
  expect((await bench.turn()).context.prompt.text).toBe("Be kind.\n\nYou are Eva.");
});

test("a rewrite says which lines it dropped; one without words clears it", async () => {
  bench = await newBench(given());
  const first = await bench.turn();
  await first.call("update_core_memory", { operation: "append", content: "You are Eva.\nYou like tea." });
  const next = await bench.turn();
  expect(
    (await next.call("update_core_memory", { operation: "rewrite", content: "You are Eva." })).result,
  ).toMatchObject({
    verdict: "accepted",
    dropped: ["You like tea."],
  });
  const last = await bench.turn();
  expect((await last.call("update_core_memory", { operation: "rewrite", content: " \n" })).result).toMatchObject({
    verdict: "accepted",
    dropped: ["You are Eva."],
  });
  expect(await bench.standing("core")).toBe("");
});

test("nothing to add, or a memory that cannot be read: nothing is changed", async () => {
  let away = false;
  bench = await newBench(given(memoryOf(() => away)));
  const { call } = await bench.turn();
  expect(await call("update_core_memory", { operation: "append", content: " " })).toEqual({
    failed: true,
    result: "There is nothing to add: content is empty. Nothing was changed.",
  });
  away = true;
  const next = await bench.turn();
  expect((await next.call("update_core_memory", { operation: "append", content: "x" })).result).toMatchObject({
    verdict: "refused",
    refusals: [
      {
        guard: "core-unavailable",
        because: "The core memory cannot be changed now: it could not be read: wss://one was late. Try again later.",
      },
    ],
  });
});
