import { expect, inject, onTestFinished, test } from "vitest";
import { readiness } from "../../src/server/health.ts";
import { createStore } from "../../src/store/index.ts";
import { newPlace, queryAsOwner } from "../homes.ts";
import { problemOf } from "./contract/given.ts";

test("a PostgreSQL database that is dropped, and made anew, under a store: nothing is acknowledged, and it says so", async () => {
  const place = await newPlace("postgres");
  onTestFinished(place.remove);
  const store = await createStore(place.open());
  onTestFinished(() => store.close());
  const add = (name: string) => store.agents.add({ name, charter: "assistant" });
  await add("ada");
  await place.remove();
  expect((await problemOf(add("bob"))).split(":")[0]).toBe("no-database");
  expect(await readiness(store, Date.now)()).toEqual({});
  await queryAsOwner(inject("postgres"), `create database ${new URL(place.url).pathname.slice(1)}`);
  expect(await problemOf(add("bob"))).toMatch(/^store-gone: The tables in postgres:\S+ are not there: /);
  expect(await readiness(store, Date.now)()).toEqual({
    code: "store-gone",
    message: "The database was deleted or replaced under this server.",
  });
});

test("a PostgreSQL table that is altered under a store: what was planned before is planned anew", async () => {
  const place = await newPlace("postgres");
  onTestFinished(place.remove);
  const store = await createStore(place.open());
  onTestFinished(() => store.close());
  await store.agents.add({ name: "ada", charter: "assistant" });
  for (let time = 0; time < 5; time++) await store.agents.find("ada");
  await queryAsOwner(place.url, "alter table charter.agents add column later integer");
  expect((await store.agents.find("ada"))?.name).toBe("ada");
});
