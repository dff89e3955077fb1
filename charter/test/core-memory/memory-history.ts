import fc from "fast-check";
import { isNewer, type NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { keep, type LightRelay, type Mood, moods } from "./light-relays.ts";
import type { Done, Said, World, Writing } from "./memory-world.ts";

type Act = { readonly by: 0 | 1; readonly write?: Writing };

/** One thing that happens. */
export type Step =
  | { readonly act: Act; readonly dieAfter?: number }
  | { readonly atOnce: readonly [Act, Act]; readonly ticks: readonly number[] }
  | { readonly outside: string; readonly to: readonly boolean[]; readonly ahead: number }
  | { readonly relay: number; readonly becomes: Mood }
  | { readonly relay: number; readonly loses: true }
  | { readonly restart: 0 | 1 }
  | { readonly clock: number }
  | { readonly freeze: boolean }
  | { readonly key: 0 | 1 };

const one = <Value>(...values: Value[]) => fc.constantFrom(...values);
const process: fc.Arbitrary<0 | 1> = one(0, 1);
const words = fc.oneof(
  { weight: 8, arbitrary: fc.nat(20).map((n) => `You are number ${n}.`) },
  { weight: 1, arbitrary: one("", " \n") },
);
const writing: fc.Arbitrary<Writing> = fc.record({
  kind: one("rewrite" as const, "rewrite" as const, "append" as const, "prepend" as const, "reset" as const),
  content: words,
  actor: one("agent" as const, "operator" as const),
});
const act: fc.Arbitrary<Act> = fc.oneof(fc.record({ by: process }), fc.record({ by: process, write: writing }));
const relay = fc.nat(3);
/** Those that matter while something is being written come more often. */
const mood: fc.Arbitrary<Mood> = fc.oneof(
  one("well" as const),
  one("contested" as const, "read-only" as const, "mute" as const, "forgetful" as const),
  one(...moods),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act }) },
  { weight: 2, arbitrary: fc.record({ act, dieAfter: fc.integer({ min: 1, max: 24 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ atOnce: fc.tuple(act, act), ticks: fc.array(fc.nat(6), { minLength: 3, maxLength: 8 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      outside: words,
      to: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      ahead: one(0, 0, 0, 1, 5, -3, -1000, 500, 700, 1e9),
    }),
  },
  { weight: 6, arbitrary: fc.record({ relay, becomes: mood }) },
  { weight: 1, arbitrary: fc.record({ relay, loses: fc.constant(true as const) }) },
  { weight: 2, arbitrary: fc.record({ restart: process }) },
  { weight: 1, arbitrary: fc.record({ clock: one(1, 5, 10, 60, 700, 4000, -5, -700) }) },
  { weight: 1, arbitrary: fc.record({ freeze: one(true, false, false) }) },
  { weight: 2, arbitrary: fc.record({ key: process }) },
);
export const memoryHistory = fc.record({
  relays: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(step, { minLength: 3, maxLength: 24 }),
});

/** What the store must know by now of each key, whatever its relays do. */
type Knowledge = {
  /** What was seen, or made and committed. */
  readonly known: Map<string, Said>;
  /** What was given to a process that died: it may have noted it, or not. */
  readonly maybe: Map<string, Said>;
  /** Something of the key's own was there that nobody could read; `perhaps`: whoever saw it died, and may have noted it. */
  unreadable: boolean | "perhaps";
};

/** Lives through a history; says what is not as it has to be. */
export async function faultsOf(world: World, steps: readonly Step[]): Promise<string[]> {
  const faults: string[] = [];
  const minds = new Map<string, Knowledge>();
  const mindOf = () => {
    const { agent } = world.key();
    const mind = minds.get(agent) ?? { known: new Map(), maybe: new Map(), unreadable: false };
    minds.set(agent, mind);
    return mind;
  };
  const expected = new Set<string>();
  let frozen = false;
  let revision = 0;
  for (const [index, happens] of steps.entries()) {
    const fault = (what: string) => faults.push(`step ${index}, ${JSON.stringify(happens)}: ${what}`);
    if ("clock" in happens) world.time.now += happens.clock;
    else if ("restart" in happens) world.processes[happens.restart].restart();
    else if ("key" in happens) world.useKey(happens.key);
    else if ("freeze" in happens) frozen = await setFrozen(world, happens.freeze);
    else if ("outside" in happens) writeOutside(world, happens);
    else if ("relay" in happens) change(world.relays[happens.relay % world.relays.length] as LightRelay, happens);
    else {
      const mind = mindOf();
      const before = new Map(mind.known);
      const acts = "act" in happens ? [happens.act] : happens.atOnce;
      if ("atOnce" in happens) Object.assign(world.pauses, pausesOf(happens.ticks));
      const all = await Promise.all(
        acts.map(({ by, write }) => {
          const dieAfter = "dieAfter" in happens ? happens.dieAfter : undefined;
          return write ? world.processes[by].write(write, dieAfter) : world.processes[by].turn(dieAfter);
        }),
      );
      Object.assign(world.pauses, noPauses);
      const died = all.some((done) => done.died);
      const earliest = newestIn(before.values());
      const { usable, unreadable } = world.takeGiven();
      for (const said of usable) (died ? mind.maybe : mind.known).set(said.event.id, said);
      await learnOwn(world, mind);
      const own = acts.length === 1;
      for (const [which, done] of all.entries()) {
        if (done.died) continue;
        for (const what of wrongReading(world, { done, before, mind, own: own && !acts[which]?.write, frozen }))
          fault(what);
        for (const what of wrongOutcome(world, done, own)) fault(what);
        if (done.reading.status === "present") for (const { text } of done.reading.parts) expected.add(text);
        if (done.outcome?.verdict === "accepted") expected.add(done.outcome.after);
      }
      if (own && !died && !frozen) {
        const head = newestIn(usable);
        if (head && (!earliest || isNewer(head.event, earliest.event)) && all[0]?.reading.status !== "unavailable")
          expected.add(head.text);
      }
      if (unreadable && newestIn(usable) === undefined) mind.unreadable = died ? mind.unreadable || "perhaps" : true;
      if (
        own &&
        !died &&
        all[0]?.reading.status !== "unavailable" &&
        world.relays.every(({ mood }) => mood === "well")
      ) {
        const waits = await world.store.publications.list({ agent: world.agent, state: "waiting" });
        const due = ({ nextTryAt }: { readonly nextTryAt: string | null }) =>
          nextTryAt === null || Date.parse(nextTryAt) <= world.time.now * 1000;
        if (waits.some((one) => one.address === world.key().address("core") && due(one)))
          fault("it waits, though it is due and all is well");
      }
    }
    const history = await world.store.history.listWhole({ agent: world.agent }, "core", { limit: 1000 });
    const texts = new Set(history.map(({ after }) => after));
    for (const text of expected) if (text.trim() !== "" && !texts.has(text)) fault(`lost from the history: ${text}`);
    const newest = Math.max(0, ...history.map((amendment) => amendment.revision));
    if (newest < revision || newest !== history.length)
      fault(`revision ${newest} after ${revision}, of ${history.length}`);
    revision = newest;
    for (const what of await strayEvents(world)) fault(what);
    if (faults.length > 0) return faults;
  }
  return faults;
}

/** Of a key's own publications, all that are in the store are known. */
async function learnOwn({ store, agent, key, said }: World, { known }: Knowledge): Promise<void> {
  for (const { id, address } of await store.publications.list({ agent, limit: 1000 }))
    if (address === key().address("core")) known.set(id, said.get(id) as Said);
}

type Read = {
  readonly done: Done;
  readonly before: ReadonlyMap<string, Said>;
  readonly mind: Knowledge;
  /** Nothing else happened, and nothing was written. */
  readonly own: boolean;
  readonly frozen: boolean;
};

function wrongReading(world: World, { done: { reading }, before, mind, own, frozen }: Read): string[] {
  const now = newestIn(mind.known.values());
  const could = [...mind.maybe.values()].filter(({ event }) => !now || isNewer(event, now.event));
  const past = newestIn(before.values());
  const later = [...mind.known.values()].filter(({ event }) => !past || isNewer(event, past.event));
  // What another does at the same time, or the write itself, may have come before or after.
  const candidates = [...(own ? [now] : [past, now, ...later]), ...could].filter((one) => one !== undefined);
  const said = candidates.map(({ text }) => text);
  if (reading.status === "empty") {
    if (before.size === 0 && mind.unreadable !== true && (!own || now === undefined)) return [];
    return said.some((text) => text.trim() === "") ? [] : [`empty, though there is “${now?.text}”`];
  }
  if (reading.status === "present") {
    const text = reading.parts.map((part) => part.text).join("");
    if (frozen || reading.notices?.some(({ code }) => code === "core-memory-not-followed"))
      return [...mind.known.values(), ...mind.maybe.values()].some((one) => one.text === text)
        ? []
        : [`“${text}” is no text of this key`];
    return said.includes(text) ? [] : [`“${text}”, though it is ${said.map((one) => `“${one}”`).join(" or ")}`];
  }
  const isWell =
    own && !frozen && mind.maybe.size === 0 && !mind.unreadable && world.relays.every(({ mood }) => mood === "well");
  if (!isWell) return [];
  const seen = newestIn([...mind.known.values()].filter(({ event }) => wasSeen(world, event)));
  const isThere =
    seen === undefined || world.relays.some(({ kept }) => kept.get(world.key().agent)?.id === seen.event.id);
  return isThere ? [`unavailable though all is well: ${reading.reason}`] : [];
}

function wasSeen({ relays }: World, { id }: NostrEvent): boolean {
  return relays.some(({ took }) => took.some((event) => event.id === id));
}

function wrongOutcome(world: World, { reading, outcome, problem }: Done, own: boolean): string[] {
  if (problem) return problem.code === "clock-poisoned" ? [] : [`${problem.code}: ${problem.message}`];
  if (outcome?.verdict !== "accepted") return [];
  const faults: string[] = [];
  if (own && reading.status === "unavailable") faults.push("written over what could not be read");
  const { publication, after } = outcome;
  if (!publication) return own ? [...faults, "accepted, and nothing said of its publication"] : faults;
  if (!own) return faults;
  const event = world.said.get(publication.id);
  if (event?.text !== after) faults.push("its event says something else");
  const stands = world.relays.some(({ kept }) => kept.get(world.key().agent)?.id === publication.id);
  if (publication.state === "published" && !stands) faults.push("published, and no relay has it");
  if (publication.state === "superseded") {
    const { conflict } = publication;
    const theirs = world.said.get(conflict?.id ?? "")?.text;
    if (!conflict || conflict.ours !== after || conflict.theirs !== theirs)
      faults.push(`a conflict that does not show both: ${JSON.stringify(conflict)}`);
  }
  return faults;
}

/** Every event on a relay is another's, or that of one amendment. */
async function strayEvents({ store, agent, relays, said }: World): Promise<string[]> {
  const own = await store.publications.list({ agent, limit: 1000 });
  const faults = relays.flatMap(({ took }) =>
    took.filter(({ id }) => !said.has(id)).map(({ id }) => `${id} came from nowhere`),
  );
  const twice = own.filter(({ revision, address }, index) =>
    own.some((other, at) => at > index && other.revision === revision && other.address === address),
  );
  return [...faults, ...twice.map(({ revision }) => `two events for revision ${revision}`)];
}

function newestIn(all: Iterable<Said>): Said | undefined {
  let newest: Said | undefined;
  for (const said of all) if (!newest || isNewer(said.event, newest.event)) newest = said;
  return newest;
}

async function setFrozen({ store, agent }: World, frozen: boolean): Promise<boolean> {
  await (frozen ? store.agents.freeze(agent, "amendments") : store.agents.thaw(agent));
  return frozen;
}

function writeOutside(world: World, { outside, to, ahead }: Extract<Step, { outside: string }>): void {
  const author = world.key().agent;
  const targets = world.relays.filter((_, index) => to[index]);
  const head = Math.max(0, ...targets.map(({ kept }) => kept.get(author)?.created_at ?? 0));
  const event = world.outside(outside, Math.max(world.time.now + ahead, ahead < 0 ? 0 : head + 1));
  for (const target of targets) keep(target, event);
}

function change(target: LightRelay, what: { readonly becomes: Mood } | { readonly loses: true }): void {
  if ("becomes" in what) target.mood = what.becomes;
  else target.kept = new Map();
}

const noPauses: World["pauses"] = { next: async () => {}, known: async () => {}, sent: async () => {} };

function pausesOf(ticks: readonly number[]): World["pauses"] {
  return { next: inTicks(ticks), known: inTicks([...ticks].reverse()), sent: inTicks(ticks) };
}

function inTicks(ticks: readonly number[]): () => Promise<void> {
  let at = 0;
  return async () => {
    for (let left = ticks[at++ % ticks.length] as number; left > 0; left--) await new Promise(setImmediate);
  };
}
