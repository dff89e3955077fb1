import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("inbox and outbox", (given) => {
  const minutes = (count: number) => given.clock.move(count * 60_000);
  const post = (agent: string, id: string, body = id) =>
    given.store.inbox.post({ agent, sender: "Bo@Example.com", body, id });
  const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);

  test("a message that comes twice is one message", async () => {
    const agent = await given.agent();
    const message = {
      id: "m1",
      agent,
      sender: "Bo@Example.com",
      body: "Hello?",
      channel: "mail",
      at: given.clock.text(),
      status: "waiting",
      tries: 0,
      turn: null,
      failure: null,
    };
    const send = (body: string) =>
      given.store.inbox.post({ agent, sender: "Bo@Example.com", body, id: "m1", channel: "mail" });
    expect(await send("Hello?")).toEqual(message);
    given.clock.move(1000);
    const other = await given.another();
    const again = await Promise.all([
      send("Hello again?"),
      other.inbox.post({ agent, sender: "x", body: "y", id: "m1" }),
    ]);
    expect(again).toEqual([message, message]);
    expect(await given.store.inbox.list(agent)).toEqual([message]);
    await given.store.inbox.answer({ agent, message: "m1", reply: "Hello!", turn: "t1" });
    expect((await send("Hello?")).status).toBe("answered");
    expect((await given.store.inbox.post({ agent, sender: "bo", body: "a" })).id).not.toBe("m1");
  });

  test("messages are taken oldest first, and each by one taker", async () => {
    const agent = await given.agent();
    for (const id of ["c", "a", "b"]) {
      given.clock.move(1000);
      await post(agent, id);
    }
    const taken = await given.store.inbox.claim(agent, "t1", { limit: 2 });
    expect(taken.map(({ id, status, tries, turn }) => [id, status, tries, turn])).toEqual([
      ["c", "taken", 1, "t1"],
      ["a", "taken", 1, "t1"],
    ]);
    expect(ids(await given.store.inbox.claim(agent, "t2"))).toEqual(["b"]);
    expect(await given.store.inbox.claim(agent, "t3")).toEqual([]);
    expect(ids(await given.store.inbox.list(agent, "taken"))).toEqual(["c", "a", "b"]);
  });

  test("of many takers at once no two get the same message", async () => {
    const agent = await given.agent();
    for (let index = 0; index < 30; index++) await post(agent, `m${index}`);
    const stores = [given.store, await given.another(), await given.another()];
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, index) => stores[index % 3]?.inbox.claim(agent, `t${index}`, { limit: 4 })),
    );
    const all = ids(taken.flatMap((some) => some ?? []));
    const rest = ids(await given.store.inbox.claim(agent, "last", { limit: 100 }));
    expect(new Set(all).size).toBe(all.length);
    expect([...all, ...rest].sort()).toEqual(Array.from({ length: 30 }, (_, index) => `m${index}`).sort());
  });

  test("whoever took a message and never came back gives it back when the lease is over; the third is the last", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    expect(ids(await given.store.inbox.claim(agent, "t1", { leaseMs: 60_000 }))).toEqual(["m1"]);
    expect(await given.store.inbox.claim(agent, "t2")).toEqual([]);
    minutes(2);
    expect(ids(await given.store.inbox.claim(agent, "t2", { leaseMs: 60_000 }))).toEqual(["m1"]);
    minutes(2);
    const [third] = await given.store.inbox.claim(agent, "t3", { leaseMs: 60_000 });
    expect(third).toMatchObject({ id: "m1", tries: 3, turn: "t3", status: "taken" });
    minutes(2);
    expect(await given.store.inbox.claim(agent, "t4")).toEqual([]);
    const [dead] = await given.store.inbox.list(agent, "dead");
    const failure = "nobody who took it came back";
    expect(dead).toMatchObject({ id: "m1", tries: 3, turn: "t3", status: "dead", failure });
    expect(await given.store.events.list({ agent, kind: "message-dead" })).toEqual([
      {
        id: expect.any(Number),
        scope: { agent, user: "bo@example.com" },
        at: given.clock.text(),
        kind: "message-dead",
        turn: "t3",
        detail: { message: "m1", tries: 3, because: failure },
      },
    ]);
  });

  test("a message that keeps failing is dead after the third try, and says why", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    await post(agent, "m2");
    const statuses: string[] = [];
    for (let turn = 1; turn <= 3; turn++) {
      await given.store.inbox.claim(agent, `t${turn}`, { limit: 1 });
      statuses.push((await given.store.inbox.fail(agent, "m1", `try ${turn}`)).status);
    }
    expect(statuses).toEqual(["waiting", "waiting", "dead"]);
    expect(await given.store.inbox.list(agent, "dead")).toMatchObject([{ id: "m1", tries: 3, failure: "try 3" }]);
    expect((await given.store.events.list({ agent, kind: "message-dead" })).map(({ detail }) => detail)).toEqual([
      { message: "m1", tries: 3, because: "try 3" },
    ]);
    expect(ids(await given.store.inbox.claim(agent, "t4"))).toEqual(["m2"]);
    await given.store.inbox.fail(agent, "m1", "once more");
    expect((await given.store.events.list({ agent, kind: "message-dead" })).length).toBe(1);
  });

  test("an answer consumes the message, posts the reply and keeps the exchange", async () => {
    const agent = await given.agent();
    await post(agent, "m1", "Hello?");
    await given.store.inbox.claim(agent, "t1");
    given.clock.move(1000);
    const at = given.clock.text();
    const reply = await given.store.inbox.answer({ agent, message: "m1", reply: "Hello!", turn: "t1" });
    const id = expect.any(String);
    expect(reply).toEqual({
      id,
      agent,
      to: "bo@example.com",
      body: "Hello!",
      at,
      turn: "t1",
      message: "m1",
      sentAt: null,
    });
    expect(await given.store.inbox.list(agent, "answered")).toMatchObject([{ id: "m1", turn: "t1", tries: 1 }]);
    expect(await given.store.inbox.listUnsent(agent)).toEqual([reply]);
    expect((await given.store.conversations.read(agent, "bo@example.com"))?.exchanges).toMatchObject([
      { inbox_message_id: "m1", sender_body: "Hello?", agent_reply: "Hello!" },
    ]);
    const scope = { agent, user: "bo@example.com" };
    expect(await given.store.events.list({ agent, kind: "message-answered" })).toMatchObject([
      { scope, turn: "t1", detail: { message: "m1", reply: reply.id } },
    ]);
    minutes(60);
    expect(await given.store.inbox.claim(agent, "t2")).toEqual([]);
  });

  test("a message gets one reply, also when two answer at once", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    const other = await given.another();
    const answers = await Promise.allSettled(
      [given.store, other, given.store, other].map((store, index) =>
        store.inbox.answer({ agent, message: "m1", reply: `${index}`, turn: `t${index}` }),
      ),
    );
    const twice = "already-decided: The message “m1” is answered; it gets no second reply.";
    const refused = answers.filter((one) => one.status === "rejected");
    expect(refused.length).toBe(3);
    for (const one of refused)
      expect(await problemOf(Promise.reject(one.reason))).toBe(
        `${twice} Take messages with take() and answer each once.`,
      );
    expect((await given.store.inbox.listUnsent(agent)).length).toBe(1);
    expect((await given.store.conversations.read(agent, "bo@example.com"))?.exchanges.length).toBe(1);
  });

  test("who answers or fails a message that is not there is told so", async () => {
    const agent = await given.agent();
    const unknown = `unknown-message: There is no message “m9” for “${agent}”. Check the id.`;
    expect(await problemOf(given.store.inbox.answer({ agent, message: "m9", reply: "r", turn: "t" }))).toBe(unknown);
    expect(await problemOf(given.store.inbox.fail(agent, "m9", "x"))).toBe(unknown);
    expect(await problemOf(given.store.inbox.post({ agent: "nobody", sender: "bo", body: "x" }))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
    for (const sender of ["", " ", "a\nb", "x".repeat(201)])
      expect(await problemOf(given.store.inbox.post({ agent, sender, body: "x" }))).toMatch(/^bad-name: /);
  });

  test("an answer that could not be written leaves the message waiting", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    const half = given.store.inbox.answer({ agent, message: "m1", reply: "half a \ud83d", turn: "t" });
    expect(await problemOf(half)).toMatch(/^malformed-text: /);
    expect(ids(await given.store.inbox.list(agent))).toEqual(["m1"]);
    expect(await given.store.inbox.listUnsent(agent)).toEqual([]);
    expect(await given.store.conversations.read(agent, "bo@example.com")).toBeUndefined();
  });

  test("replies wait in the outbox, oldest first, until they were sent", async () => {
    const agent = await given.agent();
    const replies: string[] = [];
    for (const id of ["m1", "m2", "m3"]) {
      given.clock.move(1000);
      await post(agent, id);
      replies.push((await given.store.inbox.answer({ agent, message: id, reply: id, turn: "t" })).id);
    }
    expect(ids(await given.store.inbox.listUnsent(agent, { limit: 2 }))).toEqual(replies.slice(0, 2));
    await given.store.inbox.markSent(agent, replies[0] as string);
    expect(ids(await given.store.inbox.listUnsent(agent))).toEqual(replies.slice(1));
    expect(ids(await given.store.inbox.listUnsent(agent, { limit: 1, offset: 1 }))).toEqual(replies.slice(2));
  });
});
