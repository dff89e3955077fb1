import { expect, test } from "vitest";
import { defaultConversationLimits } from "../../../src/store/conversations/conversations.ts";
import { answerMessage, unsentReplies } from "../answer-message.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("conversations", (given) => {
  /** Says something to the agent and gets an answer, by way of the inbox. */
  const exchange = async (agent: string, sender: string, body: string, reply = `Re: ${body}`) => {
    given.clock.move(1000);
    const { id } = await given.store.inbox.post({ agent, sender, body });
    await given.store.inbox.claim(agent, "t1");
    await answerMessage(given.store.inbox, { agent, message: id, reply, turn: "t1" });
    return id;
  };

  test("an answered message is an exchange with the seed's five fields", async () => {
    const agent = await given.agent();
    const id = await exchange(agent, "bo@example.com", "Hello?", "Hello!");
    expect(await given.store.conversations.read(agent, "bo@example.com")).toEqual({
      counterpart: "bo@example.com",
      lastAt: given.clock.text(),
      exchanges: [
        {
          inbox_message_id: id,
          sender_body: "Hello?",
          agent_reply: "Hello!",
          turn_id: "t1",
          timestamp: given.clock.text(),
        },
      ],
    });
    expect(await given.store.conversations.read(agent, "cy@example.com")).toBeUndefined();
    expect(await given.store.conversations.read("nobody", "bo@example.com")).toBeUndefined();
  });

  test("however an address is written, it is one counterpart", async () => {
    const agent = await given.agent();
    for (const sender of ["0xABCD", " 0xabcd\t", "0XabCD"]) await exchange(agent, sender, sender);
    const conversation = await given.store.conversations.read(agent, "\n0xAbCd ");
    expect(conversation?.counterpart).toBe("0xabcd");
    expect(conversation?.exchanges.map(({ sender_body }) => sender_body)).toEqual(["0xABCD", " 0xabcd\t", "0XabCD"]);
    const lastAt = given.clock.text();
    expect(await given.store.conversations.list(agent)).toEqual([{ counterpart: "0xabcd", exchanges: 3, lastAt }]);
    expect((await given.store.inbox.list(agent, "answered")).map(({ sender }) => sender)).toEqual(
      Array(3).fill("0xabcd"),
    );
  });

  test("of a conversation the last 20 exchanges stay, first in first out", async () => {
    const agent = await given.agent();
    for (let index = 1; index <= 23; index++) await exchange(agent, "bo", `${index}`);
    const bodies = (await given.store.conversations.read(agent, "bo"))?.exchanges.map((one) => one.sender_body);
    expect(bodies).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 4}`));
    expect((await given.store.inbox.list(agent, "answered")).length).toBe(23);
  });

  test("500 characters a side stay, whole characters, and the whole text where it came in and went out", async () => {
    const agent = await given.agent();
    const [body, reply] = ["👩🏽‍🚀".repeat(250), `${"é".repeat(499)}😀tail`];
    await exchange(agent, "bo", body, reply);
    const [one] = (await given.store.conversations.read(agent, "bo"))?.exchanges ?? [];
    expect([...(one?.sender_body ?? "")].length).toBe(500);
    expect(one?.sender_body).toBe([...body].slice(0, 500).join(""));
    expect(one?.agent_reply).toBe(`${"é".repeat(499)}😀`);
    expect((await given.store.inbox.list(agent, "answered"))[0]?.body).toBe(body);
    expect((await unsentReplies(given.store.inbox, agent))[0]?.body).toBe(reply);
  });

  test("of 200 counterparts the one silent longest makes room for the next, and a word brings one back", async () => {
    const agent = await given.agent();
    const record = (address: string) =>
      given.store.conversations.record(agent, address, { message: "m", body: "b", reply: "r", turn: "t" });
    for (let index = 0; index < 200; index++) await record(`p${index}`);
    await record("p0");
    await record("p200");
    await record("p201");
    const list = async (page: object) =>
      (await given.store.conversations.list(agent, page)).map(({ counterpart }) => counterpart);
    const all = [...(await list({ limit: 150 })), ...(await list({ limit: 150, offset: 150 }))];
    const rest = Array.from({ length: 197 }, (_, index) => `p${199 - index}`);
    expect(all).toEqual(["p201", "p200", "p0", ...rest]);
    expect(await given.store.conversations.read(agent, "p1")).toBeUndefined();
    expect((await given.store.conversations.read(agent, "p0"))?.exchanges.length).toBe(2);
    await record("p1");
    expect((await given.store.conversations.read(agent, "p1"))?.exchanges.length).toBe(1);
    expect(await given.store.conversations.read(agent, "p3")).toBeUndefined();
  });

  test("that with one counterpart is found among all, however its name is written, and of no other agent", async () => {
    const [agent, other] = [await given.agent(), await given.agent()];
    const record = (of: string, address: string) =>
      given.store.conversations.record(of, address, { message: "m", body: "b", reply: "r", turn: "t" });
    for (const address of ["0xABCD", "0xabcde", "club/Bo", "0xabcd"]) await record(agent, address);
    await record(other, "0xabc");
    const found = async (counterpart: string) => [
      (await given.store.conversations.list(agent, { counterpart })).map((one) => [one.counterpart, one.exchanges]),
      await given.store.conversations.count(agent, { counterpart }),
    ];
    expect(await found(" 0xAbCd ")).toEqual([[["0xabcd", 2]], 1]);
    expect(await found("club/Bo")).toEqual([[["club/Bo", 1]], 1]);
    for (const nobody of ["club/bo", "0xabc", "", "%"]) expect(await found(nobody)).toEqual([[], 0]);
  });

  test("each agent has its own two hundred", async () => {
    const [one, other] = [await given.agent(), await given.agent()];
    const limits = { ...defaultConversationLimits, counterparts: 2 };
    const words = { message: "m", body: "b", reply: "r", turn: "t" };
    for (const address of ["a", "b", "c"]) await given.store.conversations.record(one, address, words, limits);
    await given.store.conversations.record(other, "a", words, limits);
    const names = async (agent: string) =>
      (await given.store.conversations.list(agent)).map(({ counterpart }) => counterpart);
    expect(await names(one)).toEqual(["c", "b"]);
    expect(await names(other)).toEqual(["a"]);
  });

  test("many at once keep every limit", async () => {
    const agent = await given.agent();
    const stores = [given.store, await given.another()];
    const limits = { exchanges: 3, counterparts: 4, chars: 500 };
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        stores[index % 2]?.conversations.record(
          agent,
          `p${index % 6}`,
          { message: `${index}`, body: "b", reply: "r", turn: "t" },
          limits,
        ),
      ),
    );
    const list = await given.store.conversations.list(agent);
    expect(list.length).toBe(4);
    for (const { counterpart, exchanges } of list) {
      expect(exchanges).toBeLessThanOrEqual(3);
      expect((await given.store.conversations.read(agent, counterpart))?.exchanges.length).toBe(exchanges);
    }
  });

  test("an address nobody could have is a problem", async () => {
    const agent = await given.agent();
    const words = { message: "m", body: "b", reply: "r", turn: "t" };
    for (const address of ["", "  ", "a\nb", "x".repeat(201)])
      expect(await problemOf(given.store.conversations.record(agent, address, words))).toMatch(/^bad-name: /);
    expect(await given.store.conversations.list(agent)).toEqual([]);
  });
});
