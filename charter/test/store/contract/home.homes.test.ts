import { expect, test } from "vitest";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { createStore } from "../../../src/store/index.ts";
import { storeSchema, versionOf } from "../../../src/store/schema.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("a home", (given) => {
  const note = (agent: string, id: string) => sql`insert into memories (id, agent, user_id, text, folded, tainted, at)
    values (${id}, ${agent}, ${"bo"}, ${"tea"}, ${"tea"}, ${0}, ${given.clock.text()})`;
  const ids = async (agent: string, store = given.store) =>
    (await store.memory.list({ agent, user: "bo" })).map(({ id }) => id).sort();

  test("what a write did is there for everyone when it is done, or not at all", async () => {
    const agent = await given.agent();
    const other = await given.another();
    await given.store.home.write({ agent, user: "bo" }, async (db) => {
      await db.run(note(agent, `${agent}-1`));
      expect(await ids(agent, other)).toEqual([]);
      await db.run(note(agent, `${agent}-2`));
    });
    expect(await ids(agent, other)).toEqual([`${agent}-1`, `${agent}-2`]);
    const changed = new Error("changed my mind");
    const undone = given.store.home.write({ agent, user: "bo" }, async (db) => {
      await db.run(note(agent, `${agent}-3`));
      throw changed;
    });
    await expect(undone).rejects.toBe(changed);
    expect(await ids(agent)).toEqual([`${agent}-1`, `${agent}-2`]);
    const broken = given.store.home.write({ agent, user: "bo" }, async (db) => {
      await db.run(note(agent, `${agent}-4`));
      await db.run(sql`insert into nowhere values (${1})`);
    });
    await expect(broken).rejects.toThrow();
    expect(await ids(agent)).toEqual([`${agent}-1`, `${agent}-2`]);
  });

  test("a statement that failed and was passed over does not lose the rest silently", async () => {
    const agent = await given.agent();
    const work = given.store.home.write({ agent, user: "bo" }, async (db) => {
      await db.run(note(agent, `${agent}-1`));
      await db.run(sql`insert into nowhere values (${1})`).catch(() => {});
    });
    const kept = await work.then(
      () => true,
      () => false,
    );
    expect(await ids(agent)).toEqual(kept ? [`${agent}-1`] : []);
  });

  test("the mark of a table changes with every commit to it, of this process and of others, and with no turn", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const { home, users, turns } = given.store;
    const [user, mark] = [`${agent}-user`, () => home.mark(["users"])];
    await users.put({ id: user });
    const marks = [await mark()];
    const { id } = await turns.open({ scope: { agent, user }, input: "Hello" });
    await turns.close(id, { reply: "Hi" });
    expect(await mark()).toBe(marks[0]);
    const moved = async () => {
      marks.push(await mark());
      expect(new Set(marks).size).toBe(marks.length);
    };
    await users.put({ id: user, zone: "Europe/Berlin" });
    await moved();
    // What is not committed yet is not seen, and what is read until then is not kept for longer.
    await home.write("everything", async (db) => {
      await db.run(sql`update users set zone = ${"Asia/Tokyo"} where id = ${user}`);
      expect([await mark(), await users.zoneOf(user)]).toEqual([marks.at(-1), "Europe/Berlin"]);
    });
    await moved();
    expect(await users.zoneOf(user)).toBe("Asia/Tokyo");
    await home.write("everything", (db) => db.run(sql`delete from users where id = ${user}`));
    expect(await users.zoneOf(user)).toBeUndefined();
    await moved();
    await other.users.put({ id: user, zone: "America/Lima" });
    await moved();
    expect(await users.zoneOf(user)).toBe("America/Lima");
  });

  test("a thousand who read at once are served a few at a time, and one that fails makes room", async () => {
    const agent = await given.agent();
    const [full, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reading = 0;
    let most = 0;
    const read = (index: number) =>
      given.store.home.read({ agent }, async (db) => {
        most = Math.max(most, ++reading);
        if (reading === 10) full.resolve();
        await held.promise;
        const row = await db.one<{ n: number }>(sql`select count(*) as n from agents where name = ${agent}`);
        reading--;
        if (index % 2 === 1) throw new Error("changed my mind");
        return row?.n;
      });
    const reads = Promise.allSettled(Array.from({ length: 1000 }, (_, index) => read(index)));
    await full.promise;
    held.resolve();
    const all = await reads;
    expect(all.filter((one) => one.status === "fulfilled" && one.value === 1).length).toBe(500);
    expect(most).toBe(10);
  });

  test("whoever waits too long because all others read is told that it is busy, not that nobody answers", async () => {
    const home = given.place.open({ patience: 50 });
    const tenRead = async () => {
      const held = Promise.withResolvers<void>();
      const begun = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
      const reads = begun.map(({ resolve }) =>
        home.read("everything", () => {
          resolve();
          return held.promise;
        }),
      );
      const all = Promise.all(reads);
      await Promise.race([Promise.all(begun.map(({ promise }) => promise)), all]);
      return async () => {
        held.resolve();
        await all;
      };
    };
    const letGo = await tenRead();
    const what = given.name === "sqlite" ? "readers of" : "connections to PostgreSQL at";
    expect(await problemOf(home.read("everything", async () => "late"))).toBe(
      `store-busy: All 10 ${what} ${home.place} were in use for 0.05 seconds. Try again in a moment. If it stays so, ask for less at once, or use more processes.`,
    );
    await letGo();
    // Whoever gave up has left no place behind that nobody can take.
    await (await tenRead())();
    await home.close();
  });

  test("a read sees one moment, whatever others write meanwhile", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const context = deskOf({ scope: { agent } });
    await given.store.propose(context, rewrite("One."));
    const count = sql`select count(*) as n from amendments where agent = ${agent}`;
    await given.store.home.read({ agent }, async (db) => {
      expect(await db.one(count)).toEqual({ n: 1 });
      await other.propose(context, rewrite("Two."));
      await given.store.propose(context, rewrite("Three."));
      expect(await db.one(count)).toEqual({ n: 1 });
    });
    expect((await given.store.standings.read(charter, { agent })).goals).toEqual({ text: "Three.", revision: 3 });
  });

  test("whoever only reads writes nothing", async () => {
    const agent = await given.agent();
    for (const reach of [{ agent, user: "bo" }, "everything"] as const)
      await expect(given.store.home.read(reach, (db) => db.run(note(agent, `${agent}-1`)))).rejects.toThrow();
    expect(await ids(agent)).toEqual([]);
  });

  test("no scope reaches what is the operator's alone", async () => {
    const scope = await given.scope();
    const { home } = given.store;
    for (const table of ["tokens", "seals", "windows", "refused_kinds"].map(raw))
      for (const query of [sql`select * from ${table}`, sql`delete from ${table}`])
        await expect(home.write(scope, (db) => db.all(query))).rejects.toThrow();
  });

  test("many reads and writes at once all come to their end", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    const more = { kind: "append", content: "." } as const;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? given.store.propose(context, rewrite("", { operation: more }))
          : given.store.standings.read(charter, { agent }),
      ),
    );
    expect((await given.store.standings.read(charter, { agent })).goals).toMatchObject({ revision: 20 });
  });

  test("the schema is made once, and what is up to date stays as it is", async () => {
    const agent = await given.agent();
    const version = versionOf(storeSchema);
    expect((await given.store.home.look())?.versions).toEqual(new Map([["store", { version, leastReader: 14 }]]));
    expect(await given.store.home.migrate()).toEqual({ from: versionOf(storeSchema), to: versionOf(storeSchema) });
    expect((await given.store.agents.get(agent)).name).toBe(agent);
    await given.store.home.vacuum();
    expect((await given.store.agents.get(agent)).name).toBe(agent);
  });

  test("a store that was closed says so, and does not open itself again", async () => {
    const home = given.place.open();
    const store = await createStore(home);
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    const before = Promise.all([store.propose(context, rewrite("One.")), store.propose(context, rewrite("Two."))]);
    await store.close();
    expect((await before).map(({ verdict }) => verdict)).toEqual(["accepted", "accepted"]);
    const closed = `store-closed: The store in ${home.place} was closed. Open it anew with createStore.`;
    expect(await problemOf(store.agents.list())).toBe(closed);
    expect(await problemOf(store.propose(context, rewrite("Three.")))).toBe(closed);
    expect(await problemOf(store.events.watch(() => {}))).toBe(closed);
    await store.close();
  });
});
