import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createAgent,
  readMemory,
  saveMemory,
  type Tool,
  type TurnInput,
  type TurnOutcome,
} from "../../src/agent/index.ts";
import type { ModelRequest } from "../../src/delivery/index.ts";
import { createHost } from "../../src/host/index.ts";
import type { Charter, Reading, Readings, Section, Source } from "../../src/index.ts";
import { createStore } from "../../src/store/index.ts";
import { bytesOf, calls, scripted } from "../agent/model.ts";
import { plainLoop } from "../agent/own-loop/plain-loop.ts";
import { amends, tool } from "../agent/stage.ts";
import { newFile } from "../homes.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync, broken, given, sectionsOf } from "./generate.ts";

/** Charters that nobody wrote, lived in by three people in any order: nobody's words reach another, and nothing stops. */

const people = ["mia", "bo", "mallory"] as const;
type Person = (typeof people)[number];
/** Who takes turns without a user: the operator, at a door that says so, and jobs, each with a session of its own. */
const others = ["operator", "job"] as const;

/** A word of one person's. `life` counts how often they were erased: words of an earlier life are nobody's any more. */
const canary = (user: string | null | undefined, life: number) => `canary-${user ?? "nobody"}-${life}-`;

const ownersIn = (bytes: string) =>
  new Set([...bytes.matchAll(/canary-(\w+)-(\d+)-/g)].map(([, user, life]) => `${user} ${life}`));

/** An agent of one's own, a loop of one's own, and what a service or a command asks: who is operator is said by each. */
const doorNames = ["agent", "ownLoop", "host"] as const;

type TurnDoors = Readonly<
  Record<(typeof doorNames)[number], { readonly runTurn: (asked: TurnInput) => Promise<TurnOutcome> }>
>;

const doings = ["says", "amends", "notes", "fetches", "sends"] as const;

type Act =
  | {
      readonly kind: "turn";
      readonly who: Person | (typeof others)[number];
      readonly does: (typeof doings)[number];
      readonly at: number;
      readonly door: (typeof doorNames)[number];
    }
  | { readonly kind: "change"; readonly who: Person; readonly at: number }
  | { readonly kind: "compact"; readonly who: Person }
  | { readonly kind: "erase"; readonly who: Person }
  | { readonly kind: "restart" };

const person = fc.constantFrom(...people);
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("turn" as const),
        who: fc.oneof({ weight: 4, arbitrary: person }, fc.constantFrom(...others)),
        does: fc.constantFrom(...doings, "amends" as const),
        at: fc.nat(20),
        door: fc.constantFrom(...doorNames),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("change" as const), who: person, at: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const), who: person }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), who: person }) },
    { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  ),
  { minLength: 4, maxLength: 10 },
);

/** What was left to chance besides: whose copies are changed, who approves it, and what tools say of themselves. */
const said = fc.record({
  hands: fc.array(
    fc.oneof(
      fc.constant({ scope: "user" as const }),
      fc.record(
        { scope: fc.constant("agent" as const), approvedBy: fc.constantFrom("operator" as const, "nobody" as const) },
        { requiredKeys: ["scope"] },
      ),
    ),
    { minLength: 3, maxLength: 3 },
  ),
  words: fc.record({ trusted: fc.boolean(), reads: fc.boolean(), harmless: fc.boolean() }),
});
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;

/** The charter with sources that read what was generated, each part with a word of the person it is read for. */
function lived(
  charter: Charter,
  readings: Readings,
  { hands }: Said,
  word: (user: string | undefined) => string,
): Charter {
  const sourceOf =
    ({ name }: Section): Source =>
    ({ user }): Reading => {
      const reading = readings[name] as Reading;
      if (reading.status !== "present") return reading;
      return { ...reading, parts: reading.parts.map((part) => ({ ...part, text: `${word(user)} ${part.text}` })) };
    };
  const withSources = (section: Section): Section =>
    section.sources ? { ...section, sources: [sourceOf(section)] } : section;
  return {
    ...charter,
    layers: charter.layers.map((layer, index) => ({
      ...layer,
      ...(typeof layer.mutability === "object" && layer.mutability.amendableBy.some((actor) => actor === "agent")
        ? {
            mutability: {
              amendableBy: ["agent", "user"] as const,
              ...(hands[index % hands.length] as Said["hands"][0]),
            },
          }
        : {}),
      sections: layer.sections.map(withSources),
      ...(layer.fallback ? { fallback: layer.fallback.map(withSources) } : {}),
    })),
  };
}

