import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { scripted } from "../../../test/agent/model.ts";
import type { Fault, Model } from "../../delivery/model.ts";
import { sqlite } from "../../store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../store/store.ts";
import { withWindow } from "./seat.ts";
import { checkWindow, confirmWindow, createLearnedWindows, keptWindow, learnWindow, resolveWindow } from "./window.ts";

let store: Store;
let now = 0;
const clock = () => new Date(now);
const opened: Store[] = [];

beforeEach(async () => {
  now = Date.parse("2026-11-16T08:00:00Z");
  store = await createStore(sqlite(":memory:"), { now: clock });
  opened.push(store);
});
afterAll(async () => {
  for (const one of opened) await one.close();
});

const { signal } = new AbortController();
const day = 24 * 60 * 60 * 1000;

/** A model at an address, and what a turn knows of it: each call is another process. */
function working(options: { window?: number | null; set?: number; tells?: () => number | null } = {}) {
  const { window = null, set, tells } = options;
  let questions = 0;
  const model: Model = {
    ...scripted([], { window }),
    address: "http://127.0.0.1:8080/v1",
    ...(tells
      ? {
          askWindow: async () => {
            questions++;
            return tells();
          },
        }
      : {}),
  };
  return {
    model,
    windows: createLearnedWindows(store, clock),
    asked: { window: set },
    clock,
    questions: () => questions,
  };
}

const tooLong = (window?: number): Fault => ({
  code: "model-rejected",
  message: "Too long.",
  retry: false,
  tooLong: window === undefined ? {} : { window },
});

describe("the window of a turn", () => {
  test("what was set holds before everything", async () => {
    await learnWindow(working(), tooLong(4096), 9000);
    const deps = working({ window: 200_000, set: 30_000, tells: () => 8192 });
    expect([await resolveWindow(deps, signal), deps.questions()]).toEqual([{ window: 30_000, how: "set" }, 0]);
  });

  test("what is known of the model holds, and nobody is asked", async () => {
    const deps = working({ window: 200_000, tells: () => 8192 });
    expect([await resolveWindow(deps, signal), deps.questions()]).toEqual([{ window: 200_000, how: "known" }, 0]);
  });

  test("a known model that refuses less where it is served has what it said there", async () => {
    await learnWindow(working({ window: 1_048_576 }), tooLong(131_072), 140_000);
    expect(await resolveWindow(working({ window: 1_048_576 }), signal)).toEqual({ window: 131_072, how: "said" });
    expect(await resolveWindow(working({ window: 100_000 }), signal)).toEqual({ window: 100_000, how: "known" });
  });

  test("an unknown one is asked of the server, kept for every process, and asked again after a day", async () => {
    const first = working({ tells: () => 8192 });
    expect(await resolveWindow(first, signal)).toEqual({ window: 8192, how: "asked" });
    const second = working({ tells: () => 4096 });
    expect([await resolveWindow(second, signal), second.questions()]).toEqual([{ window: 8192, how: "asked" }, 0]);
    now += day + 1;
    expect([await resolveWindow(second, signal), second.questions()]).toEqual([{ window: 4096, how: "asked" }, 1]);
  });

  test("a server that is silent a day later leaves what it told", async () => {
    await resolveWindow(working({ tells: () => 8192 }), signal);
    now += day + 1;
    expect(await resolveWindow(working({ tells: () => null }), signal)).toEqual({ window: 8192, how: "asked" });
  });

  test("what nobody knows is unknown, and a silent server is asked once a minute", async () => {
    const deps = working({ tells: () => null });
    for (const ms of [0, 1000, 30_000]) {
      now += ms;
      expect(await resolveWindow(deps, signal)).toEqual({ window: null, how: "unknown" });
    }
    expect(deps.questions()).toBe(1);
    now += 60_000;
    await resolveWindow(deps, signal);
    expect(deps.questions()).toBe(2);
  });

  test("whoever only looks asks no server", async () => {
    const deps = working({ tells: () => 8192 });
    expect([await keptWindow(deps), deps.questions()]).toEqual([{ window: null, how: "unknown" }, 0]);
  });

  test("a receiver that keeps the conversation cares for its length itself", async () => {
    const deps = working();
    const model = { ...deps.model, receiver: { ...deps.model.receiver, keepsHistory: true as const } };
    await learnWindow(deps, tooLong(4096), 5000);
    expect(await resolveWindow({ ...deps, model }, signal)).toEqual({ window: null, how: "unknown" });
  });
});

