import { expect, test } from "vitest";
import { type Row, raw } from "../../src/store/home/sql.ts";
import { createTexts } from "../../src/store/texts/text.ts";
import { onEveryHome } from "./contract/given.ts";
import { kinds, nothingWritten, secret, users } from "./isolation/isolation-kinds.ts";

onEveryHome("canaries", (given) => {
  /** Every row of the database with whose it says it is; texts as they read. */
  const everyRow = () =>
    given.store.home.read("everything", async (db) => {
      const tables = raw(
        given.name === "sqlite"
          ? "select name from sqlite_master where type = 'table' and name not like '%s_search%'"
          : "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      );
      const out: { table: string; whose: unknown; words: string }[] = [];
      for (const { name: table } of await db.all<{ name: string }>(tables))
        for (const row of await db.all<Row>(raw(`select * from ${table}`))) {
          const text = table === "texts" ? await createTexts().get(db, `${row.owner}`, `${row.digest}`) : "";
          const whose = table === "texts" ? row.owner : row.user_id;
          // What a proposal was sent under is sealed into its chain and outlasts its sender: it is no place for words.
          const { key, ...rest } = row;
          out.push({
            table,
            whose,
            words: `${JSON.stringify(table === "amendments" ? rest : { key, ...rest })} ${text}`,
          });
        }
      return out;
    });

  test("a user's words stand in that user's rows and in no other, whatever they did", async () => {
    const agent = await given.agent();
    for (const [index, write] of kinds.entries())
      for (const user of users) await write(given.store, agent, user, secret(user, index), nothingWritten());
    // One chat that goes from hand to hand, with what came from it still open and what goes there still waiting.
    const chat = { channel: "telegram", address: "one chat" };
    for (const user of users) {
      const scope = { agent, user };
      const { code } = await given.store.links.createCode(scope, chat.channel);
      await given.store.links.redeem(agent, chat.channel, code, chat.address);
      const id = `update of ${user}`;
      await given.store.updates.put({ scope, ...chat, id, body: secret(user, 100) });
      await given.store.updates.claim(agent, chat.channel, { limit: 100 });
      const answer = { scope, ...chat, body: secret(user, 101), extra: { words: secret(user, 102) } };
      if (user === "a") await given.store.updates.complete(agent, chat.channel, id, [answer]);
      else await given.store.updates.fail(agent, chat.channel, id, secret(user, 103), [answer]);
      const [sent] = await given.store.dispatches.add([answer]);
      await given.store.dispatches.markDead(sent?.id as string, secret(user, 104));
    }
    const rows = await everyRow();
    for (const user of users) {
      const places = rows.filter(({ words }) => words.includes(`secret-of-${user}`));
      expect(new Set(places.map(({ whose }) => whose))).toEqual(new Set([user, `counterpart:${user}`]));
      const tables = new Set(places.map(({ table }) => table));
      for (const table of ["texts", "turns", "memories", "runs", "links", "updates", "dispatches", "events"])
        expect([table, tables.has(table)]).toEqual([table, true]);
    }
    const events = rows.filter(
      ({ table, words }) => table === "events" && /update-dead|dispatch-dead|chat-/.test(words),
    );
    expect(events.length).toBeGreaterThan(9);
    for (const { words } of events) expect(words).not.toContain("secret-of");
    // Who was erased is in none.
    await given.store.erase({ user: "b" });
    const letters = (await everyRow()).filter(({ words }) => words.includes("secret-of-b"));
    expect(new Set(letters.map(({ whose }) => whose))).toEqual(new Set(["counterpart:b"]));
    await given.store.erase({ user: "counterpart:b" });
    const left = (await everyRow()).filter(({ words }) => words.includes("secret-of-b"));
    expect(left).toEqual([]);
  });
});
