import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import { bytes, id, json, ownerColumns, table, text, time } from "../../../src/store/home/table.ts";
import { saidColumns } from "../../../src/store/home/table-statements.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { withTables } from "../../../src/store/schema.ts";
import { copyOf, homes, newPlace, type Place, queryAsOwner } from "../../homes.ts";
import { canariesOf, everyRow, fillDeclared } from "../declared-rows.ts";

/** Of a package: what is said in it is found by nothing but its declaration. */
const diaries = table(
  "diaries",
  { of: "user", key: ["id"] },
  { id: id(), entry: text(), mood: json(), drawing: bytes(), line: text().nullable(), at: time() },
);
const schema = withTables([diaries]);

const folder = mkdtempSync(join(tmpdir(), "charter-said-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(homes)("what someone said, in every column that is declared to hold it, on %s", (name) => {
  let filled: Place;
  beforeAll(async () => {
    filled = await newPlace(name);
    const store = await createStore(filled.open({ schema }));
    await fillDeclared(store.home, ["ada", "eve"], ["bo", "cy"]);
    await store.close();
  });
  afterAll(() => filled?.remove());

  const opened = async (place: Place): Promise<Store> => {
    const store = await createStore(place.open({ schema }));
    onTestFinished(async () => {
      await store.close();
      await place.remove();
    });
    return store;
  };
  const everywhere = async ({ home }: Store) => (await everyRow(home)).map(({ words }) => words).join("\n");
  const carried = schema.tables.filter(({ isLeftOut }) => !isLeftOut);
  const of = (user: string, agent: string, tables = schema.tables) => canariesOf(tables, { user, agent });
  const missingIn = (words: string, canaries: readonly string[]) => canaries.filter((one) => !words.includes(one));
  /** Whether a home's own files have the word: the whole of a SQLite file and its log; a server's indexes of words. */
  const inFiles = async (place: Place, word: string) => {
    if (name === "sqlite")
      return [place.url, `${place.url}-wal`].filter(existsSync).some((file) => readFileSync(file).includes(word));
    await queryAsOwner(place.url, "checkpoint");
    const file = (index: string) => `pg_read_binary_file(pg_relation_filepath('charter.${index}'))`;
    const there = ["memories_search", "turns_search"].map(
      (index) => `position('${word}'::bytea in ${file(index)}) > 0`,
    );
    const [row] = (await queryAsOwner(place.url, `select ${there.join(" or ")} as there`)) as { there: boolean }[];
    return row?.there;
  };

  test("is there before it is erased, of everyone", async () => {
    const place = await copyOf(filled);
    const store = await opened(place);
    const words = await everywhere(store);
    for (const agent of ["ada", "eve"])
      for (const user of ["bo", "cy"]) expect(missingIn(words, of(user, agent))).toEqual([]);
    expect(await inFiles(place, "canaryofbo")).toBe(true);
    // What has no owner, and what stays as it is when its owner goes, holds nobody's words.
    for (const made of schema.tables.filter(({ name: one }) => one !== "texts")) {
      const { agent, user } = ownerColumns(made);
      if ((agent ?? user) === undefined || made.erase?.blank === "keep")
        expect([made.name, saidColumns(made)]).toEqual([made.name, []]);
    }
  });

  test("is gone when that user is erased, and in nothing that is made afterwards; another's is all there", async () => {
    const place = await copyOf(filled);
    const store = await opened(place);
    const before = await store.export({ user: "cy" });
    expect(await store.erase({ user: "bo" })).toMatchObject({ agents: ["ada", "eve"], scrubbed: true });
    const left = await everyRow(store.home);
    expect(left.filter(({ words }) => words.includes("canaryofbo")).map(({ table, row }) => [table, row])).toEqual([]);
    expect(await inFiles(place, "canaryofbo")).toBe(false);
    expect(await inFiles(place, "canaryofcy")).toBe(true);

    expect(JSON.stringify(await store.export({ user: "bo" }))).not.toContain("canaryofbo");
    const after = await store.export({ user: "cy" });
    expect({ ...after, exportedAt: "" }).toEqual({ ...before, exportedAt: "" });

    const { file } = await store.checkpoint.save(join(folder, `${name}.checkpoint`));
    const lines = gunzipSync(readFileSync(file)).toString();
    expect(lines).not.toContain("canaryofbo");
    expect(lines).not.toContain(Buffer.from("canaryofb").toString("base64"));
    const again = await opened(await newPlace(name));
    await again.checkpoint.restore(file);
    for (const [one, tables] of [[store, schema.tables] as const, [again, carried] as const]) {
      const words = await everywhere(one);
      expect(words).not.toContain("canaryofbo");
      const derived = tables === carried ? ["memories.stems"] : [];
      for (const agent of ["ada", "eve"])
        expect(missingIn(words, of("cy", agent, tables)).map((canary) => canary.split(" ")[1])).toEqual(derived);
    }
    expect((await again.memory.search({ agent: "ada", user: "cy" }, "canaryofcywithada")).notes.length).toBe(1);
    expect((await again.turns.list({ agent: "ada", words: "canaryofcywithada" })).length).toBe(2);
    expect(await again.turns.list({ agent: "ada", words: "canaryofbowithada" })).toEqual([]);
  });

  test("can be taken along, but for what is of no use outside", async () => {
    const store = await opened(await copyOf(filled));
    const exported = JSON.stringify(await store.export({ user: "bo" }));
    const bytesIn = [...exported.matchAll(/"([\w+/]{40,}={0,2})"/g)].map(([, one]) =>
      Buffer.from(one as string, "base64").toString(),
    );
    const given = schema.tables
      .filter(({ exported: called }) => called !== false)
      .map((made) => ({ ...made, all: made.all.filter(({ isInner }) => !isInner) }));
    for (const agent of ["ada", "eve"])
      expect(missingIn(`${exported} ${bytesIn.join(" ")}`, of("bo", agent, given))).toEqual([]);
    expect(exported).not.toContain("canaryofcy");
  });

  test("goes with the agent it was said to, and what another agent was told stays", async () => {
    const store = await opened(await copyOf(filled));
    const named = (await everywhere(store)).match(/canaryof\w+witheve [\w.]+/g);
    await store.remove("ada", { erase: true });
    const words = await everywhere(store);
    expect(words.match(/canaryof\w+withada [\w.]+/g)).toBe(null);
    expect(words.match(/canaryof\w+witheve [\w.]+/g)?.toSorted()).toEqual(named?.toSorted());
  });

  if (name === "postgres")
    test("is nothing that the server learns for its plans", async () => {
      const store = await opened(await copyOf(filled));
      await store.home.vacuum();
      const learned = raw("select tablename, attname from pg_stats where pg_stats::text like '%canaryof%'");
      expect(await store.home.read("everything", (db) => db.all(learned))).toEqual([]);
    });
});
