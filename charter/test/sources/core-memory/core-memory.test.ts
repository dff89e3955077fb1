import { beforeAll, beforeEach, expect, test } from "vitest";
import { resident } from "../../../src/charters/resident/resident.ts";
import { coreRecordOf } from "../../../src/host/core-memory.ts";
import { amendmentContextFor } from "../../../src/host/proposal.ts";
import { Problem } from "../../../src/index.ts";
import { type CoreMemory, createCoreMemory } from "../../../src/sources/core-memory/core-memory.ts";
import type { CoreRecord } from "../../../src/sources/core-memory/look-at-core.ts";
import {
  createMemoryKey,
  loadNostr,
  type MemoryKey,
  type NostrEvent,
} from "../../../src/sources/core-memory/memory-key.ts";
import { judgeAnswers } from "../../../src/sources/core-memory/read-memory.ts";
import type { RelayTrouble } from "../../../src/sources/core-memory/relay.ts";
import type { Store } from "../../../src/store/index.ts";
import { memoryStore } from "../../../src/testing/scripted-model.ts";

/** One relay without a network: what it holds, what is wrong with it, and how often it was asked and told. */
type Relay = {
  events: NostrEvent[];
  trouble: RelayTrouble | undefined;
  takes: boolean;
  forgets: boolean;
  asked: number;
  told: string[];
};

let key: MemoryKey;
let relay: Relay;
let store: Store;
let now: Date;
let memory: CoreMemory;
/** Called when an event has been taken, before anyone looks again. */
let afterSend: () => void | Promise<void>;
/** Called before the relay answers. */
let beforeRead: () => void | Promise<void>;

const seconds = () => Math.floor(now.getTime() / 1000);
const eventOf = (text: string, createdAt = seconds()) => key.makeEvent({ slug: "core", text, createdAt });

function newMemory(open?: () => Promise<never>, record: CoreRecord = coreRecordOf(store, "eva")): CoreMemory {
  const report = () => [
    {
      relay: "ws://r",
      events: relay.events,
      ...(relay.trouble ? { trouble: { kind: relay.trouble, reason: `it is ${relay.trouble}` } } : {}),
    },
  ];
  const wire = {
    key,
    read: async (slug: string) => {
      relay.asked += 1;
      await beforeRead();
      return { ...judgeAnswers(report(), key, slug), writeRelays: ["ws://r"] };
    },
    list: async () => ({ heads: [], relays: [], truncated: [], writeRelays: [] }),
    send: async (event: NostrEvent) => {
      relay.told.push(event.id);
      if (!relay.takes) return [{ relay: "ws://r", ok: false as const, reason: "blocked: no" }];
      if (!relay.forgets) relay.events = [...relay.events, event];
      await afterSend();
      return [{ relay: "ws://r", ok: true as const }];
    },
  };
  return createCoreMemory({
    open: open ?? (async () => wire),
    record,
    clock: () => now,
    random: () => 1,
  });
}

beforeAll(async () => {
  const nostr = await loadNostr();
  key = createMemoryKey(nostr, nostr.newSecret(), nostr.publicKey(nostr.newSecret()));
});

beforeEach(async () => {
  now = new Date("2026-02-18T15:04:00Z");
  store = await memoryStore({ clock: () => now });
  await store.agents.add({ name: "eva", charter: "resident", model: null, settings: {} });
  relay = { events: [], trouble: undefined, takes: true, forgets: false, asked: 0, told: [] };
  afterSend = () => {};
  beforeRead = () => {};
  memory = newMemory();
  return () => store.close();
});

const turn = { now: "2026-02-18T15:04:00Z", tools: [], standing: {} };

async function write(text: string, more: object = {}) {
  const declaration = resident({ core: memory });
  const standing = await store.standings.read(declaration.charter, { agent: "eva" });
  const turnFacts = { tainted: false, amendments: 0, state: "ExecutingActions" };
  const declaredTurn = { ...declaration, turn: { ...turn, standing }, turnFacts, notices: [] };
  const context = await amendmentContextFor({ declaredTurn, scope: { agent: "eva" } }, {});
  const operation = { kind: "rewrite" as const, content: text };
  return store.propose(context, { section: "core", operation, actor: "operator", ...more });
}

