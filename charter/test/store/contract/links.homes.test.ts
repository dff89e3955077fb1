import { expect, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import type { Link, Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("links", (given) => {
  const minute = 60_000;
  const chat = "telegram";
  const newCode = async (agent: string, user = "bo", store = given.store) =>
    (await store.links.createCode({ agent, user }, chat)).code;
  const redeem = (agent: string, code: string, address = "100", store: Store = given.store) =>
    store.links.redeem(agent, chat, code, address);

  test("a code that comes from a chat makes the chat its user's", async () => {
    const agent = await given.agent();
    const { code, expiresAt } = await given.store.links.createCode({ agent, user: "bo" }, chat);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(Date.parse(expiresAt) - given.clock.now().getTime()).toBe(10 * minute);
    given.clock.move(1000);
    const link: Link = { scope: { agent, user: "bo" }, channel: chat, address: "100", at: given.clock.text() };
    expect(await given.store.links.find(agent, chat, "100")).toBeUndefined();
    expect(await redeem(agent, code)).toEqual(link);
    expect(await given.store.links.find(agent, chat, "100")).toEqual(link);
    expect(await given.store.links.of({ agent, user: "bo" })).toEqual([link]);
    expect(await given.store.links.of({ agent, user: "cy" })).toEqual([]);
    for (const [where, channel, address] of [
      [await given.agent(), chat, "100"],
      [agent, "matrix", "100"],
      [agent, chat, "101"],
    ] as const)
      expect(await given.store.links.find(where, channel, address)).toBeUndefined();
    expect(await given.store.events.list({ agent })).toMatchObject([
      { kind: "chat-linked", scope: { agent, user: "bo" }, detail: { channel: chat } },
      { kind: "agent-set" },
    ]);
  });

  test("however it is typed, it is the same code", async () => {
    const agent = await given.agent();
    const typings: ((code: string) => string)[] = [
      (code) => code.toLowerCase(),
      (code) => `${code.slice(0, 4)}-${code.slice(4)}`,
      (code) => `  ${code.slice(0, 4)} ${code.slice(4)}\n`,
      (code) => code.replaceAll("0", "o").replace("1", "l").replaceAll("1", "I"),
    ];
    for (const [index, typed] of typings.entries())
      expect((await redeem(agent, typed(await newCode(agent)), `${index}`))?.address).toBe(`${index}`);
  });

  test("a code works once, whoever sends it again and from wherever", async () => {
    const agent = await given.agent();
    const code = await newCode(agent);
    expect((await redeem(agent, code))?.scope.user).toBe("bo");
    for (const address of ["100", "200"]) expect(await redeem(agent, code, address)).toBeUndefined();
    expect((await given.store.links.of({ agent, user: "bo" })).map(({ address }) => address)).toEqual(["100"]);
  });

  test("of many who send one code at once, from several processes, one is linked", async () => {
    const agent = await given.agent();
    const stores = await given.three();
    for (let round = 0; round < 5; round++) {
      const code = await newCode(agent, `user-${round}`);
      const linked = await Promise.all(
        Array.from({ length: 9 }, (_, index) => redeem(agent, code, `${round}-${index}`, stores[index % 3])),
      );
      expect(linked.filter((link) => link !== undefined).length).toBe(1);
      expect((await given.store.links.of({ agent, user: `user-${round}` })).length).toBe(1);
    }
  });

  test("it is over after ten minutes to the millisecond, or when it was said to be", async () => {
    const agent = await given.agent();
    const inTime = await newCode(agent);
    given.clock.move(10 * minute - 1);
    expect(await redeem(agent, inTime)).toMatchObject({ address: "100" });
    const late = await newCode(agent);
    given.clock.move(10 * minute);
    expect(await redeem(agent, late)).toBeUndefined();
  });

  test("a code made before, for another agent or another channel opens nothing, and neither does any other text", async () => {
    const agent = await given.agent();
    const other = await given.agent();
    const [first, second] = [await newCode(agent), await newCode(agent)];
    const elsewhere = (await given.store.links.createCode({ agent, user: "bo" }, "matrix")).code;
    const theirs = await newCode(agent, "cy");
    expect(second).not.toBe(first);
    for (const code of [first, elsewhere, "", "0".repeat(8), "' or 1 = 1 --"])
      expect(await redeem(agent, code)).toBeUndefined();
    expect(await redeem(other, second)).toBeUndefined();
    expect((await redeem(agent, second))?.scope.user).toBe("bo");
    expect((await redeem(agent, theirs, "300"))?.scope.user).toBe("cy");
    expect((await given.store.links.redeem(agent, "matrix", elsewhere, "@bo"))?.channel).toBe("matrix");
  });

  test("of two codes made at once the older is void", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const codes = await Promise.all([newCode(agent), newCode(agent, "bo", other), newCode(agent), newCode(agent)]);
    const linked = [];
    for (const code of codes) linked.push(await redeem(agent, code));
    expect(linked.filter((link) => link !== undefined).length).toBe(1);
  });

  test("an address that is linked anew belongs to the new user alone, and nothing of the old one follows", async () => {
    const agent = await given.agent();
    await redeem(agent, await newCode(agent, "bo"));
    const send = (user: string, body: string) =>
      given.store.dispatches.add([{ scope: { agent, user }, channel: chat, address: "100", body }]);
    await send("bo", "what bo asked for");
    await send("cy", "for cy");
    await redeem(agent, await newCode(agent, "cy"));
    expect(await given.store.links.of({ agent, user: "bo" })).toEqual([]);
    expect((await given.store.links.find(agent, chat, "100"))?.scope).toEqual({ agent, user: "cy" });
    expect((await given.store.dispatches.list({ agent })).map(({ body }) => body)).toEqual(["for cy"]);
    expect((await given.store.events.list({ agent, user: "bo" })).map(({ kind }) => kind)).toEqual([
      "chat-unlinked",
      "chat-linked",
    ]);
    // The same user again: what waits still goes out.
    await redeem(agent, await newCode(agent, "cy"));
    expect((await given.store.dispatches.list({ agent })).length).toBe(1);
    expect((await given.store.events.list({ agent, user: "cy" })).map(({ kind }) => kind)).toEqual([
      "chat-linked",
      "chat-linked",
    ]);
  });

  test("who unlinks a chat is sent nothing more there; other chats and users are as they were", async () => {
    const agent = await given.agent();
    const bo = { agent, user: "bo" };
    for (const address of ["100", "200"]) await redeem(agent, await newCode(agent), address);
    await redeem(agent, await newCode(agent, "cy"), "300");
    for (const [user, address] of [
      ["bo", "100"],
      ["bo", "200"],
      ["cy", "300"],
    ] as const)
      await given.store.dispatches.add([{ scope: { agent, user }, channel: chat, address, body: address }]);
    const [sent] = await given.store.dispatches.add([{ scope: bo, channel: chat, address: "100", body: "sent" }]);
    await given.store.dispatches.markSent(sent?.id as string);
    const unknown = (address: string) =>
      `unknown-link: There is no chat “${address}” on “telegram” that is linked here. See what is linked, and check the address.`;
    expect(await problemOf(given.store.links.remove({ agent, user: "cy" }, chat, "100"))).toBe(unknown("100"));
    await given.store.links.remove(bo, chat, "100");
    expect((await given.store.links.of(bo)).map(({ address }) => address)).toEqual(["200"]);
    expect((await given.store.dispatches.list({ agent })).map(({ body }) => body)).toEqual(["sent", "300", "200"]);
    expect(await problemOf(given.store.links.remove(bo, chat, "100"))).toBe(unknown("100"));
    expect(await redeem(agent, await newCode(agent), "100")).toMatchObject({ scope: bo });
  });

  test("only someone who is named, with an agent that is there, links a chat", async () => {
    const agent = await given.agent();
    const needs = "needs-user: A chat is linked to a user, and no user was named. Say whose chat it is.";
    expect(await problemOf(given.store.links.createCode({ agent }, chat))).toBe(needs);
    expect(await problemOf(async () => given.store.links.of({ agent }))).toBe(needs);
    expect(await problemOf(given.store.links.remove({ agent }, chat, "1"))).toBe(needs);
    expect(await problemOf(given.store.links.createCode({ agent: "nobody", user: "bo" }, chat))).toMatch(
      /^unknown-agent: /,
    );
    for (const name of ["", "a\nb"]) {
      expect(await problemOf(given.store.links.createCode({ agent, user: "bo" }, name))).toMatch(/^bad-name: /);
      expect(await problemOf(redeem(agent, await newCode(agent), name))).toMatch(/^bad-name: /);
    }
  });

  test("whoever reads the whole table of codes cannot type one", async () => {
    const agent = await given.agent();
    const code = await newCode(agent);
    const rows = await given.store.home.read("everything", (db) => db.all(raw("select * from link_codes")));
    expect(JSON.stringify(rows)).toContain(agent);
    expect(JSON.stringify(rows)).not.toContain(code);
  });
});
