import { expect, test } from "vitest";
import type { Caller } from "../../operations/caller.ts";
import { accessTimeoutMs, createAccessWatch } from "./access.ts";

const operator = (id: string): Caller => ({ kind: "operator", id, by: "token" });

/** A watch over a store that a test speaks for, with a clock and a beat of the test's own. */
function stage() {
  const time = { now: 1_000_000, stopwatch: 0 };
  const store = { holding: new Set<string>(), erased: new Set<string>(), away: false as boolean | "silent" };
  const asked: unknown[] = [];
  const beats = new Set<() => void>();
  const ended: string[] = [];
  const among = (what: string, known: ReadonlySet<string>) => async (ids: readonly string[]) => {
    asked.push([what, ids]);
    if (store.away === "silent") return new Promise<never>(() => {});
    if (store.away) throw new Error("away");
    return new Set(ids.filter((id) => known.has(id)));
  };
  const watch = createAccessWatch({
    store: {
      tokens: { findValid: among("tokens", store.holding) },
      turns: { findErased: among("turns", store.erased) },
    },
    now: () => time.now,
    stopwatch: () => time.stopwatch,
    every: (_ms, work) => {
      beats.add(work);
      return () => beats.delete(work);
    },
    onEnd: ({ id }, { code }) => ended.push(`${id}: ${code}`),
  });
  const look = async (afterMs: number) => {
    time.stopwatch += afterMs;
    for (const work of beats) work();
    await new Promise(setImmediate);
  };
  const beat = async (forMs = 250) => {
    for (let left = forMs; left > 0; left -= 250) await look(Math.min(left, 250));
  };
  const open = (caller: Caller) => {
    if (caller.by !== "jwt") store.holding.add(caller.id);
    return watch.open(caller);
  };
  return { time, store, asked, beats, ended, open, beat, look };
}

test("one question for all that is open, and none while nothing is", async () => {
  const { open, beat, asked, beats } = stage();
  expect(beats.size).toBe(0);
  const all = [open(operator("a")), open(operator("a")), open(operator("b"))];
  await beat();
  expect(asked.splice(0)).toEqual([
    ["tokens", ["a", "b"]],
    ["turns", []],
  ]);
  expect(all.map(({ ended }) => ended.aborted)).toEqual([false, false, false]);
  for (const access of all) access.close();
  await beat();
  expect([asked, beats.size]).toEqual([[], 0]);
  open(operator("c"));
  await beat();
  expect(asked[0]).toEqual(["tokens", ["c"]]);
});

test("whose token holds no longer is out, with all that is open, and nobody else is", async () => {
  const { open, beat, store, ended } = stage();
  const [one, same, other] = [open(operator("a")), open(operator("a")), open(operator("b"))];
  await beat();
  store.holding.delete("a");
  await beat();
  expect([one, same, other].map(({ ended: signal }) => signal.reason?.code)).toEqual([
    "wrong-token",
    "wrong-token",
    undefined,
  ]);
  await beat();
  expect(ended).toEqual(["a: wrong-token", "a: wrong-token"]);
});

test("a turn that is erased is told no further, whoever is told of it", async () => {
  const { open, beat, store, ended } = stage();
  const ada: Caller = { kind: "user", user: "ada", id: "jwt-1", by: "jwt", until: 2_000_000 };
  const [turn, none] = [open(ada), open(ada)];
  turn.follow("turn-1");
  await beat();
  expect(ended).toEqual([]);
  store.erased.add("turn-1");
  await beat();
  expect([turn.ended.reason.code, none.ended.aborted, ended]).toEqual(["erased", false, ["jwt-1: erased"]]);
});

test("a JSON Web Token is over when it says so, whatever the store knows", async () => {
  const { open, beat, time, store } = stage();
  store.away = true;
  const { ended } = open({ kind: "user", user: "ada", id: "jwt-1", by: "jwt", until: 1_000_500 });
  time.now = 1_000_499;
  await beat();
  expect(ended.aborted).toBe(false);
  time.now = 1_000_500;
  await beat();
  expect(ended.reason.code).toBe("wrong-token");
});

for (const away of [true, "silent"] as const)
  test(`a store that ${away === "silent" ? "says nothing" : "is away"} is waited for, but not for ever`, async () => {
    const { open, beat, store, asked } = stage();
    const { ended } = open(operator("a"));
    await beat();
    store.away = away;
    await beat(accessTimeoutMs);
    expect(ended.aborted).toBe(false);
    await beat(1);
    expect(ended.reason).toMatchObject({ code: "token-unchecked" });
    // Back again, it is asked again, and whoever comes now is not turned away for what was.
    store.away = false;
    const next = open(operator("b"));
    await beat(accessTimeoutMs);
    await beat();
    asked.length = 0;
    await beat();
    expect([asked[0], next.ended.aborted]).toEqual([["tokens", ["b"]], false]);
  });

test("a process that stood still for a minute holds that against nobody: the store was not asked", async () => {
  const { open, look, store, ended } = stage();
  open(operator("a"));
  store.away = "silent";
  await look(250);
  for (let round = 0; round < 9; round++) await look(60_000);
  expect(ended).toEqual([]);
  await look(60_000);
  await look(250);
  expect(ended).toEqual(["a: token-unchecked"]);
});

test("a store that comes back in time is no reason to end anything", async () => {
  const { open, beat, store } = stage();
  const { ended } = open(operator("a"));
  store.away = true;
  for (let round = 0; round < 30; round++) await beat();
  store.away = false;
  for (let round = 0; round < 30; round++) await beat();
  expect(ended.aborted).toBe(false);
});