const read = async () => {
  const reading = await memory.source(turn);
  return reading.status === "present" ? reading.parts.map(({ text }) => text) : reading.status;
};
const history = async () =>
  (await store.history.listWhole({ agent: "eva" }, "core")).map(({ revision, actor, after }) => [
    revision,
    actor,
    after,
  ]);

test("what was written elsewhere is read, and becomes a revision that says so", async () => {
  const event = eventOf("You are Eva.");
  relay.events = [event];
  expect(await memory.source(turn)).toEqual({
    status: "present",
    parts: [{ text: "You are Eva.", source: `Nostr event ${event.id}, from ws://r, by ${key.npub}`, revision: 1 }],
  });
  expect(await store.history.listWhole({ agent: "eva" }, "core")).toMatchObject([
    { revision: 1, actor: "agent", after: "You are Eva.", reason: `Written elsewhere: event ${event.id} on ws://r.` },
  ]);
  expect(
    (await store.publications.state({ agent: "eva", section: "core", address: key.address("core") })).seen,
  ).toEqual(expect.objectContaining({ id: event.id, createdAt: event.created_at, place: "ws://r" }));
});

test("the same again is the same part, and asks each relay once", async () => {
  relay.events = [eventOf("You are Eva.")];
  const [one, other] = [await memory.source(turn), await memory.source(turn)];
  expect(one.status === "present" && other.status === "present" && one.parts[0] === other.parts[0]).toBe(true);
  expect([relay.asked, (await history()).length]).toEqual([2, 1]);
});

test("a change is signed in its commit, sent, and looked for", async () => {
  const outcome = await write("You are Eva.");
  const [event] = relay.events;
  expect(outcome).toMatchObject({
    verdict: "accepted",
    revision: 1,
    publication: { id: event?.id, state: "published", taken: ["ws://r"], missed: [] },
  });
  expect([event?.created_at, await read(), await history()]).toEqual([
    seconds(),
    ["You are Eva."],
    [[1, "operator", "You are Eva."]],
  ]);
});

test("each change is dated after the one before, whatever the clock says", async () => {
  await write("One.");
  now = new Date(now.getTime() - 60_000);
  await write("Two.");
  expect(relay.events.map(({ created_at }) => created_at - seconds())).toEqual([60, 61]);
  expect(await read()).toEqual(["Two."]);
});

test("what no relay takes waits, is shown, and goes out with the same id", async () => {
  relay.takes = false;
  const { publication } = await write("You are Eva.");
  expect(publication).toMatchObject({
    state: "waiting",
    taken: [],
    missed: [{ place: "ws://r", reason: "blocked: no" }],
  });
  expect(await store.publications.list({ agent: "eva" })).toMatchObject([
    { state: "waiting", tries: 1, nextTryAt: "2026-02-18T15:04:05.000Z" },
  ]);
  relay.takes = true;
  memory = newMemory();
  expect([await read(), relay.events]).toEqual([["You are Eva."], []]);
  now = new Date(now.getTime() + 5000);
  expect(await read()).toEqual(["You are Eva."]);
  expect([relay.events.map(({ id }) => id), new Set(relay.told)]).toEqual([
    [publication?.id],
    new Set([publication?.id]),
  ]);
  expect(await store.publications.list({ agent: "eva" })).toMatchObject([{ state: "published", taken: ["ws://r"] }]);
});

test("a relay that says yes and does not show it has not taken it", async () => {
  relay.forgets = true;
  expect((await write("You are Eva.")).publication).toMatchObject({
    state: "waiting",
    taken: ["ws://r"],
    missed: [{ place: "ws://r", reason: "it took the event, but does not show it" }],
  });
});

