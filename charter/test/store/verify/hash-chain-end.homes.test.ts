import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Query, sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { keepStep, openStore } from "../filled.ts";

/** A store remembers where it left an agent's chain of receipts. Whatever happened to it since, no number is taken twice. */
describe.each(homes)("the end of a chain on %s", (name) => {
  let place: Place;
  let store: Store;
  let other: Store;
  let agents = 0;
  beforeAll(async () => {
    place = await newPlace(name);
    store = await openStore(place.open());
    other = await openStore(place.open());
  });
  afterAll(async () => {
    await store?.close();
    await other?.close();
    await place?.remove();
  });

  /** An agent with three steps behind it, which `store` took. */
  const begun = async () => {
    const scope = { agent: `ada-${++agents}`, user: "bo" };
    await store.agents.put({ name: scope.agent, charter: "filled" });
    const { id } = await store.turns.open({ scope, input: "?" });
    const digests: string[] = [];
    for (let step = 1; step <= 3; step++) digests.push((await keepStep(store, id, scope, `9:0${step}`)).digest);
    return { scope, id, digests, step: (by: Store = store) => keepStep(by, id, scope, "10:00") };
  };
  const behindItsBack = (query: Query) => store.home.write("everything", (db) => db.run(query));
  const faults = async (agent: string) => (await verifyStore(store.home, { agent })).faults;

  test("is the other's when another went on", async () => {
    const { scope, step } = await begun();
    const theirs = [await step(other), await step(other)];
    expect(theirs.map(({ number }) => number)).toEqual([4, 5]);
    expect((await step()).number).toBe(6);
    expect((await step(other)).number).toBe(7);
    expect(await faults(scope.agent)).toEqual([]);
  });

  const tampered: [what: string, query: (agent: string, digests: readonly string[]) => Query][] = [
    [
      "set back",
      (agent, [first]) => sql`update hash_chains set number = 1, digest = ${first as string} where agent = ${agent}`,
    ],
    ["set back by its number alone", (agent) => sql`update hash_chains set number = 2 where agent = ${agent}`],
    ["set on by its number alone", (agent) => sql`update hash_chains set number = 9 where agent = ${agent}`],
    ["given another digest", (agent) => sql`update hash_chains set digest = ${"0".repeat(64)} where agent = ${agent}`],
    ["taken away", (agent) => sql`delete from hash_chains where agent = ${agent}`],
  ];
  for (const [what, query] of tampered)
    test(`is found again when it was ${what}`, async () => {
      const { scope, step, digests } = await begun();
      await behindItsBack(query(scope.agent, digests));
      expect(await step()).toMatchObject({ step: 4, number: 4 });
      expect(await faults(scope.agent)).toEqual([]);
    });

  test("is found again when it was set back after others went on", async () => {
    const { scope, step, digests } = await begun();
    await step(other);
    await step(other);
    const fourth = (await store.steps.of((await store.turns.list(scope))[0]?.id as string))[3]?.digest as string;
    await behindItsBack(sql`update hash_chains set number = 4, digest = ${fourth} where agent = ${scope.agent}`);
    expect(digests).not.toContain(fourth);
    expect((await step()).number).toBe(6);
    expect(await faults(scope.agent)).toEqual([]);
  });

  test("is the restored one when another put a checkpoint in its place", async () => {
    const { scope, step } = await begun();
    const { mkdtempSync, rmSync } = await import("node:fs");
    const folder = mkdtempSync(`${(await import("node:os")).tmpdir()}/charter-chain-`);
    await other.checkpoint.save(`${folder}/then`, { agent: scope.agent });
    for (let index = 0; index < 3; index++) await step();
    await other.checkpoint.restore(`${folder}/then`, { replace: true });
    rmSync(folder, { recursive: true });
    expect(await step()).toMatchObject({ step: 4, number: 4 });
    expect(await faults(scope.agent)).toEqual([]);
  });
});
