import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { fixedLines, type Lines, pipedLines } from "./lines.ts";

const piped = (...pieces: (string | number[])[]) =>
  Readable.from(
    pieces.map((piece) => Buffer.from(piece as string)),
    { objectMode: false },
  );

async function all(lines: Lines): Promise<string[]> {
  const found: string[] = [];
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) found.push(line);
  lines.close();
  return found;
}

test("lines of a pipe, however they are cut into pieces; the last one needs no end", async () => {
  const lines = pipedLines(piped("one\r\ntw", "o\n\n", [0xe2, 0x80], [0xa6], " three"), new EventEmitter());
  expect(await all(lines)).toEqual(["one", "two", "", "… three"]);
});

test("bytes that are no UTF-8 are a Problem, also when the last character is cut off", async () => {
  for (const bytes of [
    [0x68, 0xff, 0x0a],
    [0xe2, 0x80],
  ])
    await expect(all(pipedLines(piped(bytes), new EventEmitter()))).rejects.toMatchObject({ code: "bad-encoding" });
});

test("words that are known beforehand", async () => {
  expect(await all(fixedLines(["hello"], new EventEmitter()))).toEqual(["hello"]);
});

test("Ctrl-C stops what goes on, and no more is read", async () => {
  const interrupts = new EventEmitter();
  const input = new Readable({ read: () => {} });
  const lines = pipedLines(input, interrupts);
  let stopped = false;
  lines.onInterrupt(() => {
    stopped = true;
  });
  const next = lines.next();
  interrupts.emit("SIGINT");
  expect([await next, await lines.next(), stopped]).toEqual([undefined, undefined, true]);
  lines.close();
  expect([input.destroyed, interrupts.listenerCount("SIGINT")]).toEqual([true, 0]);
});
