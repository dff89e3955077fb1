import { expect, test } from "vitest";
import { house, revised, told } from "../../test/delivery/house.ts";
import {
  type Asking,
  anthropicLike,
  assistantSays,
  createTalk,
  openaiLike,
  receiptFor,
} from "../../test/delivery/talk.ts";
import type { Readings } from "../index.ts";
import { type CacheBreak, cacheBreak, type PriorRequest } from "./cache-break.ts";
import type { ToolOffer } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/** A session that asks again and again, and what broke between the last two of its requests. */
function session(receiver: Receiver = anthropicLike) {
  const talk = createTalk(house, receiver);
  let last: PriorRequest | null = null;
  return (minute: number, readings: Readings, asking: Asking = {}, about: Partial<PriorRequest> = {}) => {
    const at = new Date(Date.UTC(2026, 1, 18, 12, minute)).toISOString();
    const said = talk.ask(readings, { input: `At ${minute}.`, ...asking });
    talk.answer(assistantSays("Fine."));
    const now = { at, receipt: receiptFor(house, said, receiver), ...about };
    const found = cacheBreak(last, now, receiver);
    last = now;
    return inShort(found);
  };
}

/** The sections by name, from revision to revision; "-" where there is none. */
function inShort(found: CacheBreak | null) {
  if (!found || !("sections" in found)) return found;
  const revision = (one: { readonly revision: number | null } | null) => one?.revision ?? "-";
  return [found.what, ...found.sections.map((one) => `${one.name} ${revision(one.before)}→${revision(one.after)}`)];
}

const begun = { soul: 1, goals: 1, wishes: 1 };
const offers: ToolOffer[] = [{ name: "look", description: "Look.", input: {} }];

test("a session's first request opens it; one in which only state changed breaks nothing", () => {
  const ask = session();
  expect(ask(0, told())).toEqual({ what: "opened" });
  expect(ask(1, told({ clock: "It is one." }))).toBeNull();
  expect(ask(2, told({ clock: "It is two.", inbox: "A letter." }))).toBeNull();
});

test("a change that is told in the history breaks nothing, however often", () => {
  const ask = session();
  ask(0, revised({}, begun));
  expect(ask(1, revised({ wishes: "Be long." }, { ...begun, wishes: 2 }))).toBeNull();
  expect(ask(2, revised({ wishes: "Be long." }, { ...begun, wishes: 2 }))).toBeNull();
  expect(ask(3, revised({ wishes: "" }, { soul: 1, goals: 1 }))).toBeNull();
});

test("a cache keeps for so long, and is cold then whatever else changed", () => {
  const ask = session();
  ask(0, told());
  expect(ask(5, told())).toBeNull();
  expect(ask(11, told({ soul: "Be stern." }), { removed: ["soul"] })).toEqual({
    what: "cold",
    passedSeconds: 360,
    keptSeconds: 300,
  });
});

test("other tools stand before everything", () => {
  const ask = session();
  ask(0, told());
  expect(ask(1, told(), { offers })).toEqual({ what: "tools" });
  expect(ask(2, told(), { offers })).toBeNull();
});

test("words that must be gone break the prefix where they stood", () => {
  const ask = session();
  ask(0, revised({}, begun));
  const stern = revised({ soul: "Be stern." }, { ...begun, soul: 3 });
  expect(ask(1, stern, { removed: ["soul"] })).toEqual(["section", "soul 1→3"]);
  expect(ask(2, revised({ soul: "" }, { goals: 1, wishes: 1 }), { removed: ["soul"] })).toEqual([
    "section",
    "soul 3→-",
  ]);
  expect(ask(3, revised({ soul: "Be back." }, { ...begun, soul: 4 }), { removed: [] })).toBeNull();
});

test("what was waiting in the history moves along, and is not to blame", () => {
  const ask = session();
  ask(0, revised({}, begun));
  const longer = { ...begun, goals: 2 };
  expect(ask(1, revised({ goals: "Grow tall." }, longer))).toBeNull();
  const both = revised({ goals: "Grow tall.", wishes: "Be long." }, { ...longer, wishes: 2 });
  expect(ask(2, both, { removed: ["wishes"] })).toEqual(["section", "wishes 1→2"]);
});

test("where only what was waiting is in the prefix now, that is what broke it", () => {
  const ask = session();
  ask(0, revised({}, begun));
  const longer = revised({ goals: "Grow tall." }, { ...begun, goals: 2 });
  expect(ask(1, longer)).toBeNull();
  expect(ask(2, longer, { anew: "for a reason of its own" })).toEqual(["folded", "goals 1→2"]);
  expect(ask(3, revised({ goals: "" }, { soul: 1, wishes: 1 }))).toBeNull();
  expect(ask(4, revised({ goals: "" }, { soul: 1, wishes: 1 }), { anew: "again" })).toEqual(["folded", "goals 2→-"]);
});

test("a compacted history begins anew", () => {
  const ask = session();
  ask(0, told());
  ask(1, told(), {}, { summarised: true });
  expect(ask(2, told(), { anew: "the history was compacted" })).toEqual({ what: "compacted" });
});

test("a receiver without slots finds the clock in the middle of what could be cached", () => {
  const ask = session({ ...openaiLike, slots: "one-string" });
  ask(0, told());
  expect(ask(1, told())).toBeNull();
  expect(ask(2, told({ clock: "It is two." }))).toEqual(["section", "clock -→-"]);
});

test("where nothing is ever cached nothing breaks", () => {
  const ask = session({ ...openaiLike, cache: { kind: "none" } });
  expect(ask(0, told())).toBeNull();
  expect(ask(60, told({ soul: "Be stern." }), { removed: ["soul"], offers })).toBeNull();
});

test("what was too short to be kept is not broken", () => {
  const ask = session({ ...openaiLike, cache: { kind: "prefix", min: 1000, granularity: 1, ttlSeconds: 300 } });
  expect(ask(0, told())).toEqual({ what: "opened" });
  expect(ask(1, told({ soul: "Be stern.".repeat(200) }), { removed: ["soul"] })).toBeNull();
  expect(ask(9, told({ soul: "Be stern.".repeat(200) }))).toMatchObject({ what: "cold" });
});

test("a separator alone is to blame only where nothing else is", () => {
  const talk = createTalk(house, anthropicLike);
  const { slots, ...receipt } = receiptFor(house, talk.ask(told(), { input: "Hello." }), anthropicLike);
  const [system, ...others] = slots;
  const apart = system?.sections.map((one) => (one.name === "soul" ? { ...one, digest: "other" } : one));
  const before = { at: "2026-02-18T12:00:00.000Z", receipt: { ...receipt, slots } };
  const moved = { ...receipt, slots: [{ ...system, sections: apart }, ...others] } as typeof before.receipt;
  expect(inShort(cacheBreak(before, { ...before, receipt: moved }, anthropicLike))).toEqual(["section", "soul 0→0"]);
});