describe("what a fault teaches", () => {
  test("the number it names; for this turn less than what was refused, however it counts", async () => {
    expect(await learnWindow(working(), tooLong(8192), 20_000)).toEqual({ window: 8192, how: "said" });
    expect(await learnWindow(working(), tooLong(8192), 8000)).toEqual({ window: 7200, how: "said" });
    expect(await resolveWindow(working(), signal)).toEqual({ window: 8192, how: "said" });
  });

  test("without a number, less than what was refused; again less with the next; more with an answer", async () => {
    const deps = working();
    expect(await learnWindow(deps, tooLong(), 10_000)).toEqual({ window: 9000, how: "guessed" });
    expect(await learnWindow(deps, tooLong(), 5000)).toEqual({ window: 4500, how: "guessed" });
    expect(await learnWindow(deps, tooLong(), 10_000)).toEqual({ window: 4500, how: "guessed" });
    for (const answered of [4000, null, 6000]) await confirmWindow(deps, answered);
    expect(await resolveWindow(deps, signal)).toEqual({ window: 6000, how: "guessed" });
    await learnWindow(deps, tooLong(8192), 9000);
    await confirmWindow(deps, 9000);
    expect(await resolveWindow(working(), signal)).toEqual({ window: 8192, how: "said" });
  });

  test("nothing, where it was no fault of length or the request was too short to be too long", async () => {
    const { tooLong: _not, ...other } = tooLong();
    expect(await learnWindow(working(), other, 9000)).toEqual({ window: null, how: "unknown" });
    expect(await learnWindow(working(), tooLong(), 900)).toEqual({ window: null, how: "unknown" });
    expect(await learnWindow(working(), tooLong(3), 900)).toEqual({ window: null, how: "unknown" });
    expect(await store.windows.get({ model: "test/one", address: "http://127.0.0.1:8080/v1" })).toBeUndefined();
  });
});

test("a window decides when the history is summed up, unless that was said", () => {
  const at = (said: number | undefined, window: number | null) => {
    const seat = { model: working().model, next: [], compactAt: 0 };
    const { compactAt, model } = withWindow(seat, { compactAt: said }, window);
    return [model.receiver.window, compactAt];
  };
  expect(at(undefined, 8000)).toEqual([8000, 4800]);
  expect(at(undefined, null)).toEqual([null, Number.POSITIVE_INFINITY]);
  expect(at(500, 8000)).toEqual([8000, 500]);
});

test("a model that is an object of a class answers with another window as well", async () => {
  class Own {
    readonly receiver = scripted().receiver;
    readonly answer = scripted(["Fine."]);
    ask(...asked: Parameters<Model["ask"]>) {
      return this.answer.ask(...asked);
    }
  }
  const { model } = withWindow({ model: new Own(), next: [], compactAt: 0 }, { compactAt: undefined }, 5000);
  const { answer } = await model.ask({ tools: [], system: [], messages: [{ role: "user", text: "Hi." }] }, { signal });
  expect([model.receiver.window, answer?.text]).toEqual([5000, "Fine."]);
});

test("what is set is a whole number from 1,000 up", () => {
  for (const fine of [undefined, 1000, 2_000_000]) expect(() => checkWindow(fine)).not.toThrow();
  for (const bad of [999, 8192.5, "8192", null, Number.NaN])
    expect(() => checkWindow(bad)).toThrow(expect.objectContaining({ code: "bad-window" }));
});
