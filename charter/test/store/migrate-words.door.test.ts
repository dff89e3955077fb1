import { afterAll, expect, test } from "vitest";
import { migrations } from "../../src/store/home/migration-list.ts";
import { postgresTypes } from "../../src/store/home/postgres/postgres-schema.ts";
import { schemaVersion } from "../../src/store/home/schema.ts";
import { raw } from "../../src/store/home/sql.ts";
import { createStore } from "../../src/store/index.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { newPlace, type Place } from "../homes.ts";
import { makeOld } from "./old-store.ts";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

test("turns of schema 9 on PostgreSQL are found by their words, each by its own agent's", async () => {
  const place = await newPlace("postgres", "empty");
  places.push(place);
  const home = place.open();
  await makeOld(home, 3);
  await home.write("everything", async (db) => {
    for (const step of migrations.slice(3, 9)) for (const words of step(postgresTypes)) await db.run(raw(words));
    await db.run(raw("update schema_version set version = 9"));
    for (const agent of ["ada", "eve"])
      await db.run(
        raw(`insert into turns (id, agent, user_id, input, reply, state, tainted, started_at, indexed)
          values ('by-${agent}', '${agent}', 'bo', 'Where are swallows?', 'They left.', 'answered', 0,
            '2026-02-18T00:00:00.000Z', 1)`),
      );
    await db.run(
      raw(`insert into turn_words (turn, agent, user_id, words) select id, agent, user_id,
        array_to_tsvector(array['are', 'left', 'swallows', 'they', 'where']) from turns where id like 'by-%'`),
    );
  });
  expect(await home.migrate()).toEqual({ from: 9, to: schemaVersion });
  const store = await createStore(home);
  const found = async (filter: object) =>
    (await store.turns.list({ words: "swal left", ...filter })).map(({ id }) => id);
  expect(await found({ agent: "ada" })).toEqual(["by-ada"]);
  expect(await found({ agent: "eve", user: "bo" })).toEqual(["by-eve"]);
  expect(await found({ agent: "none" })).toEqual([]);
  expect((await found({})).sort()).toEqual(["by-ada", "by-eve"]);
  expect(await verifyStore(home)).toMatchObject({ faults: [] });
  await store.close();
});