test("two who write at once: the later stands, the other is a conflict that shows both, and both are in the history", async () => {
  const theirs = eventOf("You are Ada.", seconds() + 5);
  afterSend = () => {
    relay.events = [theirs];
  };
  const { publication } = await write("You are Eva.");
  expect(publication).toEqual({
    id: relay.told[0],
    state: "superseded",
    taken: ["ws://r"],
    missed: [],
    conflict: { ours: "You are Eva.", theirs: "You are Ada.", id: theirs.id },
  });
  expect([await read(), await history()]).toEqual([
    ["You are Ada."],
    [
      [2, "agent", "You are Ada."],
      [1, "operator", "You are Eva."],
    ],
  ]);
  expect(await store.events.list({ agent: "eva", kind: "publication-conflict" })).toMatchObject([
    { detail: { section: "core", revision: 1, id: relay.told[0], by: theirs.id } },
  ]);
});

test.each(["before it is sent", "after it was sent"])(
  "another who looks at the same time finds the conflict first, %s: whoever wrote is told all the same",
  async (when) => {
    const theirs = eventOf("You are Ada.", seconds() + 5);
    const look = async () => {
      relay.events = [theirs];
      beforeRead = () => {};
      await newMemory().look();
    };
    if (when === "after it was sent") afterSend = look;
    else beforeRead = () => (relay.asked === 2 ? look() : undefined);
    expect((await write("You are Eva.")).publication).toMatchObject({
      state: "superseded",
      conflict: { ours: "You are Eva.", theirs: "You are Ada.", id: theirs.id },
    });
    expect(await history()).toEqual([
      [2, "agent", "You are Ada."],
      [1, "operator", "You are Eva."],
    ]);
  },
);

test("another who sends it at the same time is first: whoever wrote is told that it is published", async () => {
  beforeRead = async () => {
    if (relay.asked !== 2) return;
    beforeRead = () => {};
    await newMemory().publish();
  };
  expect((await write("You are Eva.")).publication).toEqual({
    id: relay.told[0],
    state: "published",
    taken: ["ws://r"],
    missed: [],
  });
  expect(relay.told.length).toBe(1);
});

test("what ours replaces unread is kept in the history", async () => {
  relay.takes = false;
  await write("You are Eva.");
  relay.takes = true;
  relay.events = [eventOf("You are Ada.", seconds() - 5)];
  now = new Date(now.getTime() + 5000);
  memory = newMemory();
  expect([await read(), await history()]).toEqual([
    ["You are Eva."],
    [
      [3, "agent", "You are Eva."],
      [2, "agent", "You are Ada."],
      [1, "operator", "You are Eva."],
    ],
  ]);
  expect(await store.publications.list({ agent: "eva" })).toMatchObject([{ state: "published", revision: 1 }]);
});

test("after something was seen, nothing and something older are an outage, and nothing can be changed", async () => {
  await write("One.");
  await write("Two.");
  const [first] = relay.events;
  for (const events of [[], [first as NostrEvent]]) {
    relay.events = events;
    memory = newMemory();
    expect(await read()).toBe("unavailable");
    expect(await write("Three.")).toMatchObject({
      verdict: "refused",
      refusals: [
        { guard: "core-unavailable", because: expect.stringContaining("The core memory cannot be changed now") },
      ],
    });
  }
  expect((await history()).length).toBe(2);
});

test.each(["adopt", "noteSeen"] as const)("a process that dies in %s has seen it all the same", async (dying) => {
  const record = coreRecordOf(store, "eva");
  let calls = 0;
  const dies = async () => {
    throw new Error("killed");
  };
  // What comes first must be done for anything to be known at all: the second note is the one that may be lost.
  const dead: CoreRecord = {
    ...record,
    ...(dying === "adopt" ? { adopt: dies } : {}),
    noteSeen: (...seen) => (dying === "noteSeen" && ++calls === 2 ? dies() : record.noteSeen(...seen)),
  };
  relay.events = [eventOf("You are Eva.")];
  await expect(newMemory(undefined, dead).look()).rejects.toThrow("killed");
  relay.events = [];
  expect(await read()).toBe("unavailable");
});