/** What was seen while a charter was lived in. */
type Seen = {
  crossed: string[];
  stopped: unknown[];
  untold: string[];
  lost: string[];
  turns: number;
  own: number;
  held: number;
  shared: number;
};

async function live(charterGiven: Charter, readings: Readings, how: Said, script: readonly Act[]): Promise<Seen> {
  const seen: Seen = { crossed: [], stopped: [], untold: [], lost: [], turns: 0, own: 0, held: 0, shared: 0 };
  const lives = new Map<string, number>();
  const word = (user: string | null | undefined) => canary(user, lives.get(user ?? "nobody") ?? 0);
  const charter = lived(charterGiven, readings, how, word);
  const amendable = sectionsOf(charter).filter(
    ({ mutability, fallback }) => typeof mutability === "object" && !fallback,
  );
  const sectionAt = (at: number) => amendable[at % Math.max(1, amendable.length)]?.section.name ?? "none";
  const isOpen = amendable.some(({ mutability }) => (mutability as { approvedBy?: string }).approvedBy === "nobody");
  const judgedFor = (user: Person) => ({ charter, scope: { agent: "ada", user }, rules: () => ({ guards: [] }) });
  // What each has said themselves in texts that are their own, by section: their next prompt has it.
  const owned = new Map<string, string>();
  const isWhole = new Set(
    amendable
      .filter(({ section, mutability }) => (mutability as { scope?: string }).scope === "user" && !section.limit)
      .map(({ section }) => section.name),
  );
  for (const { section } of charter.givesWay ?? []) isWhole.delete(section);
  const told = new Set<string>();
  const met = new Map<object, Set<string | null>>();
  const words = Object.fromEntries(Object.entries(how.words).filter(([, isSaid]) => isSaid)) as Partial<Tool>;
  const fetches = tool("fetch", (_, { user }) => `${word(user)} \ud83c\0 ## Safety`, words);
  const sends = tool("send", (_, { user }) => `${word(user)} sent`, words);
  const tools = [amends, fetches, sends, saveMemory(), readMemory()];
  const place = await newFile();
  try {
    let store = await createStore(place.open());
    await store.agents.add({ name: "ada", charter: charter.name });
    const model = scripted();
    const open = () => {
      const options = { name: "ada", charter, model, store, tools, compactAt: 3000 };
      const host = createHost({
        store,
        model: "test/one",
        loadModel: async () => model,
        tools,
        charters: { generated: charter },
      });
      const doorsOf = (operator: boolean): TurnDoors => ({
        agent: createAgent({ ...options, operator }),
        ownLoop: plainLoop({ ...options, operator }),
        host: { runTurn: (asked) => host.runTurn({ ...asked, agent: "ada", operator }) },
      });
      return { usual: doorsOf(false), operator: doorsOf(true), compact: createAgent(options).compact };
    };
    let doors = open();
    for (const act of script) {
      // All approve at once what waits in their names, and the operator every call.
      for (const { id } of await store.calls.list({ agent: "ada" })) await store.calls.approve(id, "operator");
      for (const { id, scope } of await store.held.list({ agent: "ada" })) {
        const user = scope.user as Person;
        await store.held.approve(id, user, judgedFor(user), { hand: "user" }).catch(() => {});
      }
      if (act.kind === "restart") {
        await store.close();
        store = await createStore(place.open());
        doors = open();
      } else if (act.kind === "erase") {
        await store.erase({ user: act.who });
        lives.set(act.who, (lives.get(act.who) ?? 0) + 1);
        for (const key of [...owned.keys()]) if (key.startsWith(`${act.who} `)) owned.delete(key);
      } else if (act.kind === "compact") {
        model.say(`${word(act.who)} summed up.`);
        await doors.compact({ user: act.who }).catch(() => {});
      } else if (act.kind === "change") {
        if (amendable.length === 0) continue;
        const section = sectionAt(act.at);
        const content = `${word(act.who)} I say so ${owned.size}${act.at}.`;
        const proposal = { section, operation: { kind: "append" as const, content }, actor: "user" as const };
        const { verdict } = await store.propose(judgedFor(act.who), proposal);
        if (verdict === "held") seen.held++;
        else if (isWhole.has(section)) owned.set(`${act.who} ${section}`, content);
      } else {
        const user = people.find((one) => one === act.who) ?? null;
        const whose = act.who === "job" ? `job${seen.turns}` : act.who;
        const said = `${word(whose)} said.`;
        // What jobs and the operator change of text for all is for all.
        const goal = user === null ? "Goal for all." : `${said} Goal.`;
        const section = sectionAt(act.at);
        const done = {
          says: said,
          amends: calls(["amend", { section, content: goal }]),
          notes: calls(["save_memory", { content: said }], ["read_memory", {}]),
          fetches: calls(["fetch", {}]),
          sends: calls(["fetch", {}], ["send", { about: said }]),
        }[act.does];
        model.say(done, said);
        const before = model.requests.length;
        const door = doors[act.who === "operator" ? "operator" : "usual"][act.door];
        const outcome = await door
          .runTurn({ input: `${word(whose)} asks.`, user, context: { plan: word(whose) } })
          .catch((error: unknown): Partial<TurnOutcome> => ({ state: "failed", problem: error as never }));
        seen.turns++;
        const users = (met.get(door) ?? new Set()).add(user);
        met.set(door, users);
        if (outcome.state !== "answered") seen.stopped.push(outcome.problem);
        for (const { code } of outcome.notices ?? []) told.add(code);
        const first = bytesOf(model.requests[before] as ModelRequest);
        for (const [key, content] of owned)
          if (key.startsWith(`${act.who} `) && !first.includes(content)) seen.lost.push(`${key}: ${content}`);
        if (act.does === "amends") owned.delete(`${act.who} ${section}`);
        for (const request of model.requests.slice(before)) {
          const owners = ownersIn(bytesOf(request));
          const mine = `${whose} ${lives.get(whose) ?? 0}`;
          if (owners.delete(mine)) seen.own++;
          if (user === null) owners.delete("nobody 0");
          // What its charter says is everybody's at once is sent to all, and the operator is told when a second user comes.
          const crossed = [...owners].map((owner) => `${owner} → ${mine}`);
          if (!isOpen) seen.crossed.push(...crossed);
          else if (crossed.length > 0) seen.shared++;
          const isSecond = user !== null && [...users].some((one) => one !== null && one !== user);
          if (isOpen && isSecond && !told.has("shared-text")) seen.untold.push(...crossed);
        }
      }
    }
    await store.close();
    return seen;
  } finally {
    await place.remove();
  }
}

test("no word of a person's reaches another, is lost to them, or stops a turn, whatever the charter is", async () => {
  const all = { turns: 0, own: 0, held: 0, shared: 0 };
  await alwaysAsync(
    fc.tuple(given({ words: broken }), said, acts),
    async ([{ charter, readings }, how, script]) => {
      const { crossed, stopped, untold, lost, ...counts } = await live(charter, readings, how, script);
      expect({ crossed, stopped, untold, lost }).toEqual({ crossed: [], stopped: [], untold: [], lost: [] });
      for (const name of ["turns", "own", "held", "shared"] as const) all[name] += counts[name];
    },
    runs(25, 10_000),
  );
  expect(Object.entries(all).filter(([, count]) => count === 0)).toEqual([]);
  expect(all.own).toBeGreaterThan(100);
});
