import { expect, test } from "vitest";
import { progressOn } from "./columns.ts";

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 12, write: (text: string) => written.push(text) } };
}

test("on a terminal one line is rewritten, ten times a second at most, and taken away at the end", () => {
  const { written, stream } = terminal(true);
  let time = 0;
  const progress = progressOn(stream, () => time);
  for (const at of [0, 50, 100, 320]) {
    time = at;
    progress.say(`texts ${at} of 400`);
  }
  progress.end();
  progress.end();
  const clear = "\r\u001b[2K";
  expect(written).toEqual([`${clear}texts 0 of `, `${clear}texts 100 o`, `${clear}texts 320 o`, clear]);
});

test("a pipe gets nothing", () => {
  const { written, stream } = terminal(false);
  const progress = progressOn(stream);
  progress.say("texts 1 of 2");
  progress.end();
  expect(written).toEqual([]);
});
