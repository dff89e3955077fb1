import { expect, onTestFinished, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import { columns, createStore, table, withTables } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace } from "../../homes.ts";
import { afterOutsider, type Outside } from "./outside.ts";

const { count, id, text, time } = columns;

const albums = table("albums", { of: "agent", key: ["agent", "id"] }, { id: id(), title: text() });
const drawings = table(
  "drawings",
  { of: "user", key: ["id"] },
  {
    id: id(),
    album: id().refers("albums", "drawings are in it", { unless: "words = 'loose'" }),
    words: text(),
    likes: count().usual(0).cached(),
    openedAt: time().nullable().passing(),
  },
);
const weather = table(
  "weather",
  { of: "store", key: ["day"], proof: { none: "what the weather was" } },
  { day: time(), words: text() },
);
const schema = withTables([albums, drawings, weather]);

test.each(homes)("verify follows what tables of one's own declare, on %s", async (name) => {
  const place = await newPlace(name);
  onTestFinished(place.remove);
  const home = place.open({ schema });
  const store = await createStore(home);
  await store.agents.put({ name: "ada", charter: "test" });
  await home.write("everything", async (db) => {
    await db.run(raw("insert into albums (agent, id, title) values ('ada', 'a1', 'Trees'), ('ada', 'a2', 'Birds')"));
    await db.run(
      raw(`insert into drawings (agent, user_id, id, album, words) values ('ada', 'bo', 'd1', 'a1', 'An oak.'),
      ('ada', 'bo', 'd2', 'a2', 'loose')`),
    );
    await db.run(raw("insert into weather (day, words) values ('2026-02-18', 'Rain.')"));
  });
  const { faults, unproven } = await verifyStore(home);
  expect(faults).toEqual([]);
  expect(unproven).toContain("what the weather was");
  await store.close();

  const after = async (...deeds: readonly string[]) => {
    const all = async (db: Outside) => {
      for (const deed of deeds) await db.run(raw(deed));
    };
    const found = await afterOutsider(place, all, { schema });
    return found.faults.map(({ table, row, what, reason }) => [table, row, what, reason]);
  };
  expect(await after("update drawings set words = 'A beech.'")).toEqual([
    ["drawings", "agent ada, user bo", "edited", "the rows are not those their digest was made of"],
  ]);
  expect(await after("delete from albums")).toEqual([
    ["albums", "agent ada, user bo, a1", "missing", "drawings are in it"],
    ["albums", "agent ada", "missing", "2 rows were written, and 0 are there"],
  ]);
  expect(
    await after(
      "update drawings set likes = 7, opened_at = 'now'",
      "update weather set words = 'Sun.'",
      "delete from weather where words = 'Fog.'",
    ),
  ).toEqual([]);
});
