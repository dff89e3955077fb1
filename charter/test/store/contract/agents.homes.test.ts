import { expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { meeting } from "../../agent/stage.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("agents and users", (given) => {
  test("an agent is kept with what it was set up with, and listed by its name", async () => {
    const { agents } = given.store;
    expect(await agents.list()).toEqual([]);
    const settings = { original: { soul: "You are “kind”." }, limits: [1, 2.5, null], on: true };
    const ada = await agents.put({ name: "ada", charter: "assistant", model: "big-1", settings });
    const at = given.clock.text();
    const expected = { name: "ada", charter: "assistant", model: "big-1", settings, frozen: null };
    expect(ada).toEqual({ ...expected, createdAt: at, updatedAt: at });
    const abe = await agents.put({ name: "abe", charter: "sovereign" });
    expect(abe).toEqual({
      name: "abe",
      charter: "sovereign",
      model: null,
      settings: {},
      frozen: null,
      createdAt: at,
      updatedAt: at,
    });
    expect(await agents.list()).toEqual([abe, ada]);
    expect(await agents.get("ada")).toEqual(ada);
    expect(await agents.find("ada")).toEqual(ada);
  });

  test("models to fall back to stay with the first, each once, and go with another first", async () => {
    const { agents, events } = given.store;
    const fallbacks = ["big-2", "small"];
    const ada = await agents.put({ name: "ada", charter: "assistant", model: "big-1", fallbacks });
    expect(ada).toMatchObject({ model: "big-1", fallbacks });
    const [set] = await events.list({ agent: "ada", kind: "agent-set", limit: 1 });
    expect(set?.detail).toEqual({ charter: "assistant", model: "big-1", fallbacks });
    expect(await agents.put(ada)).toMatchObject({ model: "big-1", fallbacks });
    const kept = await agents.update("ada", async ({ charter, model }) => ({
      charter,
      model,
      settings: { zone: "UTC" },
    }));
    expect(kept).toMatchObject({ model: "big-1", fallbacks, settings: { zone: "UTC" } });
    const twice = "bad-model: “ada” was given the model “big-1” twice.";
    const hint = "Name each model once: first the one that is to be asked first.";
    const change = (about: object) => problemOf(agents.update("ada", async () => ({ charter: "assistant", ...about })));
    expect(await change({ model: "big-1", fallbacks: ["big-1"] })).toBe(`${twice} ${hint}`);
    expect(await change({ fallbacks: ["big-1"] })).toBe(
      `bad-model: “ada” was given models to fall back to, and no first one. ${hint}`,
    );
    expect(await change({ model: "big-1", fallbacks: ["small", "small"] })).toMatch(/^bad-argument: /);
    const other = await agents.update("ada", async ({ charter }) => ({ charter, model: "small" }));
    expect([other.model, other.fallbacks]).toEqual(["small", undefined]);
  });

  test("two who change an agent at once lose nothing: the later is asked again, with what the other made of it", async () => {
    const { agents, events } = given.store;
    await agents.put({ name: "ada", charter: "assistant", model: "big-1", settings: { seen: [] }, label: "A" });
    const set = (await events.list({ agent: "ada", kind: "agent-set" })).length;
    const both = meeting();
    let waiting = 2;
    const asked: unknown[] = [];
    const add = (key: string) =>
      agents.update("ada", async ({ charter, model, settings }) => {
        asked.push(settings);
        if (--waiting === 0) both.meet();
        await both.met;
        return { charter, model, settings: { ...settings, [key]: true } };
      });
    await Promise.all([add("one"), add("two")]);
    expect(await agents.get("ada")).toMatchObject({
      model: "big-1",
      settings: { seen: [], one: true, two: true },
      label: "A",
    });
    expect(asked.length).toBe(3);
    expect((await events.list({ agent: "ada", kind: "agent-set" })).length).toBe(set + 2);
    expect(await problemOf(agents.update("eve", async () => ({ charter: "assistant" })))).toMatch(/^unknown-agent: /);
  });

  test("setting an agent up again changes it, and leaves its brake and its birthday alone", async () => {
    const { agents } = given.store;
    const born = await agents.put({ name: "eve", charter: "assistant" });
    await agents.freeze("eve", "amendments");
    given.clock.move(1000);
    const changed = await agents.put({ name: "eve", charter: "artifact", model: "small", settings: { a: 1 } });
    expect(changed).toEqual({
      name: "eve",
      charter: "artifact",
      model: "small",
      settings: { a: 1 },
      frozen: "amendments",
      createdAt: born.createdAt,
      updatedAt: given.clock.text(),
    });
  });

  test("an agent nobody knows is a problem that lists those there are", async () => {
    const { agents } = given.store;
    expect(await agents.find("nobody")).toBeUndefined();
    const names = (await agents.list()).map(({ name }) => `“${name}”`).join(", ");
    const unknown = `unknown-agent: There is no agent “nobody”. The agents are ${names}.`;
    expect(await problemOf(agents.get("nobody"))).toBe(unknown);
    const elsewhere = "unknown-agent: There is no agent “nobody”. See them with `charter agents`.";
    expect(await problemOf(agents.freeze("nobody", "agent"))).toBe(elsewhere);
    expect(await problemOf(agents.thaw("nobody"))).toBe(elsewhere);
  });

  test("the brake is put on and taken off, and each time is an event", async () => {
    const { agents, events } = given.store;
    const name = await given.agent();
    expect((await agents.freeze(name, "amendments")).frozen).toBe("amendments");
    expect((await agents.freeze(name, "agent")).frozen).toBe("agent");
    expect((await agents.thaw(name)).frozen).toBeNull();
    const told = (await events.list({ agent: name })).map(({ kind, detail }) => [kind, detail]);
    expect(told).toEqual([
      ["agent-thawed", {}],
      ["agent-frozen", { what: "agent" }],
      ["agent-frozen", { what: "amendments" }],
      ["agent-set", { charter: "test", model: null }],
    ]);
  });

  test("a user has a time zone of their own, or none", async () => {
    const { users } = given.store;
    expect(await users.list()).toEqual([]);
    const createdAt = given.clock.text();
    const bo = { id: "bo", zone: "Europe/Berlin", createdAt };
    expect(await users.put({ id: "bo", zone: "Europe/Berlin" })).toEqual(bo);
    expect(await users.put({ id: "al" })).toEqual({ id: "al", zone: null, createdAt });
    given.clock.move(1000);
    expect(await users.put({ id: "al", zone: "Asia/Kolkata" })).toEqual({ id: "al", zone: "Asia/Kolkata", createdAt });
    expect(await users.put({ id: "al" })).toEqual({ id: "al", zone: "Asia/Kolkata", createdAt });
    expect(await users.put({ id: "al", zone: null })).toEqual({ id: "al", zone: null, createdAt });
    expect(await users.setZone({ id: "al", zone: "UTC" })).toEqual({ id: "al", zone: "UTC", createdAt });
    expect(await users.find("bo")).toEqual(bo);
    expect(await users.find("cy")).toBeUndefined();
    expect((await users.list()).map(({ id }) => id)).toEqual(["al", "bo"]);
    expect((await users.list({ limit: 1, offset: 1 })).map(({ id }) => id)).toEqual(["bo"]);
    for (const [prefix, expected] of [
      ["b", ["bo"]],
      ["bo", ["bo"]],
      ["bob", []],
      ["", ["al", "bo"]],
      ["%", []],
      ["_", []],
      ["B", []],
    ] as const)
      expect((await users.list({ prefix })).map(({ id }) => id)).toEqual(expected);
    expect(await problemOf(users.put({ id: "bo", zone: "Mars/Base" }))).toBe(
      "bad-zone: “Mars/Base” is no time zone. Give one like Europe/Berlin or UTC.",
    );
    expect(await users.find("bo")).toEqual(bo);
  });

  const hint = "Use 1 to 200 visible characters on one line, with none of them a space at either end.";
  for (const name of ["", " ada", "a\nb", "a\0b", "\ud800", "a\u200bb", "\u202eada", "x".repeat(201)])
    test(`${JSON.stringify(name).slice(0, 20)} names neither agent nor user`, async () => {
      const { agents, users } = given.store;
      const no = (what: string) => `bad-name: ${JSON.stringify(name)} cannot be the name of a ${what}. ${hint}`;
      expect(await problemOf(agents.put({ name, charter: "test" }))).toBe(no("agent"));
      expect(await problemOf(users.put({ id: name }))).toBe(no("user"));
    });

  test("a name in the form of one is kept letter by letter, case and accents included", async () => {
    const { agents } = given.store;
    const names = ["Ada", "ADA", "名前", "é", "e\u0301", "7", "a-b_c.d", "v1.2", "x".repeat(200)];
    for (const name of names) await agents.put({ name, charter: name });
    const kept = await Promise.all(names.map(async (name) => (await agents.get(name)).charter));
    expect(kept).toEqual(names);
  });

  test("nobody new is called as a step in an address is; whoever is keeps the name", async () => {
    const { users, home } = given.store;
    for (const id of [".", ".."]) {
      const no = `bad-name: ${JSON.stringify(id)} cannot be the name of a new user. Give an id that an address can have: not “.” or “..”.`;
      expect(await problemOf(users.put({ id }))).toBe(no);
      await home.write("everything", (db) =>
        db.run(sql`insert into users (id, zone, created_at) values (${id}, ${null}, ${"2026"})`),
      );
      expect(await users.put({ id, zone: "UTC" })).toMatchObject({ id, zone: "UTC" });
    }
    expect(await users.put({ id: "auth0|a b/c." })).toMatchObject({ id: "auth0|a b/c." });
  });

  const odd = [".", "..", "My Agent!", "-ada", "ada.", "a/b", "o'neil", 'a"b', "a\\b", "$1", "?", "%", "👩‍🚀"];
  const formOf =
    "Use letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends, as in “ada” or “my-agent-2”.";
  test("no new agent has a name that would have to be quoted somewhere; one that has it is as good as any", async () => {
    const { agents, home, propose, standings } = given.store;
    for (const name of odd) {
      const no = `bad-name: ${JSON.stringify(name)} cannot be the name of a new agent. ${formOf}`;
      expect(await problemOf(agents.add({ name, charter: "test" }))).toBe(no);
      expect(await problemOf(agents.put({ name, charter: "test" }))).toBe(no);
      await home.write("everything", (db) =>
        db.run(sql`insert into agents (name, charter, model, settings, frozen, created_at, updated_at)
          values (${name}, ${"test"}, ${null}, ${"{}"}, ${null}, ${"2026"}, ${"2026"})`),
      );
      expect(await agents.put({ name, charter: "test", model: "m" })).toMatchObject({ name, model: "m" });
      expect(await agents.freeze(name, "agent")).toMatchObject({ name, frozen: "agent" });
      expect(await agents.thaw(name)).toMatchObject({ name, frozen: null });
      const scope = { agent: name };
      expect(await propose(deskOf({ scope }), rewrite("One."))).toMatchObject({ verdict: "accepted", revision: 1 });
      expect((await standings.read(charter, scope)).goals).toEqual({ text: "One.", revision: 1 });
    }
    expect((await agents.list()).map(({ name }) => name)).toEqual(expect.arrayContaining(odd));
  });

  test("a page that cannot be read is a problem, and a page past the end is empty", async () => {
    const { users } = given.store;
    const no = "Ask for 1 to 1000 rows, from 0 on.";
    for (const [limit, offset] of [
      [0, 0],
      [1001, 0],
      [1.5, 0],
      [Number.NaN, 0],
      [1, -1],
    ] as const)
      expect(await problemOf(users.list({ limit, offset }))).toBe(
        `bad-page: A page of ${limit} rows from ${offset} on cannot be read. ${no}`,
      );
    expect(await users.list({ offset: 10_000 })).toEqual([]);
  });
});
