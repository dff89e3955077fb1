import type { Page } from "playwright-core";

/** What held the page up for more than 50 ms: by the clock, and by what its own thread had to do, in milliseconds. */
export type HeldUp = {
  readonly byClock: readonly number[];
  readonly byWork: readonly number[];
  readonly longest: number;
};

/** Where on the limit's range, from 0 to 1, it is drawn from and to. */
export type Way = readonly [from: number, to: number];

/** Over the whole range: to one end, to the other, and to a place between. */
export const everywhere: readonly Way[] = [
  [1, 0],
  [0, 1],
  [1, 0.4],
];

/** Draws the limit of the Prompt page these ways, in so many moves each. */
export async function drawLimit(page: Page, ways: readonly Way[], moves: number): Promise<void> {
  const thumb = page.getByRole("slider", { name: "Limit in tokens" });
  await page.getByRole("button", { name: "Try a smaller limit" }).focus();
  const slider = page.locator("[data-orientation=vertical]").filter({ has: thumb }).first();
  await thumb.waitFor();
  const [box, from] = await atRest(page, async () => [await slider.boundingBox(), await thumb.boundingBox()]);
  if (!box || !from) throw new Error("There is no slider to draw.");
  const x = box.x + box.width / 2;
  const at = (share: number) => box.y + 2 + (box.height - 4) * share;
  await page.mouse.move(x, from.y + from.height / 2);
  await page.mouse.down();
  for (const [start, end] of ways)
    for (let move = 1; move <= moves; move++) {
      await page.mouse.move(x, at(start + ((end - start) * move) / moves));
      await page.evaluate("new Promise(requestAnimationFrame)");
    }
  await page.mouse.up();
  await page.waitForURL(/[?&]tokens=\d+/);
}

/** Where things are once nothing moves them any more: a page that still comes in pushes them about. */
async function atRest<Place>(page: Page, look: () => Promise<Place>): Promise<Place> {
  for (let before = await look(); ; ) {
    await page.evaluate("new Promise((done) => requestIdleCallback(done))");
    const now = await look();
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
}

/** What held the page up while its limit was drawn everywhere. Of a browser in which nothing else happens. */
export async function measureLimit(page: Page, moves: number): Promise<HeldUp> {
  const browser = page.context().browser();
  if (!browser) throw new Error("There is no browser to measure.");
  await browser.startTracing(page, { categories: ["toplevel"] });
  await drawLimit(page, everywhere, moves);
  await page.evaluate("new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))");
  return heldUp(JSON.parse((await browser.stopTracing()).toString()) as Trace);
}

/** `dur` is how long it took by the clock, `tdur` how long its thread worked on it, both in microseconds. */
type Traced = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};
type Trace = { readonly traceEvents: readonly Traced[] };

function heldUp({ traceEvents }: Trace): HeldUp {
  const thread = ({ pid, tid }: Traced) => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(thread),
  );
  const tasks = traceEvents.filter((one) => one.ph === "X" && one.name.endsWith("RunTask") && pages.has(thread(one)));
  const over = (all: readonly number[]) => all.filter((milliseconds) => milliseconds > 50);
  const work = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return {
    byClock: over(tasks.map(({ dur = 0 }) => dur / 1000)),
    byWork: over(work),
    longest: Math.max(0, ...work),
  };
}
