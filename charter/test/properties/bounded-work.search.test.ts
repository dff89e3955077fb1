import { expect, test } from "vitest";
import { some } from "../tiers/search.ts";
import { hostileUnits, loadFunction, textCalls } from "./bounded-work.ts";

/** So many characters, and four times as many: linear work takes four times as long, work by the square sixteen times. */
const length = 10_000;
const most = 8;
/** Milliseconds that tell nothing: less than this is fast enough at any rate. */
const fast = 15;

/** Milliseconds of processor time. A text may be refused, and what is caught has its time too. */
async function timed(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  try {
    await call();
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

for (const [key, given] of Object.entries(textCalls))
  test(`${key}: four times the text takes about four times as long`, async () => {
    const called = await loadFunction(key);
    const slow: string[] = [];
    for (const unit of some(hostileUnits, 8)) {
      const timeOf = (size: number) => {
        const text = `${unit.repeat(Math.ceil(size / unit.length))}x`;
        return timed(() => called(...given(text)));
      };
      const least = async (size: number) => {
        const times: number[] = [];
        for (let time = 0; time < 4; time++) times.push(await timeOf(size));
        return Math.min(...times);
      };
      if ((await timeOf(4 * length)) < fast) continue;
      // What grows by the square does so each time; a machine that others share is slow for a moment.
      let said: string | undefined;
      for (let time = 0; time < 3; time++) {
        const [one, four] = [await least(length), await least(4 * length)];
        said = `${JSON.stringify(unit)}: ${one} ms, then ${four} ms`;
        if (four < fast || four <= most * Math.max(one, 1)) said = undefined;
        if (said === undefined) break;
      }
      if (said !== undefined) slow.push(said);
    }
    expect(slow).toEqual([]);
  });
