import { expect, test } from "vitest";
import { assemble, type Charter, fromText } from "../index.ts";
import { sha256 } from "../store/texts/packing.ts";
import type { Delivery } from "./deliver.ts";
import { deliver } from "./deliver.ts";
import { unstableSections } from "./fold.ts";
import { receiverOf } from "./receiver.ts";

const clockIn = (stability?: "state"): Charter => ({
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "safety", words: "Be safe." }] },
    {
      name: "now",
      mutability: "live",
      sections: [{ name: "clock", sources: [], ...(stability ? { stability } : {}) }],
    },
  ],
});

const receiver = receiverOf("openai/gpt-5");

/** A session of requests with these words of the clock, each in a turn of its own unless it is named. */
function session(charter: Charter, clocks: readonly string[], turnOf = (index: number) => `t${index}`): Delivery[] {
  const all: Delivery[] = [];
  for (const [index, clock] of clocks.entries()) {
    const last = all.at(-1);
    const past = last ? [...last.history, { role: "assistant" as const, text: "Yes.", calls: [] }] : [];
    all.push(
      deliver({
        charter,
        prompt: assemble(charter, { clock: fromText(clock) }),
        receiver,
        baseline: last?.baseline ?? null,
        past,
        sent: last?.history.length ?? 0,
        added: [{ role: "user", text: "Hello." }],
        turn: turnOf(index),
        secret: "secret",
        sha256,
      }),
    );
  }
  return all;
}
const toldIn = (all: readonly Delivery[]) => all.map(({ notices }) => notices.map(({ code }) => code));
const times = ["9:00", "9:01", "9:02", "9:03", "9:04", "9:05"];

test("a clock that counts as stable is told of once, with what it costs and what to do", () => {
  const all = session(clockIn(), times);
  expect(toldIn(all)).toEqual([[], [], [], ["section-unstable"], [], []]);
  expect(all[3]?.notices).toEqual([
    {
      code: "section-unstable",
      section: "clock",
      message:
        '“clock” counts as stable, and its text changed in 3 turns in a row. Each change is sent as an update that later requests carry along: about 190 tokens more in 20 turns, $0.000024. Declare it with stability: "state".',
    },
  ]);
  expect(all.map(({ baseline }) => unstableSections(baseline))).toEqual([[], [], [], ["clock"], ["clock"], ["clock"]]);
});

test("state, and words that change now and then or within a turn, are not told of", () => {
  expect(toldIn(session(clockIn("state"), times)).flat()).toEqual([]);
  expect(toldIn(session(clockIn(), ["9:00", "9:01", "9:02", "9:02", "9:03", "9:04"])).flat()).toEqual([]);
  expect(toldIn(session(clockIn(), times, () => "t1")).flat()).toEqual([]);
});

test("a loop that names no turns has one for each request", () => {
  expect(toldIn(session(clockIn(), times, () => ""))).toEqual([[], [], [], ["section-unstable"], [], []]);
});
