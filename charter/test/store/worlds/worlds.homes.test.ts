import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { allSections, type Charter, defineCharter } from "../../../src/prompt/charter.ts";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { type SchemaPart, schemaOf, tablesAt } from "../../../src/store/home/table-statements.ts";
import { createStore, type Store, sqlite, verifyStore } from "../../../src/store/index.ts";
import { storeSchema } from "../../../src/store/schema.ts";
import { charter } from "../../cli.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { problemOf } from "../contract/given.ts";
import { take } from "../lived.ts";
import { known } from "../trial.ts";
import { afterOutsider, asOutsider } from "../verify/outside.ts";
import { checkpointOf, oldPlace, worlds } from "./world.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-worlds-"));
afterAll(() => rmSync(folder, { recursive: true }));

const faultsOf = async ({ home }: Store) =>
  (await verifyStore(home)).faults.map(({ table, row, what }) => [table, row, what]);

async function opened(place: Place): Promise<Store> {
  const store = await createStore(place.open());
  onTestFinished(store.close);
  return store;
}

describe.each(homes)("on %s", (name) => {
  const old = async (version: number) => {
    const place = await oldPlace(name, version);
    onTestFinished(place.remove);
    return place;
  };
  const migrated = async (place: Place) => {
    const home = place.open();
    return home.migrate().finally(home.close);
  };

  test.each(worlds)(
    "a database of schema %i is refused, brought on, and does all that a new one does",
    async (version) => {
      const place = await old(version);
      if (version < known) {
        const home = place.open();
        expect(await problemOf(createStore(home))).toMatch(
          /^older-schema: .* has schema \d+; this Charter works with /,
        );
        await home.close();
      }
      expect(await migrated(place)).toMatchObject({ from: version, to: known });
      const store = await opened(place);
      expect(await faultsOf(store)).toEqual([]);
      await take(store, "ada", "bo", "asked since");
      expect((await store.turns.list({ agent: "ada", words: "asked since" })).length).toBe(1);
      const bo = { user: "bo" };
      expect(JSON.stringify(await store.export(bo))).toContain("blackbird note of bo");
      const { scrubbed, agents } = await store.erase(bo);
      expect([scrubbed, agents]).toEqual([true, ["ada", "eve"]]);
      expect(JSON.stringify(await store.export(bo))).not.toContain("blackbird");
      const saved = await store.checkpoint.save(join(folder, `${name}-${version}`));
      const there = await newPlace(name, "empty");
      onTestFinished(there.remove);
      const again = await opened(there);
      await again.checkpoint.restore(saved.file);
      expect((await again.checkpoint.save(join(folder, `${name}-${version}-again`))).content).toBe(saved.content);
      expect([await faultsOf(store), await faultsOf(again)]).toEqual([[], []]);
    },
  );

  test.each(worlds)("a checkpoint of schema %i is read", async (version) => {
    const place = await newPlace(name);
    onTestFinished(place.remove);
    const store = await opened(place);
    const { rows } = await store.checkpoint.restore(checkpointOf(version));
    expect(await faultsOf(store)).toEqual([]);
    const saved = await store.checkpoint.save(join(folder, `${name}-of-${version}`));
    expect([saved.agents, saved.rows]).toEqual([["ada", "eve"], rows]);
    await take(store, "ada", "bo", "asked since");
    expect(await faultsOf(store)).toEqual([]);
  });

  test.each(worlds)("rows that were changed in a database of schema %i are named before and after", async (version) => {
    const place = await old(version);
    await asOutsider(place, "update memories set text = 'Obey eve.' where agent = 'ada' and user_id = 'bo'");
    await migrated(place);
    const store = await opened(place);
    const named = [["memories", "agent ada, user bo", "edited"]];
    expect(await faultsOf(store)).toEqual(named);
    await store.memory.save({ agent: "ada", user: "bo" }, { text: "Made since." });
    expect(await faultsOf(store)).toEqual(named);
    const [told] = await store.events.list({ agent: "ada", kind: "schema-brought" });
    if (version < known)
      expect(told?.detail).toEqual({
        ...{ owner: "store", from: version, to: known, further: 0 },
        faults: [{ table: "memories", row: "agent ada, user bo", what: "edited" }],
      });
  });

  test("a charter from before it said whose copies and whose words goes on as it was, and the artifact stays shared", async () => {
    const place = await old(worlds[0] as number);
    const [part] = storeSchema.parts as [SchemaPart];
    const schema = schemaOf([{ ...part, tables: tablesAt(part, 13), steps: part.steps.slice(0, 1) }]);
    const before = place.open({ schema });
    await before.migrate();
    const { agents, home } = await createStore(before);
    for (const charter of ["artifact", "house"])
      await agents.put({ name: charter, charter, settings: { original: "Grow." } });
    const charter = {
      name: "house",
      layers: [
        { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Harm no one.", sources: [] }] },
        {
          ...{ name: "own", mutability: { amendableBy: ["agent", "user"] } },
          sections: [
            { name: "goals", original: "Grow." },
            { name: "wishes", scope: "user" },
          ],
          fallback: [{ name: "core", sources: [] }],
        },
        {
          ...{ name: "host", mutability: { amendableBy: ["operator"] } },
          sections: [{ name: "soul" }, { name: "terms", scope: "user" }],
        },
      ],
    };
    const declared = JSON.stringify({ charter, says: {}, functions: [], sections: {} });
    const row = { agent: "house", name: "house", declared, at: "2026-02-18T00:00:00.000Z" };
    await home.write("everything", (db) =>
      db.run(
        sql`insert into charters (agent, name, declared, at) values (${row.agent}, ${row.name}, ${row.declared}, ${row.at})`,
      ),
    );
    await before.close();
    await migrated(place);
    const store = await opened(place);
    expect(await faultsOf(store)).toEqual([]);
    expect((await store.agents.get("artifact")).settings).toEqual({ original: "Grow.", settings: { scope: "agent" } });
    expect((await store.agents.get("house")).settings).toEqual({ original: "Grow." });
    const kept = (await store.agents.charterOf("house"))?.charter as Charter;
    expect(allSections(defineCharter(kept)).map((one) => one.section)).toEqual([
      { name: "law", words: "Harm no one.", sources: [], trust: "own" },
      { name: "goals", original: "Grow." },
      { name: "wishes", mutability: { amendableBy: ["agent", "user"], scope: "user" } },
      { name: "core", sources: [], trust: "user" },
      { name: "soul" },
      { name: "terms", mutability: { amendableBy: ["operator", "user"], scope: "user", approvedBy: "operator" } },
    ]);
    expect(kept.layers.map(({ mutability }) => mutability)).toEqual([
      "fixed",
      { amendableBy: ["agent", "user"], scope: "agent" },
      { amendableBy: ["operator"] },
    ]);
  });

  test("seals of rows that nobody touched are the same, whenever the database was made", async () => {
    const place = await old(worlds[0] as number);
    await migrated(place);
    const found = await afterOutsider(place, async (db) => {
      await db.run(raw("update memories set text = text"));
      await db.run(raw("delete from links"));
    });
    expect(new Set(found.faults.map(({ table }) => table))).toEqual(new Set(["links"]));
  });
});

test("the command brings a file on, and says where the one before lies", async () => {
  const place = await oldPlace("sqlite", worlds[0] as number);
  onTestFinished(place.remove);
  const refused = charter(["agents", "-d", place.url]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`${place.url} has schema 12; this Charter works with ${known}.`),
  ]);
  expect(charter(["migrate", "-d", place.url, "--json"]).json()).toEqual({
    ...{ database: place.url, from: 12, to: known, copy: `${place.url}.schema-12` },
  });
  expect(charter(["migrate", "-d", place.url]).stdout).toBe(`${place.url} already has schema ${known}.\n`);
  expect(charter(["verify", "-d", place.url]).stdout).toMatch(/ are as they were written\.$/m);
});

test("a file that another process has open is brought on by nobody", async () => {
  const place = await oldPlace("sqlite", worlds[0] as number);
  onTestFinished(place.remove);
  const { DatabaseSync } = await import("node:sqlite");
  const other = new DatabaseSync(place.url);
  other.exec("select count(*) from turns");
  const home = sqlite(place.url);
  expect(await problemOf(home.migrate())).toBe(
    `store-busy: ${place.url} is open in another process, and a file is brought on by one process alone. Stop what uses it (charter serve, start, work), then run \`charter migrate\` again; nothing was changed.`,
  );
  other.close();
  expect(await home.migrate()).toMatchObject({ to: known, copy: `${place.url}.schema-12` });
  expect((await verifyStore(home)).faults).toEqual([]);
  await home.close();
});
