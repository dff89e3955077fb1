import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { step } from "../../../src/store/home/table-statements.ts";
import { columns, createStore, postgres, type Store, verifyStore } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { newPlace, queryAsOwner } from "../../homes.ts";
import { type Server, startPostgres } from "../../postgres.ts";
import { problemOf } from "../contract/given.ts";
import { kinds, nothingWritten, secret, users } from "../isolation/isolation-kinds.ts";
import { reachable } from "../isolation/reachable.ts";
import { take } from "../lived.ts";
import { known, later, withColumns } from "../trial.ts";
import { restoreDump, worlds } from "./world.ts";

describe("a dump in a server that never had a Charter", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
    await server.ready;
  });
  afterAll(() => server?.stop());
  const policies = async (url: string) =>
    (await queryAsOwner<{ count: number }>(url, "select count(*)::int as count from pg_policies"))[0]?.count;

  test.each(worlds)("of schema %i: migrate gives it the role, every policy and every right", async (version) => {
    await queryAsOwner(server.url, `create database world_${version}`);
    const url = server.url.replace(/\/postgres$/, `/world_${version}`);
    expect((await restoreDump(url, version)).every((one) => one.includes('"charter_user" does not exist'))).toBe(true);
    expect(await policies(url)).toBe(0);
    const home = postgres(url);
    expect(await problemOf(createStore(home))).toMatch(/^older-schema: /);
    await home.migrate();
    expect(await policies(url)).toBe(137);
    const store = await createStore(home);
    onTestFinished(store.close);
    expect((await verifyStore(home)).faults).toEqual([]);
    expect((await home.checkup()).filter(({ fine }) => !fine)).toEqual([]);
    await isolated(store);
    // A right, a policy, a trigger and a function that somebody changed are put right, and nothing else.
    for (const words of [
      "revoke select on charter.memories from charter_user",
      "alter policy fenced_select on charter.memories using (true)",
      "alter table charter.memories disable trigger sealed_insert",
      "create policy more on charter.memories for select to charter_user using (true)",
      "create or replace function charter.seal_memories_insert() returns trigger language plpgsql as 'begin return null; end'",
    ]) {
      await queryAsOwner(url, words);
      expect((await home.checkup()).filter(({ fine }) => !fine).length).toBe(1);
      await home.migrate();
      expect((await home.checkup()).filter(({ fine }) => !fine)).toEqual([]);
    }
    await isolated(store);
  });

  /** No user reaches what another wrote, by any way of writing and of reading. */
  async function isolated(store: Store): Promise<void> {
    const agent = `agent${Math.random().toString(36).slice(2)}`;
    await store.agents.put({ name: agent, charter: "test" });
    const all = nothingWritten();
    for (const [at, write] of kinds.entries())
      for (const user of users) await write(store, agent, user, secret(user, at), all);
    for (const user of users) {
      const learnt = await reachable(store, agent, user, all);
      expect(learnt).toContain(`secret-of-${user}`);
      for (const other of users) if (other !== user) expect(learnt).not.toContain(`secret-of-${other}`);
    }
  }

  test("who may not create the role is told what an administrator has to type", async () => {
    const other = await startPostgres();
    onTestFinished(other.stop);
    await other.ready;
    await queryAsOwner(other.url, "create role keeper login password 'sekrit'");
    await queryAsOwner(other.url, "create database kept owner keeper");
    const url = other.url.replace(/\/\/.*@/, "//keeper:sekrit@").replace(/\/postgres$/, "/kept");
    const home = postgres(url);
    onTestFinished(home.close);
    const words = "create role charter_user nologin nosuperuser nobypassrls noinherit; grant charter_user to keeper;";
    expect(await problemOf(createStore(home))).toContain(`As an administrator: ${words} then run`);
    await queryAsOwner(other.url, words);
    await createStore(home);
    await queryAsOwner(other.url, "revoke charter_user from keeper");
    expect(await problemOf(createStore(postgres(url)))).toMatch(/^older-schema: .* lacks the role charter_user\. /);
    expect(await problemOf(home.migrate())).toContain(`As an administrator: ${words} then run`);
  });
});

describe("a fleet on one PostgreSQL", () => {
  const tagged = withColumns("schedules", (all) => ({ ...all, trialtags: columns.data().usual("[]") }));
  const adding = step(known + 1, { add: { schedules: ["trialtags"] } });
  const added = later(tagged, adding);
  const contracted = later(
    storeTables,
    adding,
    step(known + 2, { drop: { schedules: { trialtags: columns.data().usual("[]") } } }),
  );

  test("one version works beside the next, and can come back; none works beside one that takes something away", async () => {
    const place = await newPlace("postgres");
    onTestFinished(place.remove);
    const old = await createStore(place.open());
    await old.agents.put({ name: "ada", charter: "test" });
    const schedule = (store: Store) =>
      store.schedules.add({
        ...{ scope: { agent: "ada", user: "bo" }, title: "t", input: "go", nextAt: "2027-01-01T00:00:00Z" },
      });
    for (let turn = 0; turn < 10; turn++) await take(old, "ada", "bo", `before ${turn}`);
    const next = place.open({ schema: added });
    // It is brought on while the old one is at work.
    const work = Promise.all(Array.from({ length: 10 }, (_, turn) => take(old, "ada", "cy", `meanwhile ${turn}`)));
    expect(await next.migrate()).toEqual({ from: known, to: known + 1 });
    await work;
    const young = await createStore(next);
    for (let turn = 0; turn < 100; turn++) {
      const store = turn % 2 === 0 ? old : young;
      await take(store, "ada", turn % 3 === 0 ? "bo" : "cy", `beside ${turn}`);
      await schedule(store);
      if (turn % 10 === 1) {
        await young.home.write("everything", (db) =>
          db.run({ texts: [`update schedules set trialtags = '["${turn}"]' where trialtags = '[]'`], values: [] }),
        );
        await old.users.put({ id: "bo", zone: turn % 20 === 1 ? "UTC" : "Europe/Berlin" });
      }
    }
    expect((await verifyStore(young.home)).faults).toEqual([]);
    expect(await problemOf(verifyStore(old.home))).toMatch(/^unknown-data: .* has the column schedules\.trialtags, /);
    await old.close();
    const back = await createStore(place.open());
    await take(back, "ada", "bo", "one version back");
    const { list } = await young.turns.count({ agent: "ada" }).then((count) => ({ list: count }));
    expect(list).toBe(121);

    const last = place.open({ schema: contracted });
    const me = `${hostname()}:${process.pid}`;
    expect(await problemOf(last.migrate())).toBe(
      `store-busy: ${last.place} is in use by older processes, which could not work with schema ${known + 2}: charter ${known} ${me}, charter ${known + 1} ${me}. Stop them, wait until their turns have ended, then run \`charter migrate\` again; nothing was changed.`,
    );
    const running = await back.turns.open({
      ...{
        scope: { agent: "ada", user: "bo" },
        input: "long",
        channel: "web",
        runner: "elsewhere:1",
        leaseSeconds: 60,
      },
    });
    await young.close();
    await back.close();
    expect(await problemOf(last.migrate())).toContain(`schema ${known + 2}: elsewhere:1. `);
    await queryAsOwner(place.url, `update charter.turns set leased_until = null where id = '${running.id}'`);
    expect(await last.migrate()).toEqual({ from: known + 1, to: known + 2 });
    const newest = await createStore(last);
    expect((await verifyStore(last)).faults).toEqual([]);
    await newest.close();
    const refused = place.open({ schema: added });
    expect(await problemOf(createStore(refused))).toMatch(/^newer-schema: /);
    await refused.close();
  });
});
