import { once } from "node:events";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLogStream } from "./log.ts";

/** Fails with this code as long as it is told to, and stays open, as standard error does. */
function failing(code: string) {
  const written: string[] = [];
  const state = { fails: true };
  const stream = new Writable({
    // What Node does with standard error, so that it can be written to after an error.
    destroy(this: Writable & { _undestroy?: () => void }, error, done) {
      done(error);
      this._undestroy?.();
    },
    write: (chunk, _encoding, done) => {
      if (state.fails) return done(Object.assign(new Error(code), { code }));
      written.push(String(chunk));
      done();
    },
  });
  return { stream, state, written };
}

test.each(["ENOSPC", "EIO", "EPIPE"])(
  "a line that fails with %s is dropped and counted, and the next that can be is written",
  async (code) => {
    const { stream, state, written } = failing(code);
    const log = createLogStream(stream);
    const failed = once(stream, "error");
    log.write("one\n");
    expect(await failed).toMatchObject([{ code }]);
    expect(log.lost()).toBe(1);
    log.write("two\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.lost()).toBe(2);
    state.fails = false;
    log.write("three\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect([written, log.lost()]).toEqual([["three\n"], 2]);
  },
);
