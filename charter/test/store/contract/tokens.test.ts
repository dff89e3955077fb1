import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import { sha256 } from "../../../src/store/sha256.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("tokens", (given) => {
  test("a token opens the door it was made for, and its words are seen once", async () => {
    const { tokens } = given.store;
    const { secret, ...token } = await tokens.create({ name: "ci", agent: "ada", user: "bo", rights: ["read"] });
    expect(secret).toMatch(/^charter_[\w-]{43}$/);
    const kept = {
      id: expect.any(String),
      name: "ci",
      agent: "ada",
      user: "bo",
      rights: ["read"],
      createdAt: given.clock.text(),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    };
    expect(token).toEqual(kept);
    const plain = await tokens.create({ name: "all" });
    expect(plain).toMatchObject({ agent: null, user: null, rights: [] });
    expect(plain.secret).not.toBe(secret);
    expect((await tokens.list()).map(({ name }) => name)).toEqual(["ci", "all"]);
    expect(await tokens.check(secret)).toMatchObject({ id: token.id, rights: ["read"] });
    expect((await tokens.list())[0]).toEqual({ ...token, lastUsedAt: given.clock.text() });
    for (const wrong of ["", secret.slice(0, -1), `${secret} `, secret.toUpperCase(), sha256(secret)])
      expect(await tokens.check(wrong)).toBeUndefined();
  });

  test("revoked or over, it opens nothing", async () => {
    const { tokens } = given.store;
    const gone = await tokens.create({ name: "gone" });
    await tokens.revoke(gone.id);
    expect(await tokens.check(gone.secret)).toBeUndefined();
    expect((await tokens.list()).find(({ id }) => id === gone.id)?.revokedAt).toBe(given.clock.text());
    const unknown = (id: string) => `unknown-token: There is no token “${id}” to revoke. Check the id.`;
    expect(await problemOf(tokens.revoke(gone.id))).toBe(unknown(gone.id));
    expect(await problemOf(tokens.revoke("nope"))).toBe(unknown("nope"));

    const inAnHour = new Date(given.clock.now().getTime() + 3_600_000);
    const shifted = new Date(inAnHour.getTime() + 5 * 3_600_000).toISOString().replace("Z", "+05:00");
    const hour = await tokens.create({ name: "hour", expiresAt: shifted });
    expect(hour.expiresAt).toBe(inAnHour.toISOString());
    expect((await tokens.check(hour.secret))?.name).toBe("hour");
    given.clock.move(3_599_000);
    expect((await tokens.check(hour.secret))?.name).toBe("hour");
    given.clock.move(1_000);
    expect(await tokens.check(hour.secret)).toBeUndefined();
    expect(await problemOf(tokens.create({ name: "x", expiresAt: "whenever" }))).toBe(
      "bad-time: “whenever” is no time. Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.",
    );
  });

  test("whoever reads the whole database does not learn a token's words", async () => {
    const { tokens, home } = given.store;
    const { secret } = await tokens.create({ name: "hidden", agent: "ada" });
    await tokens.check(secret);
    const tables =
      given.name === "sqlite"
        ? "select name from sqlite_master where type = 'table' and name not like 'memories_search%'"
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
