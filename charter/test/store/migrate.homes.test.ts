import { afterAll, describe, expect, test } from "vitest";
import { raw, sql } from "../../src/store/home/sql.ts";
import type { Schema } from "../../src/store/home/table-statements.ts";
import { createStore, type Home } from "../../src/store/index.ts";
import { storeSchema, versionOf } from "../../src/store/schema.ts";
import { homes, newPlace, type Place } from "../homes.ts";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

const known = versionOf(storeSchema);

/** As a later Charter would know it: one step on. */
const later: Schema = { ...storeSchema, steps: [({ number }) => [`alter table users add column age ${number}`]] };

describe.each(homes)("the schema of a database on %s", (name) => {
  const newStore = async () => {
    const place = await newPlace(name);
    places.push(place);
    const store = await createStore(place.open());
    await store.users.put({ id: "bo", zone: "UTC" });
    await store.close();
    return place;
  };
  const setVersion = (home: Home, version: number) =>
    home.write("everything", (db) =>
      db.run(
        name === "sqlite"
          ? raw(`pragma user_version = ${version}`)
          : sql`update schema_version set version = ${version}`,
      ),
    );

  test("a step brings it on, and what is in it stays", async () => {
    const place = await newStore();
    const home = place.open({ schema: later });
    await expect(createStore(home)).rejects.toMatchObject({ code: "older-schema", hint: /charter migrate/ });
    expect(await home.migrate()).toEqual({ from: known, to: known + 1 });
    expect(await home.migrate()).toEqual({ from: known + 1, to: known + 1 });
    const read = home.read("everything", (db) => db.all(sql`select id, age from users`));
    expect(await read).toEqual([{ id: "bo", age: null }]);
    await home.close();
  });

  test("one of a later Charter, and one from before the first release, are refused by name and not touched", async () => {
    const place = await newStore();
    const home = place.open();
    for (const [version, code] of [
      [known + 1, "newer-schema"],
      [known - 1, "older-schema"],
      [1, "older-schema"],
    ] as const) {
      await setVersion(home, version);
      for (const open of [() => createStore(place.open()), () => home.migrate()])
        await expect(open()).rejects.toMatchObject({ code, message: new RegExp(`schema ${version}`) });
      expect(await home.version()).toBe(version);
    }
    await home.close();
  });
});
