import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tokens } from "../../accounts/tokens.ts";
import { seals } from "../../schema.ts";
import type { Home } from "../database.ts";
import { insertInto } from "../query.ts";
import { type Query, raw, sql } from "../sql.ts";
import { count, id, table, text } from "../table.ts";
import { schemaOf } from "../table-statements.ts";
import { sqlite } from "./sqlite.ts";

/** Drawings of users, each made after another one, and how many an agent has. */
const drawings = table(
  "drawings",
  { of: "user", key: ["id"] },
  { id: id(), after: id().nullable(), words: text(), seen: count().usual(0) },
);
const albums = table("albums", { of: "agent", key: ["agent"] }, { drawings: count() });

const bo = { agent: "ada", user: "bo" };
const rows = [
  ["ada", "", "all", null],
  ["ada", "bo", "bo-1", null],
  ["ada", "bo", "bo-2", "cy-1"],
  ["ada", "cy", "cy-1", "bo-1"],
  ["bob", "bo", "other", "bo-1"],
] as const;
const added = ([agent, user, name, after]: (typeof rows)[number]) =>
  sql`insert into drawings (agent, user_id, id, after, words) values (${agent}, ${user}, ${name}, ${after}, ${"tea"})`;

const tables = [drawings, albums, tokens, seals];
const schema = schemaOf([{ owner: "store", first: 1, tables, steps: [] }]);

let home: Home;
beforeEach(async () => {
  home = sqlite(":memory:", { schema });
  await home.migrate();
  await home.write("everything", async (db) => {
    for (const row of rows) await db.run(added(row));
    for (const agent of ["ada", "bob"]) await db.run(sql`insert into albums (agent, drawings) values (${agent}, ${3})`);
    await db.run(insertInto(tokens, { id: "t", digest: "d", name: "ci", kind: "operator", createdAt: "now" }));
  });
});
afterEach(() => home.close());

const seen = (query: Query) => home.read(bo, (db) => db.all(query));
const done = (query: Query) => home.write(bo, (db) => db.run(query));
const given = (query: Query) => home.write(bo, (db) => db.all(query));
/** All there is, whoever looks: the drawings that are not as they were first. */
async function changed() {
  const now = await home.read("everything", (db) =>
    db.all<Record<string, unknown>>(raw("select agent, user_id, id, after, words, seen from drawings order by id")),
  );
  const before = rows.map(([agent, user_id, name, after]) => ({
    agent,
    user_id,
    id: name,
    after,
    words: "tea",
    seen: 0,
  }));
  const isIn = (list: readonly object[], one: object) =>
    list.some((other) => JSON.stringify(other) === JSON.stringify(one));
  return {
    gone: before.filter((one) => !now.some((other) => other.id === one.id)).map((one) => one.id),
    changed: now.filter((one) => !isIn(before, one)).map((one) => one.id),
  };
}
const nothing = { gone: [], changed: [] };

