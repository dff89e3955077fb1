import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillLists } from "../../../bench/workloads/listed.ts";
import { createAgent } from "../../src/agent/index.ts";
import { assistant, exampleSoul } from "../../src/charters/index.ts";
import { loadModel } from "../../src/delivery/index.ts";
import { countCounterparts, listCounterparts } from "../../src/store/conversations/conversations.ts";
import type { StoreDeps } from "../../src/store/deps.ts";
import type { Database, Home } from "../../src/store/home/database.ts";
import { type Query, raw } from "../../src/store/home/sql.ts";
import { createStore, type ListTurnsOptions, type Store } from "../../src/store/index.ts";
import { createOverview, type Overview } from "../../src/store/overview.ts";
import { countTurns, factsOfTurns, listTurns, sumTurns, turnEvents } from "../../src/store/turns/list-turns.ts";
import { countSessions, countSingleSessions, listSessions } from "../../src/store/turns/sessions.ts";
import { interruptTurns } from "../../src/store/turns/step-result.ts";
import { createTurns } from "../../src/store/turns/turns.ts";
import { homes, newPlace, type Place } from "../homes.ts";

const agent = "agent-3";
const user = "user-7";

/** Each alone, and those a person is likely to have together. */
const filters: Readonly<Record<string, ListTurnsOptions>> = {
  nothing: {},
  words: { words: "number807" },
  "common words": { words: "refund" },
  user: { user },
  "words of a user": { user, words: "refund" },
  state: { state: "failed" },
  ...Object.fromEntries(turnEvents.map((event) => [event, { event }])),
  channel: { channel: "telegram" },
  model: { model: "openai/gpt-5" },
  from: { from: "2026-02-18T10:00:00Z" },
  to: { to: "2026-02-12T00:00:00Z" },
  "from and to": { from: "2026-02-17T00:00:00Z", to: "2026-02-18T00:00:00Z" },
  minCost: { minCost: 0.09 },
  maxCost: { maxCost: 0.01 },
  "the oldest first": { sort: "oldest" },
  "the dearest first": { sort: "cost" },
  "the longest first": { sort: "duration" },
  "state of a user": { user, state: "failed" },
};

/** A home that also says how each query is gone about. */
function explaining(home: Home): { readonly home: Home; readonly plans: string[] } {
  const plans: string[] = [];
  const explained = (db: Database): Database => {
    const explain = async (query: Query) => {
      const [first = "", ...rest] = query.texts;
      const how = home.name === "sqlite" ? "explain query plan " : "explain ";
      const rows = await db.all<Record<string, string>>({ texts: [`${how}${first}`, ...rest], values: query.values });
      plans.push(...rows.map((row) => (row.detail ?? row["QUERY PLAN"] ?? "").trim()));
    };
    return {
      ...db,
      all: async (query) => {
        await explain(query);
        return db.all(query);
      },
      one: async (query) => {
        await explain(query);
        return db.one(query);
      },
      run: async (query) => {
        await explain(query);
        return db.run(query);
      },
    };
  };
  const read: Home["read"] = (reach, work) => home.read(reach, (db) => work(explained(db)));
  const write: Home["write"] = (reach, work) => home.write(reach, (db) => work(explained(db)));
  return { plans, home: { ...home, read, write } };
}

