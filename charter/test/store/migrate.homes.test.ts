import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { raw, sql } from "../../src/store/home/sql.ts";
import { type Schema, step } from "../../src/store/home/table-statements.ts";
import { columns, createStore, type Home, type Store, table, verifyStore } from "../../src/store/index.ts";
import { storeTables } from "../../src/store/schema.ts";
import { homes, newPlace, type Place } from "../homes.ts";
import { problemOf } from "./contract/given.ts";
import { take } from "./lived.ts";
import { known, later, withColumns } from "./trial.ts";
import { afterOutsider, asOutsider } from "./verify/outside.ts";

const { data, id, text } = columns;
const places: Place[] = [];
const folder = mkdtempSync(join(tmpdir(), "charter-migrate-"));
afterAll(async () => {
  for (const place of places) await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

const tagged = withColumns("schedules", (all) => ({
  ...all,
  trialtags: data().usual("[]"),
  trialmood: text().nullable(),
}));
const labels = table("triallabels", { of: "user", key: ["id"] }, { id: id(), words: text() });
/** One step on: columns and a table that are new. */
const added = later(
  [...tagged, labels],
  step(known + 1, { add: { schedules: ["trialtags", "trialmood"] }, create: ["triallabels"] }),
);
const shouting = { schedules: ({ title }: { readonly title?: unknown }) => ({ title: `${title}`.toUpperCase() }) };
/** One step on: other words in rows. */
const rewritten = later(storeTables, step(known + 1, { rewrite: shouting }));
/** One step on: a column and a table less. */
const dropped = later(
  withColumns("schedules", ({ zone: _, ...rest }) => rest).filter(({ name }) => name !== "link_codes"),
  step(known + 1, {
    drop: { schedules: { zone: columns.name().nullable() } },
    dropTables: storeTables.filter(({ name }) => name === "link_codes"),
  }),
);

describe.each(homes)("the schema of a database on %s", (name) => {
  const schedule = (store: Store, user: string, zone?: string) =>
    store.schedules.add({
      ...{ scope: { agent: "ada", user }, title: `of ${user}`, input: "go", nextAt: "2027-01-01T00:00:00Z" },
      ...(zone === undefined ? {} : { zone }),
    });
  const opened = async (place: Place, schema?: Schema) => {
    const store = await createStore(place.open(schema && { schema }));
    onTestFinished(store.close);
    return store;
  };
  const newStore = async () => {
    const place = await newPlace(name);
    places.push(place);
    const store = await createStore(place.open());
    await store.agents.put({ name: "ada", charter: "test" });
    await store.users.put({ id: "bo", zone: "UTC" });
    for (const user of ["bo", "cy"]) {
      await schedule(store, user, "Europe/Berlin");
      await take(store, "ada", user, `asked by ${user}`);
    }
    await store.links.createCode({ agent: "ada", user: "bo" }, "telegram");
    await store.close();
    return place;
  };
  const migrated = async (place: Place, schema?: Schema) => {
    const home = place.open(schema && { schema });
    return home.migrate().finally(home.close);
  };
  const faultsOf = async (home: Home) =>
    (await verifyStore(home)).faults.map(({ table, row, what }) => [table, row, what]);
  const titles = (home: Home) =>
    home.read("everything", async (db) =>
      (await db.all<{ title: string }>(sql`select title from schedules order by user_id`)).map(({ title }) => title),
    );
  const setVersion = (home: Home, version: number) =>
    home.write("everything", async (db) => {
      if (name === "sqlite") await db.run(raw(`pragma user_version = ${version}`));
      else await db.run(sql`update schema_version set version = ${version}, least_reader = ${version}`);
    });
  test("a step that adds leaves every seal as it is, and is taken once", async () => {
    const place = await newStore();
    const home = place.open({ schema: added });
    await expect(createStore(home)).rejects.toMatchObject({ code: "older-schema", hint: /charter migrate/ });
    await home.close();
    const copy = name === "sqlite" ? { copy: `${place.url}.schema-${known}` } : {};
    expect(await migrated(place, added)).toEqual({ from: known, to: known + 1, ...copy });
    expect(await migrated(place, added)).toEqual({ from: known + 1, to: known + 1 });
    expect(existsSync(`${place.url}.schema-${known}`)).toBe(name === "sqlite");
    const store = await opened(place, added);
    expect(await faultsOf(store.home)).toEqual([]);
    await store.home.write({ agent: "ada", user: "bo" }, async (db) => {
      await db.run(sql`update schedules set trialtags = ${'["a"]'}, trialmood = ${"glad"}`);
      await db.run(sql`insert into triallabels (agent, user_id, id, words) values ('ada', 'bo', 'l1', 'red')`);
    });
    expect(await faultsOf(store.home)).toEqual([]);
    const { agents } = await store.export({ user: "bo" });
    expect([agents[0]?.schedules, agents[0]?.triallabels]).toMatchObject([
      [{ trialtags: ["a"], trialmood: "glad" }],
      [{ words: "red" }],
    ]);
    expect((await store.erase({ user: "bo" })).rows).toMatchObject({ schedules: 1, triallabels: 1 });
    expect(await faultsOf(store.home)).toEqual([]);
    expect((await store.events.list({ kind: "schema-brought" })).map(({ detail }) => detail)).toEqual([
      { owner: "store", from: known, to: known + 1 },
    ]);
  });

  test("who changes a value that is not the default is found out, and so is who moves words between columns", async () => {
    const place = await newStore();
    await migrated(place, added);
    const home = place.open({ schema: added });
    const set = sql`update schedules set trialtags = ${"a"}, trialmood = ${"b"} where user_id = 'bo'`;
    await home.write("everything", (db) => db.run(set));
    await home.close();
    for (const words of [
      "trialtags = 'a3:b', trialmood = null",
      "trialtags = 'a trialmood text 1:b', trialmood = null",
      "trialtags = 'b', trialmood = 'a'",
      "trialtags = '[]'",
    ])
      expect(
        (
          await afterOutsider(
            place,
            async (db) => void (await db.run(raw(`update schedules set ${words} where user_id = 'bo'`))),
            { schema: added },
          )
        ).faults,
      ).toMatchObject([{ table: "schedules", row: "agent ada, user bo", what: "edited" }]);
  });

  test("a rewrite seals anew what held, and goes on naming what did not", async () => {
    const place = await newStore();
    await asOutsider(place, "update schedules set title = 'forged' where user_id = 'cy'");
    await migrated(place, rewritten);
    const store = await opened(place, rewritten);
    const cy = ["schedules", "agent ada, user cy", "edited"];
    expect([await titles(store.home), await faultsOf(store.home)]).toEqual([["OF BO", "FORGED"], [cy]]);
    await schedule(store, "cy");
    expect(await faultsOf(store.home)).toEqual([cy]);
    expect((await store.events.list({ kind: "schema-brought" })).map(({ detail }) => detail)).toEqual([
      {
        ...{ owner: "store", from: known, to: known + 1, further: 0 },
        faults: [{ table: "schedules", row: "agent ada, user cy", what: "edited" }],
      },
    ]);
  });

  test("a drop takes columns and tables with their seals", async () => {
    const place = await newStore();
    await migrated(place, dropped);
    const store = await opened(place, dropped);
    const { tables } = (await store.home.look()) ?? {};
    expect([tables?.has("link_codes"), tables?.get("schedules")?.includes("zone")]).toEqual([false, false]);
    expect(await faultsOf(store.home)).toEqual([]);
    await schedule(store, "bo");
    expect(await faultsOf(store.home)).toEqual([]);
    await expect(createStore(place.open())).rejects.toMatchObject({ code: "newer-schema" });
  });

  test("checkpoints of older versions are read through the steps", async () => {
    const place = await newStore();
    const store = await opened(place);
    const { file, content } = await store.checkpoint.save(join(folder, `${name}-known`));
    for (const schema of [added, rewritten, dropped]) {
      const other = await newPlace(name, "empty");
      places.push(other);
      const again = await opened(other, schema);
      expect((await again.checkpoint.restore(file)).content).toBe(content);
      expect(await faultsOf(again.home)).toEqual([]);
      expect(await titles(again.home)).toEqual(schema === rewritten ? ["OF BO", "OF CY"] : ["of bo", "of cy"]);
      const newer = await again.checkpoint.save(join(folder, `${name}-newer`), { force: true });
      expect(await problemOf(store.checkpoint.restore(newer.file, { replace: true }))).toMatch(/^newer-checkpoint: /);
    }
  });

  test("what is missing is named when it is opened, and put in place by migrate", async () => {
    const place = await newStore();
    const undeclared = later([...tagged, labels]);
    const home = place.open({ schema: undeclared });
    expect(await problemOf(createStore(home))).toBe(
      `older-schema: ${home.place} lacks the column schedules.trialtags, the column schedules.trialmood, the table triallabels. Run \`charter migrate\`, which puts it in place; nothing was changed.`,
    );
    await home.close();
    await migrated(place, undeclared);
    expect(await faultsOf((await opened(place, undeclared)).home)).toEqual([]);
  });

  test("what is unknown keeps nobody from turns, and is never left out silently", async () => {
    const place = await newStore();
    const store = await opened(place);
    const home = store.home;
    const unknown = async (words: string, names: string) => {
      await home.write("everything", (db) => db.run(raw(words)));
      await take(store, "ada", "bo", words);
      const refused = `unknown-data: ${home.place} has ${names}, which this program does not know: it cannot erase, export, save, retain or verify everything. Use the Charter, or the program, that brought it; nothing was changed. Turns go on.`;
      const user = { user: "bo" };
      const deeds = [
        () => store.erase(user),
        () => store.erasable(user),
        () => store.export(user),
        () => store.remove("ada", { erase: true }),
        () => store.retain({ events: 0 }),
        () => store.checkpoint.save(join(folder, "unknown")),
        () => verifyStore(home),
      ];
      for (const deed of deeds) expect(await problemOf(deed())).toBe(refused);
    };
    await home.write("everything", (db) => db.run(raw("create table diaries (words text)")));
    expect(await faultsOf(home)).toEqual([]);
    await unknown("insert into diaries (words) values ('dear')", "the table diaries");
    await unknown("alter table users add column age integer", "the column users.age, the table diaries");
  });

  test("one of a later Charter, and one from before the first release, are refused by name and not touched", async () => {
    const place = await newStore();
    const home = place.open();
    for (const [version, code] of [
      [known + 1, "newer-schema"],
      [11, "older-schema"],
      [1, "older-schema"],
    ] as const) {
      await setVersion(home, version);
      for (const open of [() => createStore(place.open()), () => home.migrate()])
        await expect(open()).rejects.toMatchObject({ code, message: new RegExp(`schema ${version}`) });
      expect((await home.look())?.versions.get("store")?.version).toBe(version);
    }
    await home.close();
  });
});
