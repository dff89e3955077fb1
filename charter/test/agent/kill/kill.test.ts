import { expect, test } from "vitest";
import type { Turn } from "../../../src/store/index.ts";
import { homes, newPlace, type PlaceName, whole } from "../../homes.ts";
import { callsOf, replyTo } from "./kill-agent.ts";
import { findTurnFaults } from "./kill-check.ts";
import { diesAt } from "./kill-phase.ts";
import type { Death } from "./kill-turns.ts";

type Row = [
  when: string,
  die: Death | undefined,
  found: { state: string; recorded: string; happened: string; amended: boolean },
];

const at = (moment: string, count = 1): Death => ({ moment, count });
const nothing = { state: "interrupted", recorded: "", happened: "", amended: false };
const intended = { ...nothing, recorded: "write? amend?" };
const wrote = { ...intended, happened: "write" };
const known = { ...wrote, recorded: "write amend?" };
const halfway = { state: "interrupted", recorded: "write amend", happened: "write amend", amended: true };
const all = { ...halfway, recorded: "write amend again", happened: "write amend again" };

const rows: readonly Row[] = [
  ["never", undefined, { ...all, state: "answered" }],
  ["before it reads anything", at("turn-start"), nothing],
  ["before its model is asked", at("step-start"), nothing],
  ["while its model speaks", at("draft", 2), nothing],
  ["when its model has answered", at("came"), nothing],
  ["while the intents are written", at("commit came"), nothing],
  ["before its tool runs", at("tool-call"), intended],
  ["inside its tool", at("tool"), intended],
  ["when its tool took effect", at("effect"), wrote],
  ["while the result is written", at("commit came", 2), wrote],
  ["when the result is known", at("tool-result"), known],
  ["while its amendment is written", at("commit propose"), known],
  ["when its amendment is made", at("amended"), { ...known, amended: true }],
  ["between two steps", at("tool-result", 2), halfway],
  ["before its answer is kept", at("close"), all],
  ["while its answer is written", at("commit close"), all],
  ["when its answer is kept", at("committed close"), { ...all, state: "answered" }],
];
/** One of each kind: it dies over a tool, it dies over what it writes. */
const short: Readonly<Record<PlaceName, readonly string[]>> = {
  sqlite: ["when its tool took effect"],
  postgres: ["while its amendment is written"],
};

const dies = async (home: PlaceName, die: Death | undefined, input?: string) => {
  const place = await newPlace(home);
  try {
    return await diesAt(place, die, input);
  } finally {
    await place.remove();
  }
};

for (const [when, die, found] of rows)
  for (const home of homes.filter((home) => whole || short[home].includes(when)))
    test.concurrent(`a process that dies ${when}, on ${home}: whole or interrupted, nothing lost or doubled`, async () => {
      expect(await dies(home, die)).toEqual({ died: die !== undefined, ...found, faults: [] });
    });

const pages = (count: number) => Array.from({ length: count }, (_, page) => `page${page + 1}`).join(" ");
const read = (recorded: string, happened = recorded) => ({ state: "interrupted", recorded, happened, amended: false });

/** The moments of a turn that has to be summed up while it runs, and of learning what the model takes. */
const longRows: readonly Row[] = [
  ["never", undefined, { ...read(pages(8)), state: "answered" }],
  ["before the prefix is folded", at("baseline"), nothing],
  ["while the folded prefix is written", at("commit baseline"), nothing],
  ["when the folded prefix is written", at("committed baseline"), nothing],
  ["when its request was refused as too long", at("refused"), read(pages(4))],
  ["before the window is kept", at("learn"), read(pages(4))],
  ["while the window is written", at("commit learn"), read(pages(4))],
  ["when the window is kept", at("committed learn"), read(pages(4))],
  ["while its summary is asked for", at("summary-asked"), read(pages(4))],
  ["when its summary has come", at("summary-came"), read(pages(4))],
  ["when it was summed up", at("compacted"), read(pages(4))],
  ["before the step that begins with a summary is kept", at("baseline", 2), read(pages(4))],
  ["while the step that begins with a summary is written", at("commit baseline", 2), read(pages(4))],
  ["when the step that begins with a summary is kept", at("committed baseline", 2), read(pages(4))],
  ["while it is summed up again", at("summary-asked", 2), read(pages(7))],
  ["before its second summary is kept", at("baseline", 3), read(pages(7))],
  ["when its second summary is kept", at("committed baseline", 3), read(pages(7))],
  ["when a page was read after a summary", at("tool-result", 6), read(pages(6))],
];
const shortLong: Readonly<Record<PlaceName, readonly string[]>> = {
  sqlite: ["when the step that begins with a summary is kept"],
  postgres: ["before the window is kept"],
};

for (const [when, die, found] of longRows)
  for (const home of homes.filter((home) => whole || shortLong[home].includes(when)))
    test.concurrent(`a process that reads more than its model takes and dies ${when}, on ${home}: all is told once, in a request that is valid`, async () => {
      expect(await dies(home, die, "read")).toEqual({ died: die !== undefined, ...found, faults: [] });
    });

test
  .runIf(whole)
  .concurrent("foreign words a turn had read when its process died taint the turns after it", async () => {
    const found = { died: true, state: "interrupted", recorded: "look", happened: "look", amended: false, faults: [] };
    expect(await dies("sqlite", at("tool-result"), "look around")).toEqual(found);
  });

test("what would be lost or doubled is noticed", () => {
  const turn = { id: "t", input: "it", state: "answered", reply: replyTo("it") } as Turn;
  const ids = callsOf("it").flat();
  const calls = ids.map((id) => ({ id, name: "write_down", input: "{}" }));
  const results = new Map(ids.map((call) => [call, { call, name: "write_down", output: "Written." }]));
  const effects = ids.map((call) => ({ did: "wrote" as const, turn: "t", call }));
  const whole = { turn, calls, results };
  const without = <Value>(list: readonly Value[]) => list.slice(0, -1);
  const faults = [
    findTurnFaults(whole, effects),
    findTurnFaults(whole, [...effects, ...effects.slice(0, 1)]),
    findTurnFaults(whole, without(effects)),
    findTurnFaults({ ...whole, turn: { ...turn, state: "interrupted" }, calls: without(calls) }, effects),
    findTurnFaults({ ...whole, results: new Map(without([...results])) }, effects),
    findTurnFaults({ ...whole, turn: { ...turn, reply: "All of it" } }, effects),
    findTurnFaults({ ...whole, turn: { ...turn, state: "running" } }, effects),
  ];
  expect(faults).toEqual([
    [],
    ["the effect of it/write happened 2 times: t (answered)"],
    ["it/again has a result and no effect: t (answered)"],
    ["it/again had an effect and no intent: t (interrupted)"],
    ["a call of it has no result: t (answered)"],
    ["its reply is “All of it”: t (answered)"],
    ["nobody works on it, and it counts as running: t (running)"],
  ]);
});
