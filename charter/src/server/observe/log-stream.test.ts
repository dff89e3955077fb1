import { once } from "node:events";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLogStream } from "./log-stream.ts";

/** Fails with this code as long as it is told to, and stays open, as standard error does. */
function failing(code: string) {
  const written: string[] = [];
  const state = { fails: true };
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk, _encoding, done) => {
      if (state.fails) return done(Object.assign(new Error(code), { code }));
      written.push(String(chunk));
      done();
    },
  });
  return { stream, state, written };
}

test.each(["ENOSPC", "EIO", "EPIPE"])(
  "a line that fails with %s is dropped and counted, and ends nothing",
  async (code) => {
    const { stream } = failing(code);
    const log = createLogStream(stream);
    const failed = once(stream, "error");
    log.write("one\n");
    await expect(failed).rejects.toMatchObject({ code });
    expect(log.lost()).toBe(1);
    log.write("two\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.lost()).toBe(2);
  },
);

test("lines that are written are not counted", async () => {
  const { stream, state, written } = failing("ENOSPC");
  state.fails = false;
  const log = createLogStream(stream);
  log.write("one\n");
  log.write("two\n");
  await new Promise((resolve) => setImmediate(resolve));
  expect([written, log.lost()]).toEqual([["one\n", "two\n"], 0]);
});
