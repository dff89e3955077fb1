import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { raw, sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { problemOf } from "../contract/given.ts";
import { newStore } from "../desk.ts";
import { live } from "../lived.ts";

describe.each(homes)("an agent that is removed, on %s", (name) => {
  let store: Store;
  let place: Place;
  beforeEach(async () => {
    place = await newPlace(name);
    store = await newStore(place.open());
    await live(store);
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const count = async (table: string, where: string) => {
    const [row] = await store.home.read("everything", (db) =>
      db.all<{ n: number }>(raw(`select count(*) as n from ${table} where ${where}`)),
    );
    return row?.n;
  };
  const called = (label: string | null) => store.agents.update("ada", async (agent) => ({ ...agent, label }));
  const gone =
    /^agent-removed: The agent “ada” was removed on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\. Its name stays with its records\./;

  test("is in no list, takes nothing, keeps its name, and verify holds", async () => {
    await store.schedules.add({
      scope: { agent: "ada", user: "bo" },
      title: "t",
      input: "i",
      nextAt: "2027-01-01T00:00:00Z",
    });
    const token = await store.tokens.create({ name: "t", kind: "user", user: "bo", agent: "ada" });
    const { agent, erased } = await store.remove("ada");
    expect([agent.frozen, erased]).toEqual(["agent", undefined]);
    expect(await store.remove("ada")).toEqual({ agent });
    expect((await store.agents.list()).map((one) => one.name)).not.toContain("ada");
    expect((await store.agents.list({ removed: true })).find((one) => one.name === "ada")).toEqual(agent);
    expect(await store.agents.find("ada")).toBeUndefined();
    const tries = [
      () => store.agents.get("ada"),
      () => store.agents.add({ name: "ada", charter: "assistant" }),
      () => store.agents.put({ name: "ada", charter: "assistant" }),
      () => store.agents.thaw("ada"),
      () => called("Ada"),
      () => store.turns.open({ scope: { agent: "ada" }, input: "Hi." }),
      () => store.memory.save({ agent: "ada" }, { text: "x" }),
      () => store.tokens.create({ name: "t", kind: "user", user: "bo", agent: "ada" }),
    ];
    for (const one of tries) expect(await problemOf(one())).toMatch(gone);
    expect(await store.tokens.authenticate(token.secret)).toBeUndefined();
    expect(await count("schedules", "agent = 'ada' and (next_at is not null or ended_at is null)")).toBe(0);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("whose words are erased leaves a stone: not one word, and chains that can be proved", async () => {
    const told = JSON.stringify({ schedule: "Digest", at: "08:00" });
    await store.home.write("everything", (db) => db.run(sql`update turns set told_as = ${told} where agent = 'ada'`));
    const { steps, amendments } = await verifyStore(store.home);
    const texts = await count("texts", "owner = 'bo'");
    const { erased, scrubbed } = await store.remove("ada", { erase: true });
    expect(scrubbed).toBe(true);
    expect(erased).toMatchObject({
      turns: expect.any(Number),
      steps: expect.any(Number),
      memories: expect.any(Number),
    });
    for (const table of ["memories", "held", "exchanges", "inbox", "outbox", "dispatches", "held_calls", "heads"])
      expect([table, await count(table, "agent = 'ada'")]).toEqual([table, 0]);
    expect(await count("turns", "agent = 'ada' and (input <> '' or coalesce(reply, told_as) is not null)")).toBe(0);
    expect(await count("texts", "owner = 'bo'")).toBeLessThan(texts as number);
    expect(await count("agents", "name = 'ada' and settings <> '{}'")).toBe(0);
    expect(await verifyStore(store.home)).toMatchObject({ steps, amendments, faults: [] });
    expect(await store.remove("ada", { erase: true })).toMatchObject({ erased: {} });
  });

  test("comes back from its file, with its label and all its rows", async () => {
    // Codes are for ten minutes, and in no file. Words of turns are made where a file is loaded, else some turns at a time.
    const isKept = ({ of, name }: (typeof storeTables)[number]) =>
      of === "user" && !["link_codes", "turn_words"].includes(name);
    const kept = storeTables.filter(isKept).map(({ name }) => name);
    const file = join(tmpdir(), `removed-${process.pid}-${name}.checkpoint`);
    await called("Front desk");
    const rows = async () => Promise.all(kept.map((table) => count(table, "agent = 'ada'")));
    const before = await rows();
    await store.checkpoint.save(file, { agent: "ada" });
    await store.remove("ada", { erase: true });
    await store.checkpoint.restore(file, { replace: true });
    rmSync(file);
    expect(await store.agents.get("ada")).toMatchObject({ label: "Front desk", frozen: null });
    expect(await rows()).toEqual(before);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("a label is one line that can be read", async () => {
    for (const label of ["", " a", "a\nb", "a\u200bb", "x".repeat(101), 7])
      expect(await problemOf(called(label as string))).toMatch(/^bad-label: /);
    expect(await called("Réception 🛎")).toMatchObject({ name: "ada", label: "Réception 🛎" });
    expect(await store.agents.put({ name: "ada", charter: "assistant" })).toMatchObject({ label: "Réception 🛎" });
    expect(await called(null)).not.toHaveProperty("label");
  });
});
