import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { rebuildStore } from "../../../src/store/lifecycle/restore.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { newStore } from "../desk.ts";
import { live } from "../lived.ts";

describe.each(homes)("what notes and turns are searched and listed by, on %s", (name) => {
  let place: Place;
  let store: Store;
  let turns: string[];
  beforeAll(async () => {
    place = await newPlace(name);
    store = await newStore(place.open());
    turns = await live(store);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  const seen = async () => ({
    notes: await store.memory.search({ agent: "ada", user: "bo" }, "second note"),
    found: (await store.turns.list({ agent: "ada", words: "input bo" })).map(({ id }) => id),
    facts: await store.turns.factsOf(turns),
    sums: await store.turns.sums(["ada", "eve"], "2026-01-01T00:00:00.000Z"),
  });

  test("is made anew from what they are", async () => {
    await store.erase({ user: "cy", agent: "eve" });
    const before = await seen();
    expect([before.notes.notes.length > 0, before.found.length]).toEqual([true, 4]);
    await store.home.write("everything", async (db) => {
      for (const lost of [
        "update memories set stems = 'other'",
        "delete from turn_words",
        "update turns set duration_ms = 1, input_tokens = 7, missed = 1, tools = 0 where state <> 'erased'",
        "update steps set input_tokens = 7 where result is not null",
      ])
        await db.run(raw(lost));
    });
    expect(await seen()).not.toEqual(before);
    expect(await rebuildStore(store.home)).toEqual({ notes: 6, turns: 16 });
    expect(await seen()).toEqual(before);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });
});