test("what others wrote and the relays have lost can be given back to them", async () => {
  const event = eventOf("You are Eva.");
  relay.events = [event];
  await read();
  relay.events = [];
  memory = newMemory();
  expect(await read()).toBe("unavailable");
  expect(await memory.publish()).toEqual({ id: event.id, state: "published", taken: ["ws://r"], missed: [] });
  expect([relay.events, await read(), (await history()).length]).toEqual([[event], ["You are Eva."], 1]);
});

test("relays out of reach: nothing is shown and nothing changed; a later turn tries again", async () => {
  await write("You are Eva.");
  relay.trouble = "late";
  relay.events = [];
  expect(await read()).toBe("unavailable");
  relay.trouble = undefined;
  relay.events = [eventOf("You are Eva, and back.", seconds() + 1)];
  expect(await read()).toEqual(["You are Eva, and back."]);
});

test("an event far ahead is shown, and stops every change", async () => {
  relay.events = [eventOf("You are Eva.", seconds() + 601)];
  expect(await read()).toEqual(["You are Eva."]);
  expect(await write("You are Ada.")).toMatchObject({
    verdict: "refused",
    refusals: [{ guard: "clock-poisoned", because: expect.stringContaining("is dated 2026-02-18T15:14:01.000Z") }],
  });
  expect(relay.told).toEqual([]);
});

test("a frozen agent does not follow what is written elsewhere, and says so", async () => {
  await write("You are Eva.");
  await store.agents.freeze("eva", "amendments");
  relay.events = [eventOf("You are Ada.", seconds() + 9)];
  expect(await memory.source(turn)).toMatchObject({
    status: "present",
    parts: [{ text: "You are Eva.", source: "standing", revision: 1 }],
    notices: [{ code: "core-memory-not-followed", section: "core" }],
  });
  await store.agents.thaw("eva");
  expect(await read()).toEqual(["You are Ada."]);
});

test("one that was frozen before anything was read has no memory rather than none", async () => {
  await store.agents.freeze("eva", "amendments");
  relay.events = [eventOf("You are Eva.")];
  expect(await read()).toBe("unavailable");
  relay.events = [];
  expect(await read()).toBe("unavailable");
});

test("what the turn itself has changed comes from the store, and no relay is asked", async () => {
  const standing = { core: { text: "You are Eva.", revision: 7 } };
  expect(await memory.source({ ...turn, standing, again: true })).toEqual({
    status: "present",
    parts: [{ text: "You are Eva.", source: "standing", revision: 7 }],
  });
  expect(await memory.source({ ...turn, standing: { core: { text: "", revision: 8 } }, again: true })).toEqual({
    status: "empty",
  });
  expect(relay.asked).toBe(0);
});

test("without a key it is unavailable, nothing is changed, and the key is looked for again", async () => {
  let tries = 0;
  memory = newMemory(async () => {
    tries += 1;
    throw new Problem("key-missing", "There is no key “eva”.", "Make one.");
  });
  expect(await memory.source(turn)).toEqual({
    status: "unavailable",
    reason: "There is no key “eva”.",
    notices: [{ code: "key-missing", section: "core", message: "There is no key “eva”. Make one." }],
  });
  expect(await write("You are Eva.")).toMatchObject({ verdict: "refused", refusals: [{ guard: "core-unavailable" }] });
  expect(tries).toBeGreaterThan(1);
});

test("what cannot be read because of the store is not changed, in one sentence", async () => {
  const fails = async () => {
    throw new Problem("standing-unavailable", "The words are not in the store.", "Look at it.");
  };
  memory = newMemory(undefined, { ...coreRecordOf(store, "eva"), known: fails });
  expect(await write("You are Eva.")).toMatchObject({
    refusals: [
      {
        guard: "core-unavailable",
        because:
          "The core memory cannot be changed now: it could not be read: The words are not in the store. Try again later.",
      },
    ],
  });
});

test("a text that is too long for an event is refused at the byte", async () => {
  const room = 65_535 - '{"slug":"core","profile":""}'.length;
  expect((await write("a".repeat(room))).verdict).toBe("accepted");
  expect(await write("b".repeat(room + 1))).toMatchObject({ verdict: "refused", refusals: [{ guard: "size-limit" }] });
});