describe("what a scope reads is its own and its agent's, in whatever place a statement names a table", () => {
  const own = [{ id: "all" }, { id: "bo-1" }, { id: "bo-2" }];
  test.each([
    ["select", "select id from drawings order by id", own],
    ["a name for it", "select d.id from drawings d order by d.id", own],
    ["a name with as", "select d.id from drawings as d order by d.id", own],
    ["quoted", 'select id from "drawings" order by id', own],
    ["in other letters", "SELECT id FROM Drawings ORDER BY id", own],
    ["a condition that always holds", "select id from drawings where 1 = 1 or user_id = 'cy' order by id", own],
    ["one asked for by name", "select id from drawings where id in ('cy-1', 'other')", []],
    ["a join", "select o.id from drawings d join drawings o on o.after = d.id", []],
    [
      "a left join",
      "select d.id, o.id as made from drawings d left join drawings o on o.id = d.after order by d.id",
      own.map((one) => ({ ...one, made: null })),
    ],
    ["a join by comma", "select count(*) as count from drawings a, drawings b", [{ count: 9 }]],
    ["a subquery", "select (select count(*) from drawings) as count", [{ count: 3 }]],
    ["exists", "select exists (select 1 from drawings where user_id = 'cy') as there", [{ there: 0 }]],
    ["a query in from", "select count(*) as count from (select * from drawings)", [{ count: 3 }]],
    ["a union", "select 'x' as id union select id from drawings order by id", [...own, { id: "x" }]],
    ["a with of its own", "with few as (select id from drawings) select id from few order by id", own],
    [
      "several",
      "with one as (select id from drawings), two as (select id from one) select count(*) as count from two",
      [{ count: 3 }],
    ],
    [
      "recursive",
      "with recursive line (id) as (select 'cy-1' union select d.id from drawings d join line on d.after = line.id) select id from line order by id",
      [{ id: "bo-2" }, { id: "cy-1" }],
    ],
    [
      "a plain with that is recursive",
      "with line (id) as (select 'bo-1' union select d.id from drawings d join line on d.after = line.id) select id from line",
      [{ id: "bo-1" }],
    ],
    [
      "an aggregate",
      "select agent, user_id, count(*) as count from drawings group by agent, user_id",
      [
        { agent: "ada", user_id: "", count: 1 },
        { agent: "ada", user_id: "bo", count: 2 },
      ],
    ],
    ["a window", "select id, count(*) over () as count from drawings order by id limit 1", [{ id: "all", count: 3 }]],
    ["lines before it", "\n  select id\n  from drawings order by id", own],
    ["an agent's table", "select * from albums", [{ agent: "ada", drawings: 3 }]],
  ] as const)("%s", async (_what, words, expected) => {
    expect(await seen(raw(words))).toEqual(expected);
    expect(await given(raw(words))).toEqual(expected);
  });

  test("one after the other", async () => {
    const found: unknown[] = [];
    await home.read(bo, async (db) => {
      for await (const row of db.each(raw("select id from drawings order by id"))) found.push(row);
    });
    expect(found).toEqual(own);
  });

  test("an agent's own scope sees what is common, and the operator everything", async () => {
    const all = raw("select id from drawings order by id");
    expect(await home.read({ agent: "ada" }, (db) => db.all(all))).toEqual([{ id: "all" }]);
    expect(await home.read({ agent: "carl", user: "bo" }, (db) => db.all(all))).toEqual([]);
    expect((await home.read("everything", (db) => db.all(all))).length).toBe(5);
  });

  test("whoever works with the connection next has their own scope", async () => {
    const words = sql`select count(*) as count from drawings`;
    const reads = [bo, "everything", { agent: "bob", user: "bo" }, bo] as const;
    const counts = await Promise.all(reads.map((reach) => home.write(reach, (db) => db.one(words))));
    expect(counts).toEqual([{ count: 3 }, { count: 5 }, { count: 1 }, { count: 3 }]);
  });
});

describe("what a scope writes is its own", () => {
  test.each([
    ["update", "update drawings set seen = 1", 2, ["bo-1", "bo-2"], []],
    ["update of another's", "update drawings set seen = 1 where id in ('cy-1', 'other', 'all')", 0, [], []],
    [
      "update by what others have",
      "update drawings set seen = (select count(*) from drawings) where id = 'bo-1'",
      1,
      ["bo-1"],
      [],
    ],
    [
      "update from",
      "update drawings set words = o.words || o.id from drawings o where o.id = drawings.after",
      0,
      [],
      [],
    ],
    ["delete", "delete from drawings", 2, [], ["bo-1", "bo-2"]],
    ["delete of another's", "delete from drawings where user_id <> 'bo' or agent <> 'ada'", 0, [], []],
    ["delete by a subquery", "delete from drawings where after in (select id from drawings)", 0, [], []],
    [
      "insert … select",
      "insert into drawings (agent, user_id, id, words) select agent, user_id, 'of ' || id, words from drawings where user_id <> ''",
      2,
      ["of bo-1", "of bo-2"],
      [],
    ],
    [
      "a with before it",
      "with few as (select id from drawings) delete from drawings where id in (select id from few)",
      2,
      [],
      ["bo-1", "bo-2"],
    ],
    [
      "upsert of its own",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'bo', 'bo-1', 'new') on conflict (id) do update set words = excluded.words",
      1,
      ["bo-1"],
      [],
    ],
    [
      "upsert onto another's",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'bo', 'cy-1', 'new') on conflict (id) do update set words = excluded.words, user_id = 'bo'",
      0,
      [],
      [],
    ],
    [
      "insert that another's stands in the way of",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'bo', 'cy-1', 'new') on conflict (id) do nothing",
      0,
      [],
      [],
    ],
  ] as const)("%s", async (_what, words, times, ids, gone) => {
    expect(await done(raw(words))).toBe(times);
    expect(await changed()).toEqual({ gone, changed: ids });
  });

  test.each([
    ["update", "update drawings set seen = 1 returning id", [{ id: "bo-1" }, { id: "bo-2" }]],
    ["delete", "delete from drawings where id like '%-1' returning id, words", [{ id: "bo-1", words: "tea" }]],
    [
      "upsert",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'bo', 'other', 'x') on conflict (id) do update set seen = 1 returning *",
      [],
    ],
  ])("what %s returns is its own as well", async (_what, words, expected) => {
    expect(await given(raw(words))).toEqual(expected);
  });

  const outside = "a row of drawings is outside the scope it is written in";
  test.each([
    [
      "added for another user",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'cy', 'new', 'x')",
      outside,
    ],
    ["added for everyone", "insert into drawings (agent, user_id, id, words) values ('ada', '', 'new', 'x')", outside],
    [
      "added for another agent",
      "insert into drawings (agent, user_id, id, words) values ('bob', 'bo', 'new', 'x')",
      outside,
    ],
    [
      "added among its own",
      "insert into drawings (agent, user_id, id, words) values ('ada', 'bo', 'a', 'x'), ('ada', 'cy', 'b', 'x')",
      outside,
    ],
    ["given away", "update drawings set user_id = 'cy'", outside],
    ["given to another agent", "update drawings set agent = 'bob' where id = 'bo-1'", outside],
    [
      "added to an agent's table",
      "insert into albums (agent, drawings) values ('carl', 0)",
      "a row of albums is outside",
    ],
  ])("nothing is %s", async (_what, words, why) => {
    await expect(done(raw(words))).rejects.toThrow(why);
    expect(await changed()).toEqual(nothing);
  });

  test("of an agent's table nothing is changed", async () => {
    expect(await done(raw("update albums set drawings = 9"))).toBe(0);
    expect(await done(raw("delete from albums"))).toBe(0);
  });

  test("and the operator writes everything, before and after", async () => {
    const words = raw("update drawings set seen = seen + 1");
    expect(await home.write("everything", (db) => db.run(words))).toBe(5);
    expect(await done(words)).toBe(2);
    expect(await home.write("everything", (db) => db.run(words))).toBe(5);
  });
});