/** Of rows, not of what a query made itself: those that are gone through one by one from the first to the last. */
function scans(plans: readonly string[]): string[] {
  const whole =
    /^SCAN (?!spoken|part$|p$|\(|CONSTANT|turns_search VIRTUAL TABLE INDEX \d+:M)|^SEARCH \S+$|Seq Scan on /;
  return plans.filter((line) => whole.test(line));
}

describe.each(homes)("the plans of lists, on %s", (name) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace(name);
    store = await createStore(place.open());
    await fillLists(store, { agents: 40, users: 400, turns: 10_000 });
    await store.home.write("everything", (db) => db.run(raw("analyze")));
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  /** What is gone through whole for a question; that it was asked of rows, and used an index, is known too. */
  const scanned = async (ask: (home: Home) => Promise<unknown>) => {
    const { home, plans } = explaining(store.home);
    await ask(home);
    expect(
      plans.filter((line) => /\busing\b.*\bindex\b|\bIndex\b.* on |VIRTUAL TABLE INDEX|PRIMARY KEY/i.test(line)),
    ).not.toEqual([]);
    return scans(plans);
  };

  test.each(Object.entries(filters))("turns by %s", async (_, filter) => {
    const { sort: _sort, ...counted } = filter;
    expect(await scanned((home) => listTurns({ home }, { agent, limit: 20, ...filter }))).toEqual([]);
    expect(await scanned((home) => countTurns({ home }, { agent, ...counted }))).toEqual([]);
    expect((await store.turns.list({ agent, ...filter })).length).toBeGreaterThan(0);
  });

  test("turns that a client shows, with one agent and with many", async () => {
    const { home, plans } = explaining(store.home);
    const { withShown } = createTurns({ home } as StoreDeps);
    for (const others of [[], ["agent-4", "agent-5"]]) {
      plans.length = 0;
      await withShown({ agent, user }, ["a", "b"], others);
      expect(plans).toContainEqual(expect.stringContaining("turns_shown"));
    }
  });

  /** In the one lookup of the words: not through its rows, and not through those of others that have them. */
  const byWords = {
    sqlite: expect.stringMatching(/^SCAN turns_search VIRTUAL TABLE INDEX \d+:M/),
    postgres: expect.stringMatching(/Bitmap Index Scan on turns_search /),
  }[name];
  const owned = {
    half: { agent: "agent-0", rare: "ticket100", all: "refund parcel" },
    few: { agent, rare: "number807", all: "refund parcel" },
  };
  test.each(Object.entries(owned))(
    "words of an agent that has %s of all turns are looked up with its name",
    async (_, of) => {
      for (const words of [of.rare, of.all]) {
        const asked = { agent: of.agent, words };
        for (const ask of [listTurns, countTurns, listSessions, countSessions]) {
          const { home, plans } = explaining(store.home);
          await ask({ home }, asked);
          expect([words, ask.name, plans]).toEqual([words, ask.name, expect.arrayContaining([byWords])]);
          expect(plans.filter((line) => line.includes("turn_words_scope"))).toEqual([]);
        }
        expect((await store.turns.list(asked)).every(({ scope }) => scope.agent === of.agent)).toBe(true);
      }
      expect(await store.turns.count({ agent: of.agent, words: of.all })).toBe(
        await store.turns.count({ agent: of.agent }),
      );
    },
  );

  test.each(Object.entries(filters).filter(([, { sort }]) => sort !== "duration"))(
    "sessions by %s",
    async (_, { sort, ...filter }) => {
      const asked = { agent, limit: 20, ...filter, ...(sort === undefined ? {} : { sort: sort as "oldest" | "cost" }) };
      // No index has the model: an agent's sessions are few beside its turns, and a server may well read them one by one.
      const listed = await scanned((home) => listSessions({ home }, asked));
      expect(filter.model ? listed.filter((line) => !/on sessions s\b/.test(line)) : listed).toEqual([]);
      expect(await scanned((home) => countSessions({ home }, { agent, ...filter }))).toEqual([]);
      expect(await scanned((home) => countSingleSessions({ home }, { agent, ...filter }))).toEqual([]);
    },
  );

  test("what is told of turns, of an agent's week, and of everyone it has spoken with", async () => {
    const ids = (await store.turns.list({ agent, limit: 20 })).map(({ id }) => id);
    const since = "2026-02-12";
    expect(await scanned((home) => factsOfTurns(home, ids))).toEqual([]);
    expect(await scanned((home) => sumTurns(home, [agent, "agent-7"], since))).toEqual([]);
    expect(await scanned((home) => listCounterparts(home, agent, { limit: 20 }))).toEqual([]);
    expect(await scanned((home) => countCounterparts(home, agent))).toEqual([]);
  });

  test.each([{ agent }, {}])(
    "abandoned turns are looked for among the few whose words are not indexed yet: %j",
    async (of) => {
      const { home, plans } = explaining(store.home);
      await interruptTurns({ home, now: () => "2026-02-20T00:00:00.000Z" }, of);
      expect(plans.join("\n")).toContain("turns_unworded");
    },
  );

  test("what is asked over all agents: what needs a person, and what one of them comes to", async () => {
    const since = "2026-02-17";
    const page = { limit: 20 };
    const turnsScanned = async (work: (overview: Overview) => Promise<unknown>) =>
      (await scanned((home) => work(createOverview(home)))).filter((line) => / (?:turns|f|t)\b/.test(line));
    expect(await turnsScanned((overview) => overview.needs({ since, late: since, ...page }))).toEqual([]);
    expect(await turnsScanned((overview) => overview.person(user))).toEqual([]);
    expect(await turnsScanned((overview) => overview.turnsByDay([agent, "agent-7"], since))).toEqual([]);
  });

  test("a scan is seen where there is one", async () => {
    const found = await scanned((home) =>
      home.read("everything", async (db) => {
        await db.one(raw("select count(*) as count from turns where id = 'turn-1'"));
        await db.one(raw("select count(*) as count from turns where input = 'none'"));
      }),
    );
    expect(found).toHaveLength(1);
  });
});

/** Nobody has counted the rows of a new file (`analyze`), so its planner has to choose well without. */
test("a turn goes through no rows of other users, and of its own session only its neighbours'", async () => {
  const place = await newPlace("sqlite");
  const { home, plans } = explaining(place.open());
  const store = await createStore(home);
  try {
    const model = await loadModel("stand-in/scripted", { env: {} });
    const agent = createAgent({ name: "ada", charter: assistant({ soul: exampleSoul }), model, store });
    const take = (input: string) => agent.runTurn({ user: "bo", channel: "web", input });
    await take("What is on today?");
    plans.length = 0;
    await take("And tomorrow?");
    expect(plans).toContain("SEARCH main.turns USING INDEX turns_session (session=? AND started_at<?)");
    const wide = plans.filter((line) => /^SCAN (?!newest)|INDEX \S+ \(agent=\?( AND \w+[<>]\?)*\)/.test(line));
    expect(wide).toEqual([]);
  } finally {
    await store.close();
    await place.remove();
  }
});
