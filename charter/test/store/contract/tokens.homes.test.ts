import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../../../src/index.ts";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type NewToken } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("tokens", (given) => {
  test("a token opens the door it was made for, and its words are seen once", async () => {
    const { tokens } = given.store;
    const agent = await given.agent();
    const { secret, ...token } = await tokens.create({ name: "ci", kind: "user", agent, user: "bo" });
    expect(secret).toMatch(/^charter_[\w-]{43}$/);
    const kept = {
      id: expect.any(String),
      name: "ci",
      kind: "user",
      agent,
      user: "bo",
      createdAt: given.clock.text(),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    };
    expect(token).toEqual(kept);
    const plain = await tokens.create({ name: "all", kind: "operator" });
    expect(plain).toMatchObject({ agent: null, user: null, kind: "operator" });
    expect(plain.secret).not.toBe(secret);
    expect((await tokens.list()).map(({ name }) => name)).toEqual(["ci", "all"]);
    expect(await tokens.authenticate(secret)).toMatchObject({ id: token.id, kind: "user", user: "bo" });
    expect((await tokens.list())[0]).toEqual({ ...token, lastUsedAt: given.clock.text() });
    for (const wrong of ["", secret.slice(0, -1), `${secret} `, secret.toUpperCase(), sha256(secret)])
      expect(await tokens.authenticate(wrong)).toBeUndefined();
  });

  test("revoked or over, it opens nothing", async () => {
    const { tokens } = given.store;
    const gone = await tokens.create({ name: "gone", kind: "operator" });
    await tokens.revoke(gone.id);
    expect(await tokens.authenticate(gone.secret)).toBeUndefined();
    expect((await tokens.list()).find(({ id }) => id === gone.id)?.revokedAt).toBe(given.clock.text());
    const unknown = (id: string) => `unknown-token: There is no token “${id}” to revoke. Check the id.`;
    expect(await problemOf(tokens.revoke(gone.id))).toBe(unknown(gone.id));
    expect(await problemOf(tokens.revoke("nope"))).toBe(unknown("nope"));

    const inAnHour = new Date(given.clock.now().getTime() + 3_600_000);
    const shifted = new Date(inAnHour.getTime() + 5 * 3_600_000).toISOString().replace("Z", "+05:00");
    const hour = await tokens.create({ name: "hour", kind: "operator", expiresAt: shifted });
    expect(hour.expiresAt).toBe(inAnHour.toISOString());
    expect((await tokens.authenticate(hour.secret))?.name).toBe("hour");
    given.clock.move(3_599_000);
    expect((await tokens.authenticate(hour.secret))?.name).toBe("hour");
    given.clock.move(1_000);
    expect(await tokens.authenticate(hour.secret)).toBeUndefined();
    expect(await problemOf(tokens.create({ name: "x", kind: "operator", expiresAt: "whenever" }))).toBe(
      "bad-time: “whenever” is no time. Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.",
    );
  });

  test("which of many tokens still hold is one question, and as another process left them", async () => {
    const { tokens, erase } = given.store;
    const other = await given.another();
    const soon = new Date(given.clock.now().getTime() + 1_000).toISOString();
    const [open, over, revoked, erased] = await Promise.all([
      tokens.create({ name: "open", kind: "operator" }),
      tokens.create({ name: "over", kind: "operator", expiresAt: soon }),
      tokens.create({ name: "revoked", kind: "operator" }),
      tokens.create({ name: "erased", kind: "user", user: "gone" }),
    ]);
    const signIn = await tokens.create({ name: "in", kind: "sign-in" });
    await tokens.redeem(signIn.secret);
    const ids = [open, over, revoked, erased].map(({ id }) => id);
    expect(await tokens.findValid([...ids, signIn.id])).toEqual(new Set(ids));
    await other.tokens.revoke(revoked.id);
    await erase({ user: "gone" });
    given.clock.move(1_000);
    expect(await tokens.findValid([...ids, "nobody's"])).toEqual(new Set([open.id]));
    expect(await tokens.findValid([])).toEqual(new Set());
    const many = Array.from({ length: 20_001 }, (_, at) => `${at}`);
    expect(await tokens.findValid([...many, open.id])).toEqual(new Set([open.id]));
  });

  const neither =
    "A sign-in token is for the operator, or for one user with one agent. Name the user and the agent, or neither.";
  const whose: readonly (readonly [NewToken, string])[] = [
    [{ name: "x", kind: "operator", user: "bo" }, "A token of kind “operator” is for no user. Leave out the user."],
    [{ name: "x", kind: "operator", agent: "ada" }, "A token of kind “operator” is for no agent. Leave out the agent."],
    [{ name: "x", kind: "sign-in", user: "bo" }, neither],
    [{ name: "x", kind: "sign-in", agent: "ada" }, neither],
    [{ name: "x", kind: "chat", user: "bo" }, "A token of kind “chat” needs the agent it is for. Name the agent."],
    [{ name: "x", kind: "chat", agent: "ada" }, "A token of kind “chat” needs the user it is for. Name the user."],
    [{ name: "x", kind: "user" }, "A token of kind “user” needs the user it is for. Name the user."],
    [{ name: "x", kind: "user", agent: "ada" }, "A token of kind “user” needs the user it is for. Name the user."],
    [{ name: "x", kind: "agent", user: "bo" }, "A token of kind “agent” needs the agent it is for. Name the agent."],
    [
      { name: "x", kind: "root" as "operator" },
      "There is no kind of token “root”. It is one of “operator”, “user”, “agent”, “inbox”, “gateway”, “chat”, “sign-in”.",
    ],
  ];
  for (const [{ name, ...token }, message] of whose)
    test(`${JSON.stringify(token)} is no token`, async () => {
      expect(await problemOf(given.store.tokens.create({ name, ...token }))).toBe(`bad-token: ${message}`);
    });

  test("a token names an agent that is there, and a user that can be one", async () => {
    const { tokens } = given.store;
    expect(await problemOf(tokens.create({ name: "x", kind: "agent", agent: "nobody" }))).toMatch(/^unknown-agent: /);
    expect(await problemOf(tokens.create({ name: "x", kind: "user", user: "a\nb" }))).toMatch(/^bad-name: /);
    const agent = await given.agent();
    expect(await tokens.create({ name: "x", kind: "agent", agent, user: "bo" })).toMatchObject({ agent, user: "bo" });
  });

  test("one to sign in with is spent once, within ten minutes, and opens nothing else", async () => {
    const { tokens } = given.store;
    const other = await given.another();
    const { secret, id, expiresAt } = await tokens.create({ name: "in", kind: "sign-in" });
    expect(Date.parse(expiresAt as string) - given.clock.now().getTime()).toBe(600_000);
    expect(await tokens.authenticate(secret)).toBeUndefined();
    const spent = await Promise.all([tokens, other.tokens, tokens, other.tokens].map(({ redeem }) => redeem(secret)));
    const at = given.clock.text();
    expect(spent.filter((token) => token !== undefined)).toMatchObject([{ id, kind: "sign-in", revokedAt: at }]);
    expect(await tokens.redeem(secret)).toBeUndefined();

    const late = await tokens.create({ name: "late", kind: "sign-in" });
    const revoked = await tokens.create({ name: "revoked", kind: "sign-in" });
    await tokens.revoke(revoked.id);
    given.clock.move(599_999);
    expect(await tokens.redeem(revoked.secret)).toBeUndefined();
    given.clock.move(1);
    expect(await tokens.redeem(late.secret)).toBeUndefined();
    // What was spent, revoked or is over goes when the next one is made; one that can still be spent stays.
    const signIns = async () => (await tokens.list()).filter(({ kind }) => kind === "sign-in").map(({ name }) => name);
    expect(await signIns()).toEqual(["late", "revoked"]);
    const next = await tokens.create({ name: "next", kind: "sign-in" });
    await tokens.create({ name: "another", kind: "sign-in" });
    expect(await signIns()).toEqual(["next", "another"]);
    expect((await tokens.redeem(next.secret))?.id).toBe(next.id);
    const key = await tokens.create({ name: "key", kind: "operator" });
    expect(await tokens.redeem(key.secret)).toBeUndefined();
    expect((await tokens.authenticate(key.secret))?.id).toBe(key.id);
  });

  test("a user's code is spent at the door for users, the operator's at theirs; at the other they stay good", async () => {
    const { tokens } = given.store;
    const agent = await given.agent();
    const users = await tokens.create({ name: "in", kind: "sign-in", agent, user: "bo" });
    const operators = await tokens.create({ name: "in", kind: "sign-in" });
    expect([await tokens.redeem(users.secret), await tokens.redeem(users.secret, "operator")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await tokens.redeem(operators.secret, "user")).toBeUndefined();
    expect(await tokens.redeem(users.secret, "user")).toMatchObject({ id: users.id, agent, user: "bo" });
    expect(await tokens.redeem(users.secret, "user")).toBeUndefined();
    expect(await tokens.redeem(operators.secret)).toMatchObject({ id: operators.id, agent: null, user: null });
  });

  test("a code is spent for a session, both or neither", async () => {
    const store = await given.another();
    const agent = await given.agent();
    const { secret } = await store.tokens.create({ name: "in", kind: "sign-in", agent, user: "bo" });
    const before = (await store.tokens.list()).length;
    const failing = await createStore(
      {
        ...store.home,
        write: (reach, work) =>
          store.home.write(reach, (db) =>
            work({
              ...db,
              one: (query) => {
                if (/insert into tokens/.test(query.texts.join("")))
                  throw new Problem("disk-full", "There is no room.", "Make room.");
                return db.one(query);
              },
            }),
          ),
      },
      { now: given.clock.now },
    );
    expect(await problemOf(failing.tokens.redeem(secret, "user"))).toMatch(/^disk-full: /);
    expect((await store.tokens.list()).length).toBe(before);
    const { session } = (await store.tokens.redeem(secret, "user")) ?? {};
    expect(session).toMatchObject({ name: "page for users", kind: "chat", agent, user: "bo" });
    expect(Date.parse(session?.expiresAt as string) - given.clock.now().getTime()).toBe(30 * 86_400_000);
    expect((await store.tokens.authenticateChat(session?.secret as string))?.id).toBe(session?.id);
  });

  test("a chat is known by both halves of its secret together, and by nothing less, nor as any other token", async () => {
    const { tokens } = given.store;
    const agent = await given.agent();
    const { secret, id } = await tokens.create({ name: "page", kind: "chat", agent, user: "bo" });
    const other = await tokens.create({ name: "page", kind: "chat", agent, user: "cy" });
    expect(secret).toMatch(/^charter_[\w-]{43}\.[\w-]{43}$/);
    const [cookie, half] = secret.split(".") as [string, string];
    const others = other.secret.split(".")[1] as string;
    expect(await tokens.authenticateChat(secret)).toMatchObject({ id, kind: "chat", agent, user: "bo" });
    for (const wrong of [cookie, half, `${cookie}.`, `.${half}`, `${half}.${cookie}`, `${cookie}.${others}`, ""])
      expect([await tokens.authenticateChat(wrong), await tokens.authenticate(wrong)]).toEqual([undefined, undefined]);
    expect([await tokens.authenticate(secret), await tokens.redeem(secret, "user")]).toEqual([undefined, undefined]);
    const key = await tokens.create({ name: "key", kind: "user", agent, user: "bo" });
    expect(await tokens.authenticateChat(key.secret)).toBeUndefined();
    expect(await tokens.findValid([id])).toEqual(new Set([id]));
    await tokens.revoke(id);
    expect([await tokens.authenticateChat(secret), (await tokens.findValid([id])).size]).toEqual([undefined, 0]);
  });

  test("a user's chats and codes with an agent end together; nobody else's, and none of another agent's", async () => {
    const { tokens, erase, remove } = given.store;
    const [agent, second] = [await given.agent(), await given.agent()];
    const chat = async (where: string, user: string) =>
      (await tokens.create({ name: "page", kind: "chat", agent: where, user })).secret;
    const open = async (secrets: readonly string[]) =>
      Promise.all(secrets.map(async (secret) => (await tokens.authenticateChat(secret)) !== undefined));
    const all = [await chat(agent, "bo"), await chat(agent, "bo"), await chat(second, "bo"), await chat(agent, "cy")];
    const code = await tokens.create({ name: "in", kind: "sign-in", agent, user: "bo" });
    const key = await tokens.create({ name: "key", kind: "user", agent, user: "bo" });
    await tokens.endChats({ agent, user: "bo" });
    expect(await open(all)).toEqual([false, false, true, true]);
    expect(await tokens.redeem(code.secret, "user")).toBeUndefined();
    expect((await tokens.authenticate(key.secret))?.id).toBe(key.id);

    const again = await chat(agent, "bo");
    await erase({ user: "bo", agent });
    expect(await open([again, all[2] as string])).toEqual([false, true]);
    await remove(second);
    expect(await open(all.slice(2))).toEqual([false, true]);
  });

  test("when it was last used is written once a minute", async () => {
    const store = await given.another();
    let writes = 0;
    const { tokens } = await createStore(
      {
        ...store.home,
        write: (reach, work) => {
          writes++;
          return store.home.write(reach, work);
        },
      },
      { now: given.clock.now },
    );
    given.clock.move(60_000 - (given.clock.now().getTime() % 60_000));
    const { secret, id } = await tokens.create({ name: "busy", kind: "operator" });
    const lastUsed = async () => (await tokens.list()).find((token) => token.id === id)?.lastUsedAt;
    writes = 0;
    const first = given.clock.text();
    for (let count = 0; count < 5; count++)
      await Promise.all(Array.from({ length: 5 }, () => tokens.authenticate(secret)));
    given.clock.move(59_999);
    await tokens.authenticate(secret);
    expect([writes, await lastUsed()]).toEqual([1, first]);
    given.clock.move(1);
    await tokens.authenticate(secret);
    expect([writes, await lastUsed()]).toEqual([2, given.clock.text()]);
  });

  test("a store that cannot be written to still knows who is asking", async () => {
    const store = await given.another();
    const { secret, id } = await store.tokens.create({ name: "t", kind: "operator" });
    const full = async () => {
      throw new Problem("disk-full", "There is no room left.", "Make room.");
    };
    const { tokens } = await createStore({ ...store.home, write: full }, { now: given.clock.now });
    expect((await tokens.authenticate(secret))?.id).toBe(id);
  });

  test("a token of a kind that is not known opens nothing, whatever it says", async () => {
    const { tokens, home } = given.store;
    for (const kind of ["", "read", '["operator"]']) {
      const { secret, id } = await tokens.create({ name: "old", kind: "operator" });
      await home.write("everything", (db) => db.run(sql`update tokens set kind = ${kind} where id = ${id}`));
      expect(await tokens.authenticate(secret)).toBeUndefined();
      expect(await tokens.redeem(secret)).toBeUndefined();
      expect((await tokens.list()).some((token) => token.id === id)).toBe(false);
      await tokens.revoke(id);
    }
  });

  test("whoever reads the whole database does not learn a token's words", async () => {
    const { tokens, home } = given.store;
    const { secret } = await tokens.create({ name: "hidden", kind: "sign-in" });
    await tokens.redeem(secret);
    const tables =
      given.name === "sqlite"
        ? "select name from sqlite_master where type = 'table' and name not like '%s_search%'"
        : "select tablename as name from pg_tables where schemaname = 'charter'";
    const everything = await home.read("everything", async (db) => {
      const names = await db.all<{ name: string }>(raw(tables));
      const rows: unknown[] = [];
      for (const { name } of names) rows.push(await db.all(raw(`select * from ${name}`)));
      return JSON.stringify(rows);
    });
    expect(everything).toContain(sha256(secret));
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(secret.slice("charter_".length));
    if (given.name !== "sqlite") return;
    const folder = dirname(given.place.url);
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file)).includes(secret.slice("charter_".length))).toBe(false);
  });
});