describe("no statement of a scope goes around its fence", () => {
  test.each([
    "select * from main.drawings",
    "select * from MAIN . drawings",
    'select * from "main"."drawings"',
    "select * from main/**/.drawings",
    "delete from main.drawings",
    "select * from temp.sqlite_master",
    "select sql from sqlite_master",
    "select * from memories_search_data",
    "insert or replace into drawings (agent, user_id, id, words) values ('ada', 'bo', 'cy-1', 'x')",
    "replace into drawings (agent, user_id, id, words) values ('ada', 'bo', 'cy-1', 'x')",
    `Replace into "Drawings" (agent, user_id, id, words) values ('ada', 'bo', 'cy-1', 'x')`,
    "update or replace drawings set id = 'cy-1' where id = 'bo-1'",
  ])("%s", async (words) => {
    const refused = `In a scope no statement goes around its fence: ${words}`;
    await expect(seen(raw(words))).rejects.toThrow(refused);
    await expect(done(raw(words))).rejects.toThrow(refused);
    expect(await changed()).toEqual(nothing);
  });

  test.each([
    "select * from tokens",
    "select 1 where exists (select 1 from tokens)",
    "update tokens set revoked_at = null",
    "select * from seals",
    "update seals set count = 0",
    "delete from seals",
  ])("the operator's alone: %s", async (words) => {
    const refused = /^No scope reaches the table (?:tokens|seals)\.$/;
    await expect(seen(raw(words))).rejects.toThrow(refused);
    await expect(done(raw(words))).rejects.toThrow(refused);
  });
});

test("seals follow what is written in a scope, also after the operator wrote seals and all else", async () => {
  const sealOf = () =>
    home.read("everything", (db) =>
      db.all(raw("select agent, user_id, count from seals where what = 'drawings' order by agent, user_id")),
    );
  await home.write("everything", async (db) => {
    await db.run(raw("update seals set count = count"));
    await db.run(raw("delete from seals where what = 'nothing'"));
  });
  await done(added(["ada", "bo", "bo-3", null] as never));
  await done(raw("update drawings set words = 'milk' where id = 'bo-1'"));
  await done(raw("delete from drawings where id = 'bo-2'"));
  expect(await sealOf()).toEqual([
    { agent: "ada", user_id: "", count: 1 },
    { agent: "ada", user_id: "bo", count: 2 },
    { agent: "ada", user_id: "cy", count: 1 },
    { agent: "bob", user_id: "bo", count: 1 },
  ]);
});
