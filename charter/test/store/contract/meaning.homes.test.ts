import { expect, test } from "vitest";
import type { Embedder } from "../../../src/index.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { onEveryHome } from "./given.ts";

/** Knows what a few words mean: drinks, homes and animals have a direction each. */
const meanings = [/tea|coffee|drink|beverage/i, /house|home|flat|live/i, /cat|dog|pet|animal/i];

function embedderOf(name = "meanings") {
  const state = { away: false, asked: [] as string[] };
  const embedder: Embedder = {
    name,
    embed: async (texts) => {
      if (state.away) throw new Error("connection refused");
      state.asked.push(...texts);
      return texts.map((text) => [...meanings.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.01]);
    },
  };
  return { state, embedder };
}

onEveryHome("notes found by what they mean", (given) => {
  const vectorsOf = ({ agent, user }: { readonly agent: string; readonly user: string }) =>
    given.store.home.read("everything", (db) =>
      db.all<{ note: string; embedder: string }>(
        sql`select note, embedder from vectors where agent = ${agent} and user_id = ${user}`,
      ),
    );
  const setup = async (name?: string) => {
    const scope = await given.scope();
    const { state, embedder } = embedderOf(name);
    const memory = given.store.memory.withEmbedder(embedder);
    const save = async (text: string, key?: string) => {
      given.clock.move(1000);
      return memory.save(scope, { text, ...(key === undefined ? {} : { key }) });
    };
    const found = async (query: string) => {
      const { notes, by, meaning } = await memory.search(scope, query);
      return [by, meaning, notes.map(({ text }) => text)];
    };
    const vectors = () => vectorsOf(scope);
    return { scope, state, memory, save, found, vectors };
  };

  test("a note without any of the words is found, and one with them comes first", async () => {
    const { save, found } = await setup();
    for (const text of ["Likes coffee.", "A dog named Rex.", "Favourite beverage: mate."]) await save(text);
    expect((await found("pets"))[2]).toContain("A dog named Rex.");
    const [by, meaning, [first, second]] = (await found("beverage")) as [string, string, string[]];
    expect([by, meaning, first, second]).toEqual(["all-words", "used", "Favourite beverage: mate.", "Likes coffee."]);
    expect((await found("animals")).slice(0, 2)).toEqual(["meaning", "used"]);
  });

  test("who quotes or excludes words asks for words alone", async () => {
    const { save, found } = await setup();
    for (const text of ["Likes green tea.", "Likes coffee."]) await save(text);
    expect(await found('"green tea"')).toEqual(["all-words", undefined, ["Likes green tea."]]);
    expect(await found("likes -tea")).toEqual(["all-words", undefined, ["Likes coffee."]]);
  });

  test("no note is lost because an embedder is away: it is found by its words, and embedded later", async () => {
    const { save, found, state, vectors } = await setup();
    state.away = true;
    const { id } = await save("Likes coffee.");
    expect(await vectors()).toEqual([]);
    expect(await found("coffee")).toEqual(["all-words", "unavailable", ["Likes coffee."]]);
    state.away = false;
    // For half a minute nobody waits for it again.
    expect((await found("drinks"))[1]).toBe("unavailable");
    given.clock.move(31_000);
    expect(await found("drinks")).toEqual(["meaning", "used", ["Likes coffee."]]);
    expect(await vectors()).toEqual([{ note: id, embedder: "meanings" }]);
  });

  test("an answer that is no vector counts as none", async () => {
    const { scope, vectors } = await setup();
    const odd: readonly (readonly (readonly number[])[])[] = [[], [[]], [[Number.NaN]], [[0, 0]], [[1], [2]]];
    for (const [at, answer] of odd.entries()) {
      const memory = given.store.memory.withEmbedder({ name: `odd-${at}`, embed: async () => answer });
      await memory.save(scope, { text: "Likes tea.", key: "tea" });
      expect(await memory.search(scope, "tea")).toMatchObject({ by: "all-words", meaning: "unavailable" });
    }
    expect(await vectors()).toEqual([]);
  });

  test("vectors follow edits: replaced, changed and forgotten notes leave none behind", async () => {
    const { save, memory, scope, found, state, vectors } = await setup();
    await save("Likes tea.", "favourite");
    const { id } = await save("Owns a cat.", "favourite");
    expect(await vectors()).toEqual([{ note: id, embedder: "meanings" }]);
    given.clock.move(1000);
    await memory.update(scope, id, { text: "Lives in a flat." });
    expect(state.asked.at(-1)).toBe("favourite: Lives in a flat.");
    expect(await found("home")).toEqual(["meaning", "used", ["Lives in a flat."]]);
    // Whoever changes it without the embedder takes the vector of the old words away.
    await given.store.memory.update(scope, id, { text: "Owns a dog." });
    expect(await vectors()).toEqual([]);
    expect((await found("animal"))[2]).toEqual(["Owns a dog."]);
    await memory.forget(scope, id);
    expect(await vectors()).toEqual([]);
  });

  test("a vector that is being kept while its note is forgotten or changed goes with it", async () => {
    const { scope, memory, save, vectors } = await setup();
    const { home } = given.store;
    /** Keeps a vector as a slower process does, and lets go when the other waits for it, or cannot begin before. */
    const whileKept = async (id: string, change: () => Promise<unknown>) => {
      let changing: Promise<unknown> | undefined;
      await home.write("everything", async (db) => {
        await db.one(sql`select id from memories where id = ${id}${db.dialect.skipLocked}`);
        await db.run(sql`delete from vectors where note = ${id}`);
        await db.run(sql`insert into vectors (agent, user_id, note, embedder, vector)
          values (${scope.agent}, ${scope.user}, ${id}, 'slow', ${new Uint8Array(4)})`);
        changing = change();
        const waits = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        while (home.name === "postgres" && !(await db.one(waits))) await db.run(sql`select pg_stat_clear_snapshot()`);
      });
      await changing;
    };
    const { id: forgotten } = await save("Likes tea.");
    await whileKept(forgotten, () => given.store.memory.forget(scope, forgotten));
    const { id: changed } = await save("Has a cat.");
    await whileKept(changed, () => given.store.memory.update(scope, changed, { text: "Has a dog." }));
    expect(await vectors()).toEqual([]);
    expect((await memory.list(scope)).map(({ text }) => text)).toEqual(["Has a dog."]);
  });

  test("another embedder makes them anew, and those of the first go", async () => {
    const { save, scope, state, vectors } = await setup();
    const { id } = await save("Likes tea.");
    expect(state.asked).toEqual(["Likes tea."]);
    const next = embedderOf("better");
    const { notes } = await given.store.memory.withEmbedder(next.embedder).search(scope, "drinks");
    expect([notes.map((note) => note.id), next.state.asked]).toEqual([[id], ["Likes tea.", "drinks"]]);
    expect(await vectors()).toEqual([{ note: id, embedder: "better" }]);
  });

  test("they are erased with their user, are no part of an export, and another's are never compared", async () => {
    const { save, memory, scope } = await setup();
    const { id } = await save("Likes tea.");
    const other = { agent: scope.agent, user: "cy" };
    await memory.save(other, { text: "Owns a cat." });
    expect((await memory.search(other, "beverages")).notes.map(({ text }) => text)).toEqual(["Owns a cat."]);
    const [exported] = (await given.store.export({ user: "bo", agent: scope.agent })).agents;
    expect(exported?.memories).toEqual([
      { id, key: null, text: "Likes tea.", tainted: false, turn: null, at: expect.any(String) },
    ]);
    expect(JSON.stringify(exported)).not.toContain("vector");
    expect((await given.store.erase({ user: "bo", agent: scope.agent })).rows).toMatchObject({
      memories: 1,
    });
    expect([await vectorsOf(scope), (await vectorsOf(other)).length]).toEqual([[], 1]);
  });
});
