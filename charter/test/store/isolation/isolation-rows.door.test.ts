import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../src/store/home/database.ts";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type Reach, type Store } from "../../../src/store/index.ts";
import { rebuildSearch } from "../../../src/store/lifecycle/restore.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { newPlace, type Place, queryAsOwner } from "../../homes.ts";
import { deskOf, rewrite } from "../desk.ts";
import { kinds, nothingWritten, secret, users } from "./isolation-kinds.ts";

const scopedTables = storeTables.filter(({ of }) => of === "user").map(({ name }) => name);
const closedTables = storeTables.filter(({ of, fence }) => of === "store" && !fence?.see).map(({ name }) => name);

describe("row-level security, with the port's own filter left out", () => {
  let place: Place;
  let store: Store;
  const agent = "ada";
  beforeAll(async () => {
    place = await newPlace("postgres");
    store = await createStore(place.open());
    for (const name of [agent, "eve"]) {
      await store.agents.put({ name, charter: "test" });
      await store.propose(deskOf({ scope: { agent: name } }), rewrite(`common words of ${name}`));
      await store.memory.save({ agent: name }, { text: `common note of ${name}` });
      await store.schedules.add({ scope: { agent: name }, title: "t", input: "i", nextAt: "2030-01-01T00:00:00Z" });
      for (const user of users)
        for (const [index, write] of kinds.entries())
          await write(store, name, user, secret(`${user}-${name}`, index), nothingWritten());
    }
    for (const name of [agent, "eve"]) await store.home.write("everything", (db) => rebuildSearch(db, name));
    for (const user of users) await store.users.put({ id: user, zone: "UTC" });
    await store.tokens.create({ name: "t", kind: "operator" });
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });
  const all = (reach: Reach, table: string) =>
    store.home.read(reach, (db) => db.all<Record<string, string>>(sql`select * from ${raw(table)}`));
  const scope = { agent, user: "a" };
  const letters: readonly string[] = [
    ...["conversations", "exchanges", "inbox", "outbox", "chain_messages", "chain_replies"],
  ];
  /** In these tables nobody is a user: those who wrote stand in them. */
  const nameIn = (table: string) => (user: string) => (letters.includes(table) ? `counterpart:${user}` : user);

  for (const table of scopedTables)
    test(`${table}: only the scope's own rows and the agent's common ones are seen`, async () => {
      const named = nameIn(table);
      const whose = new Set((await all("everything", table)).map((row) => `${row.agent}/${row.user_id}`));
      for (const user of users) expect(whose).toContain(`${agent}/${named(user)}`);
      const own = { agent, user: named("a") };
      const seen = new Set((await all(own, table)).map((row) => `${row.agent}/${row.user_id}`));
      expect(seen.has(`${agent}/${own.user}`)).toBe(true);
      seen.delete(`${agent}/`);
      expect([...seen]).toEqual([`${agent}/${own.user}`]);
      const common = new Set((await all({ agent }, table)).map((row) => `${row.agent}/${row.user_id}`));
      common.delete(`${agent}/`);
      expect([...common]).toEqual([]);
      expect(await all({ agent: "nobody", user: named("a") }, table)).toEqual([]);
    });

  test("texts: another's are not seen, not even by their digest", async () => {
    const mine = await all(scope, "texts");
    expect(new Set(mine.map(({ owner }) => owner))).toEqual(new Set(["", "a"]));
    const theirs = (await all("everything", "texts")).filter(({ owner }) => owner === "b");
    expect(theirs.length).toBeGreaterThan(3);
    for (const { digest } of theirs) {
      const found = await store.home.read(scope, (db) =>
        db.all(sql`select * from texts where digest = ${digest as string} and owner = ${"b"}`),
      );
      expect(found).toEqual([]);
    }
  });

  test("agents, users and chains: one's own; and nothing at all of tables that are closed", async () => {
    expect((await all(scope, "agents")).map(({ name }) => name)).toEqual([agent]);
    expect((await all(scope, "users")).map(({ id }) => id)).toEqual(["a"]);
    expect(await all({ agent }, "users")).toEqual([]);
    expect((await all(scope, "hash_chains")).map((row) => row.agent)).toEqual([agent]);
    for (const closed of closedTables)
      await expect(all(scope, closed)).rejects.toMatchObject({ code: "store-refused" });
  });

  const write = (work: (db: Database) => Promise<unknown>) => store.home.write(scope, work);
  /** A copy of someone's row, said to be someone else's. */
  const forged = async (table: string, from: string, to: Record<string, string>) => {
    const [row] = (await all("everything", table)).filter((one) => one.agent === agent && one.user_id === from);
    const { search: _, ...rest } = { ...row, ...to };
    const names = Object.keys(rest);
    const values = names.map((name) => rest[name] ?? null);
    return sql`insert into ${raw(table)} (${raw(names.join(", "))}) values ${values.reduce(
      (list, value, index) => (index === 0 ? sql`(${value}` : sql`${list}, ${value}`),
      sql``,
    )})`;
  };

  for (const table of scopedTables)
    test(`${table}: another's rows and the common ones are neither added to, changed nor taken away`, async () => {
      const named = nameIn(table);
      const own = named("a");
      const write = (work: (db: Database) => Promise<unknown>) => store.home.write({ agent, user: own }, work);
      const before = await all("everything", table);
      for (const user of [named("b"), ""]) {
        const insert = await forged(table, own, { user_id: user });
        await expect(write((db) => db.run(insert))).rejects.toMatchObject({ code: "store-refused" });
      }
      const elsewhere = await forged(table, own, { agent: "eve" });
      await expect(write((db) => db.run(elsewhere))).rejects.toMatchObject({ code: "store-refused" });
      const others = sql`where user_id <> ${own} or agent <> ${agent}`;
      expect(await write((db) => db.run(sql`update ${raw(table)} set agent = ${agent} ${others}`))).toBe(0);
      expect(await write((db) => db.run(sql`delete from ${raw(table)} ${others}`))).toBe(0);
      const given = write((db) => db.run(sql`update ${raw(table)} set user_id = ${named("b")}`));
      await expect(given).rejects.toMatchObject({ code: "store-refused" });
      expect(await all("everything", table)).toEqual(before);
    });

  test("texts and chains: a user's step adds common words and moves its agent's chain, and takes nothing away", async () => {
    const before = await all("everything", "texts");
    const forgedText = sql`insert into texts (owner, digest, base, depth, packed, body)
      values (${"b"}, ${"0".repeat(64)}, ${null}, ${0}, ${0}, ${Buffer.from("x")})`;
    await expect(write((db) => db.run(forgedText))).rejects.toMatchObject({ code: "store-refused" });
    expect(await write((db) => db.run(sql`delete from texts where owner <> ${"a"}`))).toBe(0);
    expect(await write((db) => db.run(sql`update texts set body = ${Buffer.from("forged")}`))).toBe(0);
    expect(await write((db) => db.run(sql`delete from hash_chains`))).toBe(0);
    expect(await write((db) => db.run(sql`update hash_chains set number = number where agent <> ${agent}`))).toBe(0);
    expect(await all("everything", "texts")).toEqual(before);
    await expect(write((db) => db.run(sql`update agents set frozen = ${null}`))).rejects.toMatchObject({
      code: "store-refused",
    });
  });

  test("an agent's state and means are seen in a user's scope, and only its totals are added to", async () => {
    for (const name of [agent, "eve"]) await store.automata.grant(name, 1000, "olga");
    for (const table of ["automata", "totals"])
      expect((await all(scope, table)).map((row) => row.agent)).toEqual([agent]);
    expect(new Set((await all(scope, "chain_cursors")).map((row) => row.agent))).toEqual(new Set([agent]));
    const unwritten = ["automata", "lanes", "message_ids", "tool_pins", "charters"];
    for (const table of [...unwritten, "chain_cursors", "chain_blocks", "chain_balances"])
      await expect(write((db) => db.run(sql`delete from ${raw(table)}`))).rejects.toMatchObject({
        code: "store-refused",
      });
    const richer = write((db) => db.run(sql`update automata set granted = ${1e9}`));
    await expect(richer).rejects.toMatchObject({ code: "store-refused" });
    expect(await write((db) => db.run(sql`update totals set turns = turns where agent <> ${agent}`))).toBe(0);
    expect(await write((db) => db.run(sql`delete from totals`))).toBe(0);
  });

  test("what an agent publishes is seen in a user's scope, and only changed in the agent's own", async () => {
    const head = { id: "e", createdAt: 1, digest: null, place: null };
    for (const name of [agent, "eve"])
      await store.publications.noteSeen({ agent: name, section: "core", address: "a" }, head);
    expect((await all(scope, "heads")).map((row) => row.agent)).toEqual([agent]);
    const forged = sql`insert into heads (agent, section, address, created_at, at) values (${agent}, 'core', 'b', 9, '')`;
    await expect(write((db) => db.run(forged))).rejects.toMatchObject({ code: "store-refused" });
    expect(await write((db) => db.run(sql`update heads set created_at = ${9}`))).toBe(0);
    expect(await write((db) => db.run(sql`delete from heads`))).toBe(0);
  });

  test("the role a scope is looked through owns nothing, bypasses nothing and cannot be logged into", async () => {
    const rows = (words: string) => queryAsOwner(place.url, words);
    const roles = await rows(
      "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin, rolinherit from pg_roles where rolname = 'charter_user'",
    );
    const no = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false };
    expect(roles).toEqual([{ ...no, rolcanlogin: false, rolinherit: false }]);
    const owned = await rows(
      "select relname from pg_class where relowner = 'charter_user'::regrole union all select nspname from pg_namespace where nspowner = 'charter_user'::regrole",
    );
    expect(owned).toEqual([]);
    const bare = await rows(`select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'charter' and c.relkind = 'r' and not c.relrowsecurity and relname <> 'schema_version'`);
    expect(bare).toEqual([]);
    const who = await store.home.read(scope, (db) => db.one(sql`select current_user::text as name`));
    expect(who).toEqual({ name: "charter_user" });
  });

  test("a name that would be words of SQL is a name, whatever the server thinks of backslashes", async () => {
    const other = await newPlace("postgres");
    const name = new URL(other.url).pathname.slice(1);
    await queryAsOwner(other.url, `alter database ${name} set standard_conforming_strings = off`);
    const odd = await createStore(other.open());
    await odd.agents.put({ name: agent, charter: "test" });
    const tricks = ["a\\", "\\'; reset role; --", "\\'||(select 1)||\\'", "'; reset role; select '", "b"];
    for (const user of tricks) await odd.memory.save({ agent, user }, { text: `note of ${user}` });
    for (const user of tricks) {
      const rows = await odd.home.read({ agent, user }, (db) => db.all<{ text: string }>(sql`select * from memories`));
      expect(rows.map(({ text }) => text)).toEqual([`note of ${user}`]);
    }
    await odd.close();
    await other.remove();
  });
});
