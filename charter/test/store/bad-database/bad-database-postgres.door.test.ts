import { once } from "node:events";
import { createServer } from "node:net";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { createStore, postgres } from "../../../src/store/index.ts";
import { storeSchema, versionOf } from "../../../src/store/schema.ts";
import { charter as command } from "../../cli.ts";
import { connectAsOwner, newPlace, type Place } from "../../homes.ts";
import { problemOf } from "../contract/given.ts";

let place: Place;
let owner: pg.Client;
beforeAll(async () => {
  place = await newPlace("postgres", "empty");
  owner = await connectAsOwner(place.url);
});
afterAll(async () => {
  await owner?.end();
  await place?.remove();
});

/** The same address with something in it changed. */
function address(change: (url: URL) => void): string {
  const url = new URL(place.url);
  change(url);
  return url.href;
}

/** What the command says, which never holds a password. */
function said(database: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = command([...(args.length > 0 ? args : ["agents"]), "--database", database]);
  expect(stderr).not.toMatch(/sekrit|password\b.*test|test's|test%27s|\n {4}at /);
  return [code, stdout, stderr];
}

const problem = (line: string, hint: string) => [2, "", `${line}\n  ${hint}\n`];
const unreachable = "Check that it runs and that the address is right; nothing was changed.";
const asUrl = "Write it as postgres://user:password@host:5432/database.";

describe("an address that leads nowhere", () => {
  test.each([
    ["a port nobody listens on", "postgres://me:sekrit@127.0.0.1:1/x", "postgres://me:***@127.0.0.1:1/x"],
    ["a host nobody knows", "postgres://me:sekrit@nowhere.invalid/x", "postgres://me:***@nowhere.invalid/x"],
    [
      "a socket that is not there",
      "postgres://me@/x?host=/no/such/folder&password=sekrit",
      "postgres://me@/x?host=%2Fno%2Fsuch%2Ffolder&password=***",
    ],
  ])("%s", (_what, url, shown) => {
    expect(said(url)).toEqual(problem(`store-unreachable: PostgreSQL at ${shown} cannot be reached.`, unreachable));
  });

  test.each(["postgres://me:sekrit@host:port/x", "postgres:me:sekrit@host", "postgres://[::1"])("%s is no URL", (url) =>
    expect(said(url)).toEqual(problem("bad-database: The PostgreSQL address is not a URL.", asUrl)),
  );

  test("what answers there is no PostgreSQL", async () => {
    const server = createServer((socket) => socket.end("220 mail.example.com ESMTP\r\n")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const home = postgres(`postgres://me:sekrit@127.0.0.1:${port}/x`);
    const shown = `PostgreSQL at postgres://me:***@127.0.0.1:${port}/x does not answer`;
    expect(await problemOf(createStore(home))).toMatch(new RegExp(`^store-unreachable: ${escaped(shown)}: `));
    await home.close();
    server.close();
  });
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const shown = (url: string) => url.replace(/:[^:@/]*@/, ":***@");

describe("a server that says no", () => {
  test("the wrong password", () => {
    const url = address((one) => {
      one.password = "sekrit";
    });
    const line = `store-refused: PostgreSQL at ${shown(url)} refused the name or the password.`;
    expect(said(url)).toEqual(problem(line, "Check the user and the password in the address."));
  });

  test("a database that is not there", () => {
    const url = address((one) => {
      one.pathname = "/nothing";
    });
    const line = `no-database: There is no such database at ${shown(url)}.`;
    expect(said(url)).toEqual(problem(line, "Create it with createdb, then run `charter migrate`."));
  });

  test("a secure connection where there is none", () => {
    const url = address((one) => one.searchParams.set("sslmode", "verify-full"));
    const line = `store-refused: There is no secure connection to PostgreSQL at ${shown(url)}: The server does not support SSL connections.`;
    expect(said(url)).toEqual(problem(line, "Check sslmode in the address, and the server's certificate."));
  });

  test("a database in which there is no Charter yet", () => {
    const line = `no-database: There is no Charter in ${shown(place.url)} yet.`;
    const hint = "Make one with `charter migrate` or `charter agents add`, or name another with --database.";
    expect(said(place.url)).toEqual(problem(line, hint));
  });

  test("a role without rights", async () => {
    const store = await createStore(place.open());
    await store.agents.put({ name: "ada", charter: "assistant" });
    await store.close();
    const role = `guest_${process.pid}`;
    await owner.query(`create role ${role} login password 'sekrit'`);
    try {
      const url = address((one) => {
        one.username = role;
        one.password = "sekrit";
      });
      const line = `store-refused: The user of ${shown(url)} may not do this.`;
      const hint =
        "Connect as the role that ran `charter migrate`. To run it, a role has to own the database and be a member of charter_user, or be allowed to create roles.";
      expect(said(url)).toEqual(problem(line, hint));
      expect(said(url, "agents", "add", "eve", "--charter", "assistant")).toEqual(problem(line, hint));
      const empty = await newPlace("postgres", "empty");
      const home = postgres(empty.url.replace(/\/\/.*@/, `//${role}:sekrit@`));
      expect(await problemOf(createStore(home))).toMatch(
        /^store-refused: The user of .* may not do this\. Connect as /,
      );
      await home.close();
      await empty.remove();
    } finally {
      await owner.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test("a role that owns its database and is a member of charter_user needs nothing more", async () => {
    const role = `keeper_${process.pid}`;
    const own = await newPlace("postgres", "empty");
    const name = new URL(own.url).pathname.slice(1);
    await owner.query(`create role ${role} login password 'sekrit'; grant charter_user to ${role}`);
    await owner.query(`alter database ${name} owner to ${role}`);
    try {
      const store = await createStore(postgres(own.url.replace(/\/\/.*@/, `//${role}:sekrit@`)));
      await store.agents.put({ name: "ada", charter: "test" });
      await store.memory.save({ agent: "ada", user: "bo" }, { text: "tea" });
      await store.memory.save({ agent: "ada", user: "cy" }, { text: "tea" });
      const seen = await store.home.read({ agent: "ada", user: "bo" }, (db) => db.all(sql`select * from memories`));
      expect(seen.length).toBe(1);
      await store.close();
    } finally {
      await own.remove();
      await owner.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test.each([
    [
      99,
      "newer-schema: {place} was made by a newer Charter (schema 99; this one knows 14).",
      "Upgrade Charter; nothing was touched.",
    ],
    [
      0,
      "older-schema: {place} was made by a Charter before the first release (schema 0; this one knows 12 and later).",
      "Name another database, or move this one aside and begin anew; nothing was touched.",
    ],
  ])("a schema of version %i", async (version, line, hint) => {
    await owner.query(`update charter.schema_version set version = ${version}, least_reader = ${version}`);
    expect(said(place.url)).toEqual(problem(line.replace("{place}", shown(place.url)), hint));
    const known = versionOf(storeSchema);
    await owner.query(`update charter.schema_version set version = ${known}, least_reader = ${known}`);
    expect(said(place.url)[0]).toBe(0);
  });

  test("a server that has limits of its own for how long anyone waits", async () => {
    const url = address((one) => one.searchParams.set("options", "-c lock_timeout=1"));
    await owner.query("begin; lock table charter.agents in access exclusive mode");
    const home = postgres(url);
    expect(await problemOf(home.read("everything", (db) => db.all(sql`select * from agents`)))).toBe(
      `store-busy: PostgreSQL at ${home.place} cut off what took longer than its own limits allow. Try again; if it stays so, raise its limits (statement_timeout, lock_timeout) for this role.`,
    );
    await owner.query("rollback");
    await home.close();
  });

  test("a server that only reads", async () => {
    const name = new URL(place.url).pathname.slice(1);
    await owner.query(`alter database ${name} set default_transaction_read_only = on`);
    try {
      const line = `read-only: ${shown(place.url)} cannot be written to.`;
      const words = ["agents", "add", "eve", "--charter", "assistant"];
      expect(said(place.url, ...words)).toEqual(problem(line, "Name the primary, not a standby."));
      expect(said(place.url)[0]).toBe(0);
    } finally {
      await owner.query(`alter database ${name} reset default_transaction_read_only`);
    }
  });
});
