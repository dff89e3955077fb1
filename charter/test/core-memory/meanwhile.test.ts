import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";
import { faultsOf } from "./memory-history.ts";
import { type Done, newWorld, type World } from "./memory-world.ts";

/** What one process does while another is at it; and histories that once went wrong. */

const time = { now: 0 };
let store: Store;
let agents = 0;
beforeAll(async () => {
  store = await memoryStore({ clock: () => new Date(time.now * 1000) });
});
afterAll(() => store.close());

const world = (relays = 1) => newWorld({ store, agent: `ada-${++agents}`, relays, time });
const rewrite = (content: string) => ({ kind: "rewrite" as const, content, actor: "agent" as const });
const textOf = ({ reading }: Done) =>
  reading.status === "present" ? reading.parts.map(({ text }) => text).join("") : reading.status;

/**
 * Lets `first` come so far that its relay has answered, or is asked for the second time (`at`: 3), when its change is on
 * record; then all of `second`; then the rest of `first`.
 */
async function during(
  { pauses }: World,
  first: () => Promise<Done>,
  second: () => Promise<Done>,
  at = 2,
): Promise<[Done, Done]> {
  let go: (() => void) | undefined;
  const answered = new Promise<void>((reached) => {
    let calls = 0;
    pauses.next = () => {
      calls += 1;
      if (calls < at) return Promise.resolve();
      pauses.next = async () => {};
      reached();
      return new Promise<void>((resume) => {
        go = resume;
      });
    };
  });
  const begun = first();
  await answered;
  const done = await second();
  go?.();
  return [await begun, done];
}

test("a turn whose relays answered just before another process published has the new words, and no outage", async () => {
  const here = await world();
  const [one, two] = here.processes;
  await one.write(rewrite("One."));
  await two.turn();
  const [read] = await during(
    here,
    () => two.turn(),
    () => one.write(rewrite("Two.")),
  );
  expect([textOf(read), read.reading.notices]).toEqual(["Two.", undefined]);
});

test("a turn that asked before the first words were published is no newcomer's", async () => {
  const here = await world();
  const [one, two] = here.processes;
  const [read] = await during(
    here,
    () => two.turn(),
    () => one.write(rewrite("One.")),
  );
  expect(textOf(read)).toBe("One.");
});

test("what one has on record and another sends for it is said to be published, once and by its id", async () => {
  const here = await world();
  const [one, two] = here.processes;
  const [first, second] = await during(
    here,
    () => one.write(rewrite("One.")),
    () => two.write(rewrite("Two.")),
    3,
  );
  const told = [first, second].map(({ outcome }) => outcome?.publication);
  expect(told).toMatchObject([{ state: "published" }, { state: "published" }]);
  expect(here.relays[0]?.took.map(({ id }) => id)).toEqual(told.map((publication) => publication?.id));
});

test("histories that once went wrong", async () => {
  const write = { by: 0 as const, write: rewrite("You are number 0.") };
  const histories = [
    // A process died before it sent its event; the next one sent it, met another's, and showed its own.
    [{ act: write, dieAfter: 3 }, { relay: 0, becomes: "contested" as const }, { act: { by: 0 as const } }],
    // What waited with one key was shown as the other's, and thrown away by the other's first change.
    [
      { relay: 0, becomes: "read-only" as const },
      { act: write },
      { key: 1 as const },
      { act: { by: 0 as const } },
      { relay: 0, becomes: "well" as const },
      { act: { by: 0 as const, write: rewrite("You are number 1.") } },
      { key: 0 as const },
      { act: { by: 1 as const } },
    ],
    // A frozen agent with other keys was shown the words of the first.
    [{ act: write }, { freeze: true }, { key: 1 as const }, { act: { by: 0 as const } }],
  ];
  for (const steps of histories) expect(await faultsOf(await world(), steps)).toEqual([]);
});
