import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { memoryStore } from "../../src/testing/scripted-model.ts";
import { keep, type LightRelay } from "./light-relays.ts";
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

/** Its relay has answered; its change is on record, and the relay is asked for the second time; it is about to follow. */
const answered = ["next", 2] as const;
const onRecord = ["next", 3] as const;
const following = ["known", 2] as const;

/** Lets `first` come to a pause, that one of them; then all of `second`; then the rest of `first`. */
async function during(
  { pauses }: World,
  [which, at]: readonly [which: keyof World["pauses"], at: number],
  first: () => Promise<Done>,
  second: () => Promise<Done>,
): Promise<[Done, Done]> {
  let go: (() => void) | undefined;
  const paused = new Promise<void>((reached) => {
    let calls = 0;
    pauses[which] = () => {
      calls += 1;
      if (calls < at) return Promise.resolve();
      pauses[which] = async () => {};
      reached();
      return new Promise<void>((resume) => {
        go = resume;
      });
    };
  });
  const begun = first();
  await paused;
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
    answered,
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
    answered,
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
    onRecord,
    () => one.write(rewrite("One.")),
    () => two.write(rewrite("Two.")),
  );
  const told = [first, second].map(({ outcome }) => outcome?.publication);
  expect(told).toMatchObject([{ state: "published" }, { state: "published" }]);
  expect(here.relays[0]?.took.map(({ id }) => id)).toEqual(told.map((publication) => publication?.id));
});

/** The second of two relays has been given an event, and has not said yet that it refuses it. */
const unanswered = ["sent", 2] as const;
const refusal = "blocked: nobody writes here";
const kept = async ({ agent }: World) => {
  const [{ state, taken, missed } = {}] = await store.publications.list({ agent });
  return { state, taken, missed };
};

test("why a relay refused an event is on record, told to another who saw it stand before the sender was told", async () => {
  const here = await world(2);
  const [one, two] = here.processes;
  const [takes, refuses] = here.relays as [LightRelay, LightRelay];
  refuses.mood = "read-only";
  const told = { state: "published", taken: [takes.url], missed: [{ place: refuses.url, reason: refusal }] };
  const [{ outcome }] = await during(
    here,
    unanswered,
    () => one.write(rewrite("One.")),
    async () => {
      const done = await two.turn();
      expect(await kept(here)).toEqual(told);
      return done;
    },
  );
  expect(await kept(here)).toEqual(told);
  expect(outcome?.publication).toMatchObject(told);
});

test("a writer whose event another has sent gives it to the relays that lack it, and says what they say", async () => {
  const here = await world(2);
  const [one, two] = here.processes;
  const [takes, refuses] = here.relays as [LightRelay, LightRelay];
  refuses.mood = "read-only";
  const [{ outcome }] = await during(
    here,
    ["next", 5],
    () => one.write(rewrite("One.")),
    async () => {
      for (const { event } of here.said.values()) keep(takes, event);
      const done = await two.turn();
      expect((await kept(here)).missed).toEqual([{ place: refuses.url, reason: refusal }]);
      return done;
    },
  );
  const told = { state: "published", taken: [takes.url], missed: [{ place: refuses.url, reason: refusal }] };
  expect([await kept(here), outcome?.publication]).toMatchObject([told, told]);
});

test("what was written elsewhere is not put over what another process wrote after it", async () => {
  const here = await world();
  const [one, two] = here.processes;
  await one.write(rewrite("One."));
  keep(here.relays[0] as LightRelay, here.outside("Two.", time.now + 5));
  const [read] = await during(
    here,
    following,
    () => two.turn(),
    () => one.write(rewrite("Three.")),
  );
  const history = await store.history.listWhole({ agent: here.agent }, "core");
  expect([textOf(read), history.map(({ after }) => after)]).toEqual(["Three.", ["Three.", "Two.", "One."]]);
});

test("a relay that refuses an event for a newer one is looked at again: the conflict is told at once, with both texts", async () => {
  const here = await world();
  const [one] = here.processes;
  (here.relays[0] as LightRelay).mood = "outdone";
  const { outcome } = await one.write(rewrite("One."));
  const [theirs] = here.relays[0]?.took ?? [];
  const rival = here.said.get(theirs?.id ?? "")?.text;
  expect(outcome?.publication).toMatchObject({
    state: "superseded",
    taken: [],
    missed: [{ reason: "replaced: have newer event" }],
    conflict: { ours: "One.", theirs: rival, id: theirs?.id },
  });
  expect(textOf(await one.turn())).toBe(rival);
});

test("histories that once went wrong", async () => {
  const write = { by: 0 as const, write: rewrite("You are number 0.") };
  const histories = [
    // A process died before it sent its event; the next one sent it, met another's, and showed its own.
    [{ act: write, dieAfter: 5 }, { relay: 0, becomes: "outdone" as const }, { act: { by: 0 as const } }],
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
  for (const steps of histories)
    for (const relays of [1, 2]) expect(await faultsOf(await world(relays), steps)).toEqual([]);
});
