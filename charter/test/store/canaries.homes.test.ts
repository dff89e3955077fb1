import { expect, test } from "vitest";
import { onEveryHome } from "./contract/given.ts";
import { everyRow } from "./declared-rows.ts";
import { kinds, nothingWritten, secret, users } from "./isolation/isolation-kinds.ts";
import { findLandings } from "./strays.ts";

onEveryHome("canaries", (given) => {
  /** Every row of the database with whose it says it is. */
  const rowsAndOwners = async () =>
    (await everyRow(given.store.home)).map(({ table, row, words }) => ({
      table,
      whose: table === "texts" ? row.owner : row.user_id,
      // What a proposal was sent under is sealed into its chain and outlasts its sender: it is no place for words.
      words: table === "amendments" ? words.replace(`${row.key}`, "") : words,
    }));

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
    const { said, strays } = await findLandings(given.store, /secret-of/);
    expect([...strays]).toEqual([]);
    expect(said.size).toBeGreaterThan(20);
    const rows = await rowsAndOwners();
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
    const letters = (await rowsAndOwners()).filter(({ words }) => words.includes("secret-of-b"));
    expect(new Set(letters.map(({ whose }) => whose))).toEqual(new Set(["counterpart:b"]));
    await given.store.erase({ user: "counterpart:b" });
    const left = (await rowsAndOwners()).filter(({ words }) => words.includes("secret-of-b"));
    expect(left).toEqual([]);
  });
});
