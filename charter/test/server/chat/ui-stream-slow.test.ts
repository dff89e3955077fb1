import { expect, test } from "vitest";
import { createTurnSse, type TurnSseOptions } from "../../../src/server/turns/turn-stream.ts";
import type { UiChunk } from "../../../src/server/turns/ui-stream.ts";

const delta = (text: string): UiChunk => ({ type: "text-delta", id: "text-1", delta: text });

/** A stream with a clock that only goes when it is told to. */
function stage(more: TurnSseOptions = {}) {
  let tick = () => {};
  let timers = 0;
  const stream = createTurnSse({
    every: (_, work) => {
      timers++;
      tick = work;
      return () => {
        timers--;
        tick = () => {};
      };
    },
    ...more,
  });
  const reader = stream.body.getReader();
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? undefined : new TextDecoder().decode(value);
  };
  return { ...stream, reader, read, tick: () => tick(), timers: () => timers };
}

const lines = (...chunks: readonly (UiChunk | string)[]) =>
  chunks.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");

test("what is sent while nobody waits comes at once, words as one piece, and an end after it", async () => {
  const { send, end, read, timers } = stage();
  send({ type: "start-step" });
  for (const word of ["a", "b", "c"]) send(delta(word));
  send({ type: "text-end", id: "text-1" });
  expect(await read()).toBe(lines({ type: "start-step" }, delta("abc"), { type: "text-end", id: "text-1" }));
  send({ type: "finish-step" });
  end();
  expect(await read()).toBe(lines({ type: "finish-step" }, "[DONE]"));
  expect(await read()).toBeUndefined();
  expect(timers()).toBe(0);
});

test("a reader who waits gets each word as it comes", async () => {
  const { send, read } = stage();
  const first = read();
  send(delta("a"));
  expect(await first).toBe(lines(delta("a")));
  const second = read();
  send(delta("b"));
  expect(await second).toBe(lines(delta("b")));
});

test("a reader who falls too far behind is told so, and no more is kept for them", async () => {
  const { send, read } = stage({ maxWaiting: 1000 });
  for (let count = 0; count < 10_000; count++) send(delta("0123456789"));
  const last = await read();
  expect(last).toMatch(/^data: \{"type":"error","errorText":"You read more slowly/);
  expect(last).toMatch(/data: \[DONE\]\n\n$/);
  expect((last as string).length).toBeLessThan(400);
  expect(await read()).toBeUndefined();
});

test("silence is filled, so that no proxy takes the stream for dead", async () => {
  const { send, read, tick } = stage({ keepAliveMs: 10 });
  const first = read();
  await new Promise(setImmediate);
  tick();
  tick();
  expect(await first).toBe(": still here\n\n");
  const second = read();
  send(delta("a"));
  expect(await second).toBe(lines(delta("a")));
});

test("a reader who takes nothing for a minute is given up, also after the end", async () => {
  for (const ends of [true, false]) {
    const { send, end, read, tick, timers } = stage({ keepAliveMs: 15_000, timeoutMs: 60_000 });
    send(delta("a"));
    if (ends) end();
    for (let count = 0; count < 3; count++) tick();
    expect(timers()).toBe(1);
    tick();
    expect(timers()).toBe(0);
    await expect(read()).rejects.toThrow("Nobody reads this stream.");
  }
});

test("a reader who goes is sent nothing more", async () => {
  const { send, end, reader, timers } = stage();
  send(delta("a"));
  await reader.cancel();
  send(delta("b"));
  end();
  expect(timers()).toBe(0);
});
