import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { createStore, postgres, type Store, type StoreEvent } from "../../../src/store/index.ts";
import { connectAsOwner, newPlace, type Place } from "../../homes.ts";
import { problemOf } from "../contract/given.ts";
import { charter, deskOf, rewrite } from "../desk.ts";

let place: Place;
let owner: pg.Client;
beforeAll(async () => {
  place = await newPlace("postgres");
  owner = await connectAsOwner(place.url);
});
afterAll(async () => {
  await owner?.end();
  await place?.remove();
});

const shown = (url: string) => url.replace(/:[^:@/]*@/, ":***@");

describe("a server that goes away while it is used", () => {
  let store: Store;
  const scope = { agent: "ada", user: "bo" };
  beforeAll(async () => {
    store = await createStore(place.open());
    await store.agents.put({ name: "ada", charter: "test" });
  });
  afterAll(() => store?.close());
  const endAll = () =>
    owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'charter%'",
    );

  test("connections that died while nobody used them are not noticed", async () => {
    await Promise.all(Array.from({ length: 5 }, () => store.agents.list()));
    await endAll();
    const all = await Promise.all(Array.from({ length: 10 }, () => store.agents.get("ada")));
    expect(all.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => "ada"));
  });

  test("a change whose connection died in the middle is made once, on another", async () => {
    let tries = 0;
    await store.home.write(scope, async (db) => {
      tries++;
      await db.run(sql`insert into memories (id, agent, user_id, text, folded, tainted, at)
        values (${`n${tries}`}, ${"ada"}, ${"bo"}, ${"once"}, ${"once"}, ${0}, ${"2026-02-18"})`);
      if (tries === 1) await endAll();
      await db.one(sql`select 1 as there`);
    });
    // Other connections of the pool died too: whether that is known by then is chance.
    expect(tries).toBeGreaterThan(1);
    expect((await store.memory.list(scope)).map(({ id }) => id)).toEqual([`n${tries}`]);
  });

  test("one whose connection dies every time is given up, and nothing of it is left", async () => {
    const work = store.home.write(scope, async (db) => {
      await db.run(sql`update memories set text = ${"changed"}`);
      await endAll();
      await db.run(sql`update memories set text = ${"changed again"}`);
    });
    expect(await problemOf(work)).toMatch(
      /^store-unreachable: PostgreSQL at .* (?:cannot be reached|does not answer: .*)\. Check /,
    );
    expect((await store.memory.list(scope)).map(({ text }) => text)).toEqual(["once"]);
  });

  test("one that was being kept is neither claimed nor denied", async () => {
    const died = new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
    const work = store.home.write(scope, async (db) => {
      await db.run(sql`update memories set text = ${"kept?"}`);
      await endAll();
      await died;
    });
    const words = await problemOf(work);
    expect(words).toBe(
      `store-unreachable: The connection to PostgreSQL at ${shown(place.url)} was lost during a commit; whether the change was stored is not known. Check before you repeat it. A proposal with a key, or a message with an id, can safely be sent again.`,
    );
    expect((await store.memory.list(scope)).map((note) => note.text)).toEqual(["once"]);
  });
});

/** Stands between a store and its server, and can be taken away and put back. */
async function createGate(server: URL) {
  const sockets = new Set<Socket>();
  let gate: Server | undefined;
  const open = async (port = 0) => {
    gate = createServer((here) => {
      const there = connect(Number(server.port), server.hostname);
      for (const socket of [here, there]) {
        sockets.add(socket);
        socket.on("error", () => {}).on("close", () => sockets.delete(socket));
      }
      here.pipe(there).pipe(here);
    }).listen(port, "127.0.0.1");
    await once(gate, "listening");
    return (gate.address() as { port: number }).port;
  };
  const close = async () => {
    const closed = gate && once(gate, "close");
    gate?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { open, close };
}

test("a server that is gone for a while is said to be, and found again when it is back; a watcher hears on", async () => {
  const gate = await createGate(new URL(inject("postgres")));
  const port = await gate.open();
  const through = new URL(place.url);
  through.port = String(port);
  const url = through.href;
  const store = await createStore(postgres(url));
  await store.agents.put({ name: "eve", charter: "test" });
  const heard: StoreEvent[] = [];
  const ears = new EventTarget();
  const stop = await store.events.watch((event) => {
    if (event.scope.agent !== "eve") return;
    heard.push(event);
    ears.dispatchEvent(new globalThis.Event("heard"));
  });
  const context = deskOf({ scope: { agent: "eve" } });
  await gate.close();
  const gone = `store-unreachable: PostgreSQL at ${shown(url)} cannot be reached. Check that it runs and that the address is right; nothing was changed.`;
  expect(await problemOf(store.propose(context, rewrite("One.")))).toBe(gone);
  expect(await problemOf(store.standings.read(charter, { agent: "eve" }))).toBe(gone);
  const meanwhile = await createStore(place.open());
  await meanwhile.propose(context, rewrite("Meanwhile."));
  await gate.open(port);
  expect((await store.propose(context, rewrite("Two.", { revision: 1 }))).verdict).toBe("accepted");
  while (heard.length < 2) await once(ears, "heard");
  expect(heard.map(({ kind, detail }) => [kind, detail.revision])).toEqual([
    ["amended", 1],
    ["amended", 2],
  ]);
  await stop();
  await meanwhile.close();
  await store.close();
  await gate.close();
});
