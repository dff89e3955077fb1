import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { connectAsOwner, homes, newPlace, type Place } from "../../homes.ts";
import { fillAll } from "./emptied.ts";

/** Leaves a row out of an index, as a broken disk might: the index is put away while the row is written. */
async function damageIndex({ url }: Place): Promise<void> {
  const words = "update memories set key = 'moved' where id = (select min(id) from memories where user_id = 'bo')";
  if (url.startsWith("postgres:")) {
    const client = await connectAsOwner(url);
    const ready = (is: boolean) =>
      client.query(`update pg_index set indisready = ${is}, indisvalid = ${is}
        where indexrelid = 'charter.memories_key'::regclass`);
    await client.query("create extension if not exists amcheck");
    await ready(false);
    await client.query(words.replaceAll("memories", "charter.memories"));
    await ready(true);
    await client.end();
    return;
  }
  const file = new DatabaseSync(url);
  file.enableDefensive?.(false);
  const row = file.prepare("select * from sqlite_master where name = 'memories_key'").get() as Record<string, string>;
  file.exec("pragma writable_schema = on; delete from sqlite_master where name = 'memories_key'");
  file.close();
  const without = new DatabaseSync(url);
  without.enableDefensive?.(false);
  without.exec(words);
  without.exec("pragma writable_schema = on");
  without
    .prepare("insert into sqlite_master (type, name, tbl_name, rootpage, sql) values (?, ?, ?, ?, ?)")
    .run(...(["type", "name", "tbl_name", "rootpage", "sql"].map((column) => row[column]) as string[]));
  without.close();
}

test.each(homes)("an index that lacks a row is named by verify and doctor, on %s", async (name) => {
  const place = await newPlace(name);
  onTestFinished(place.remove);
  await (await fillAll(place.open())).close();
  await damageIndex(place);
  const home = place.open();
  onTestFinished(() => home.close());
  const { faults, unproven } = await verifyStore(home);
  expect(faults).toContainEqual({
    table: "database",
    row: home.place,
    what: "damaged",
    reason: expect.stringContaining("memories_key"),
  });
  expect(unproven.join()).not.toContain("amcheck");
  expect((await home.checkup()).filter(({ fine }) => !fine)).toEqual([
    { what: expect.stringMatching(/is damaged: .*memories_key/), fine: false, hint: expect.any(String) },
  ]);
});
