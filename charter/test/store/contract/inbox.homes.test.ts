import { expect, test } from "vitest";
import { finishMessages } from "../../../src/store/conversations/message-work.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { verifyStore } from "../../../src/store/index.ts";
import { counterpartKey } from "../../../src/store/scope.ts";
import { eventually } from "../../eventually.ts";
import { answerMessage, failMessage, unsentReplies } from "../answer-message.ts";
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
      sender: "bo@example.com",
      body: "Hello?",
      channel: "mail",
      at: given.clock.text(),
      status: "waiting",
      tries: 0,
      turn: null,
      failures: [],
      lane: "",
      draft: null,
      paid: null,
    };
    const send = (body: string) =>
      given.store.inbox.post({ agent, sender: "Bo@Example.com", body, id: "m1", channel: "mail" });
    expect(await send("Hello?")).toEqual({ ...message, created: true, secretKept: false });
    given.clock.move(1000);
    const other = await given.another();
    const exists =
      "message-exists: There is a message “m1” already, with other words or another sender. Give every message an id of its own.";
    expect(await send("Hello?")).toEqual({ ...message, created: false, secretKept: false });
    expect(await problemOf(send("Hello again?"))).toBe(exists);
    expect(await problemOf(other.inbox.post({ agent, sender: "x", body: "Hello?", id: "m1" }))).toBe(exists);
    expect(await given.store.inbox.list(agent)).toEqual([message]);
    await given.store.inbox.claim(agent, "t1");
    await answerMessage(given.store.inbox, { agent, message: "m1", reply: "Hello!", turn: "t1" });
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
    const stores = await given.three();
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
    const because = "nobody who took it came back";
    expect(dead).toMatchObject({ id: "m1", tries: 3, turn: "t3", status: "dead" });
    expect(dead?.failures).toEqual(["t1", "t2", "t3"].map((turn) => ({ at: expect.any(String), turn, because })));
    expect(await given.store.events.list({ agent, kind: "message-dead" })).toEqual([
      {
        id: expect.any(Number),
        scope: { agent, user: "counterpart:bo@example.com" },
        at: given.clock.text(),
        kind: "message-dead",
        turn: "t3",
        detail: { message: "m1", tries: 3, because },
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
      statuses.push((await failMessage(given.store.inbox, agent, "m1", `try ${turn}`)).status);
    }
    expect(statuses).toEqual(["waiting", "waiting", "dead"]);
    expect(await given.store.inbox.list(agent, "dead")).toMatchObject([
      { id: "m1", tries: 3, failures: [1, 2, 3].map((turn) => ({ turn: `t${turn}`, because: `try ${turn}` })) },
    ]);
    expect((await given.store.events.list({ agent, kind: "message-dead" })).map(({ detail }) => detail)).toEqual([
      { message: "m1", tries: 3, because: "try 3" },
    ]);
    expect(ids(await given.store.inbox.claim(agent, "t4"))).toEqual(["m2"]);
    await failMessage(given.store.inbox, agent, "m1", "once more");
    expect((await given.store.events.list({ agent, kind: "message-dead" })).length).toBe(1);
  });

  test("an answer consumes the message, posts the reply and keeps the exchange", async () => {
    const agent = await given.agent();
    await post(agent, "m1", "Hello?");
    await given.store.inbox.claim(agent, "t1");
    given.clock.move(1000);
    const at = given.clock.text();
    const reply = await answerMessage(given.store.inbox, { agent, message: "m1", reply: "Hello!", turn: "t1" });
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
    expect(await unsentReplies(given.store.inbox, agent)).toEqual([reply]);
    expect((await given.store.conversations.read(agent, "bo@example.com"))?.exchanges).toMatchObject([
      { inbox_message_id: "m1", sender_body: "Hello?", agent_reply: "Hello!" },
    ]);
    const scope = { agent, user: "counterpart:bo@example.com" };
    expect(await given.store.events.list({ agent, kind: "message-answered" })).toMatchObject([
      { scope, turn: "t1", detail: { message: "m1", reply: reply.id } },
    ]);
    minutes(60);
    expect(await given.store.inbox.claim(agent, "t2")).toEqual([]);
  });

  test("a message gets one reply, also when two answer at once", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    await given.store.inbox.claim(agent, "t");
    const other = await given.another();
    const answers = await Promise.allSettled(
      [given.store, other, given.store, other].map((store, index) =>
        answerMessage(store.inbox, { agent, message: "m1", reply: `${index}`, turn: "t" }),
      ),
    );
    expect(answers.filter((one) => one.status === "rejected").length).toBe(3);
    expect((await unsentReplies(given.store.inbox, agent)).length).toBe(1);
    expect((await given.store.conversations.read(agent, "bo@example.com"))?.exchanges.length).toBe(1);
  });

  test("who answers or fails a message that is not there is told so", async () => {
    const agent = await given.agent();
    const unknown = `unknown-message: There is no message “m9” for “${agent}”. Check the id.`;
    expect(await problemOf(given.store.inbox.get(agent, "m9"))).toBe(unknown);
    const [replies, failures] = [[{ message: "m9", body: "r" }], [{ message: "m8", because: "x" }]];
    const refused = ["m9", "m8"];
    expect(await given.store.inbox.finish({ agent, turn: "t", replies, failures })).toEqual({ replies: [], refused });
    expect(await problemOf(given.store.inbox.post({ agent: "nobody", sender: "bo", body: "x" }))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
    for (const sender of ["", " ", "a\nb", "x".repeat(201)])
      expect(await problemOf(given.store.inbox.post({ agent, sender, body: "x" }))).toMatch(/^bad-name: /);
  });

  test("an answer that could not be written leaves the message with its turn", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    await given.store.inbox.claim(agent, "t");
    const half = answerMessage(given.store.inbox, { agent, message: "m1", reply: "half a \ud83d", turn: "t" });
    expect(await problemOf(half)).toMatch(/^malformed-text: /);
    expect(ids(await given.store.inbox.heldBy(agent, "t"))).toEqual(["m1"]);
    expect(await unsentReplies(given.store.inbox, agent)).toEqual([]);
    expect(await given.store.conversations.read(agent, "bo@example.com")).toBeUndefined();
  });

  test("replies wait in the outbox, oldest first, until they were sent", async () => {
    const agent = await given.agent();
    const replies: string[] = [];
    for (const id of ["m1", "m2", "m3"]) {
      given.clock.move(1000);
      await post(agent, id);
      await given.store.inbox.claim(agent, "t");
      replies.push((await answerMessage(given.store.inbox, { agent, message: id, reply: id, turn: "t" })).id);
    }
    expect(ids(await unsentReplies(given.store.inbox, agent))).toEqual(replies);
    await given.store.inbox.markSent(agent, replies[0] as string);
    expect(ids(await unsentReplies(given.store.inbox, agent))).toEqual(replies.slice(1));
  });

  test("a turn that lost a message answers it no more, and what it held is finished in one commit", async () => {
    const agent = await given.agent();
    for (const id of ["m1", "m2", "m3"]) await post(agent, id);
    await given.store.inbox.claim(agent, "t1", { leaseMs: 60_000 });
    minutes(2);
    await given.store.inbox.claim(agent, "t2", { limit: 2 });
    const late = { agent, turn: "t1", replies: [{ message: "m1", body: "late" }], failures: [] };
    expect(await given.store.inbox.finish(late)).toEqual({ replies: [], refused: ["m1"] });
    expect((await failMessage(given.store.inbox, agent, "m1", "late", "t1")).status).toBe("taken");
    const done = await given.store.inbox.finish({
      agent,
      turn: "t2",
      replies: [
        { message: "m1", body: "One." },
        { message: "m3", body: "Not ours." },
      ],
      failures: [{ message: "m2", because: "no reply" }],
    });
    expect([done.replies.map(({ message, body }) => [message, body]), done.refused]).toEqual([
      [["m1", "One."]],
      ["m3"],
    ]);
    expect(await given.store.inbox.get(agent, "m2")).toMatchObject({
      status: "waiting",
      failures: [{ turn: "t1" }, { turn: "t2", because: "no reply" }],
    });
    expect(await given.store.inbox.findReply(agent, "m1")).toMatchObject({ body: "One.", to: "bo@example.com" });
    expect((await given.store.events.list({ agent, kind: "message-lost" })).map(({ detail }) => detail)).toEqual([
      { message: "m3" },
      { message: "m1" },
      { message: "m1" },
    ]);
  });

  test("what a turn will reply is noted once, by the turn that has the message, and goes when it gives up", async () => {
    const agent = await given.agent();
    for (const id of ["m1", "m2"]) await post(agent, id);
    await given.store.inbox.claim(agent, "t1");
    const note = (message: string, reply: string, turn = "t1") =>
      given.store.inbox.noteReply({ agent, message, reply, turn });
    expect([await note("m1", "One."), await note("m1", "Other."), await note("m2", "Two.", "t9")]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await given.store.inbox.heldBy(agent, "t1")).map(({ draft }) => draft)).toEqual(["One.", null]);
    await given.store.inbox.finish({
      agent,
      turn: "t1",
      replies: [],
      failures: ["m1", "m2"].map((message) => ({ message, because: "x" })),
    });
    expect((await given.store.inbox.list(agent)).map(({ draft }) => draft)).toEqual([null, null]);
  });

  test("an outage costs no try and is told once; who failed waits a round longer than the others", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    given.clock.move(1000);
    await given.store.inbox.post({ agent, sender: "cy", body: "x", id: "m2" });
    for (let turn = 1; turn <= 5; turn++) {
      const [taken] = await given.store.inbox.claim(agent, `t${turn}`);
      expect(taken?.id).toBe(turn % 2 ? "m1" : "m2");
      const failures = [{ message: taken?.id as string, because: "away", outage: true as const }];
      await given.store.inbox.finish({ agent, turn: `t${turn}`, replies: [], failures });
    }
    expect(await given.store.inbox.get(agent, "m1")).toMatchObject({
      ...{ status: "waiting", tries: 0, failures: [{ turn: "t1", because: "away" }] },
    });
  });

  test("a body has 1 to 4,096 bytes of UTF-8", async () => {
    const agent = await given.agent();
    for (const body of ["", "x".repeat(4097), "é".repeat(2049)])
      expect(await problemOf(post(agent, "m1", body))).toBe(
        `bad-message: The message has ${Buffer.byteLength(body)} bytes. Write 1 to 4096 bytes of UTF-8.`,
      );
    for (const [index, body] of [" ", "x".repeat(4096), "é".repeat(2048)].entries())
      expect(await post(agent, `fine-${index}`, body)).toMatchObject({ body, created: true });
  });

  test("a dead message is tried again or withdrawn by a person, and keeps every failure", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    const die = async (from: number) => {
      for (let turn = from; turn < from + 3; turn++) {
        await given.store.inbox.claim(agent, `t${turn}`);
        await failMessage(given.store.inbox, agent, "m1", `try ${turn}`);
      }
    };
    await die(1);
    expect(await given.store.inbox.retry(agent, "m1", "grace")).toMatchObject({ status: "waiting", tries: 0 });
    expect(await problemOf(given.store.inbox.retry(agent, "m1", "grace"))).toBe(
      "already-decided: The message “m1” is waiting. Only a dead message can be tried again.",
    );
    await die(4);
    const { status, failures } = await given.store.inbox.discard(agent, "m1", "grace");
    expect([status, failures.map(({ because }) => because)]).toEqual([
      "withdrawn",
      [1, 2, 3, 4, 5, 6].map((turn) => `try ${turn}`),
    ]);
    expect(await problemOf(given.store.inbox.discard(agent, "m1", "grace"))).toMatch(/^already-decided: /);
    for (const kind of ["message-retried", "message-withdrawn"])
      expect((await given.store.events.list({ agent, kind })).map(({ detail }) => detail)).toEqual([
        { message: "m1", by: "grace" },
      ]);
  });

  test("all dead messages are tried again at once; what waits or was answered stays as it is", async () => {
    const agent = await given.agent();
    const { inbox, events } = given.store;
    for (const id of ["m1", "m2"]) await inbox.post({ agent, sender: id, body: id, id });
    for (const turn of ["t1", "t2", "t3", "t4", "t5", "t6"])
      for (const { id } of await inbox.claim(agent, turn)) await failMessage(inbox, agent, id, "It failed.");
    await inbox.post({ agent, sender: "m3", body: "m3", id: "m3" });
    const states = async () => {
      const all = await Promise.all(["m1", "m2", "m3"].map((id) => inbox.get(agent, id)));
      return all.map(({ status, tries }) => `${status} ${tries}`);
    };
    expect(await states()).toEqual(["dead 3", "dead 3", "waiting 0"]);
    expect(await inbox.retryAll(agent, "grace")).toBe(2);
    expect(await states()).toEqual(["waiting 0", "waiting 0", "waiting 0"]);
    expect(await inbox.retryAll(agent, "grace")).toBe(0);
    const told = await events.list({ agent, kind: "message-retried" });
    expect(told.map(({ scope, detail }) => [scope.user, detail]).toSorted()).toEqual([
      ["counterpart:m1", { message: "m1", by: "grace" }],
      ["counterpart:m2", { message: "m2", by: "grace" }],
    ]);
  });

  test("a batch is one counterpart's; counterparts take turns, and a flood delays only its own", async () => {
    const agent = await given.agent();
    const say = (sender: string, id: string, lane = "a") => {
      given.clock.move(1000);
      return given.store.inbox.post({ agent, sender, body: id, id, lane });
    };
    for (let index = 0; index < 25; index++) await say("flood", `f${String(index).padStart(2, "0")}`);
    await say("bo", "b1");
    await say("cy", "c1");
    await say("bo", "b2");
    await say("dee", "d1", "b");
    const batches: string[][] = [];
    for (let turn = 0; ; turn++) {
      const taken = await given.store.inbox.claim(agent, `t${turn}`);
      if (taken.length === 0) break;
      batches.push([...new Set(taken.map(({ sender }) => sender)), String(taken.length)]);
      const replies = taken.map(({ id }) => ({ message: id, body: "Yes." }));
      await given.store.inbox.finish({ agent, turn: `t${turn}`, replies, failures: [] });
    }
    // Ten of the flood, then the other lane, then whoever came while the flood waited.
    expect(batches).toEqual([
      ["flood", "10"],
      ["dee", "1"],
      ["bo", "2"],
      ["cy", "1"],
      ["flood", "10"],
      ["flood", "5"],
    ]);
  });

  test("a mixed batch holds as many counterparts as were asked for", async () => {
    const agent = await given.agent();
    for (const sender of ["a", "b", "c", "d"])
      await given.store.inbox.post({ agent, sender, body: sender, id: sender });
    expect(ids(await given.store.inbox.claim(agent, "t1", { counterparts: 3 }))).toEqual(["a", "b", "c"]);
    expect(ids(await given.store.inbox.heldBy(agent, "t1"))).toEqual(["a", "b", "c"]);
    expect(ids(await given.store.inbox.listTaken(agent))).toEqual(["a", "b", "c"]);
    expect(await given.store.inbox.countWaiting(agent)).toBe(1);
  });

  test("what has failed shares a turn with nobody: no message dies of another's", async () => {
    const agent = await given.agent();
    for (const sender of ["mallory", "bo", "cy"])
      await given.store.inbox.post({ agent, sender, body: "x", id: sender });
    const take = async (turn: string) => ids(await given.store.inbox.claim(agent, turn, { counterparts: 2 })).sort();
    const fail = async (turn: string) => {
      for (const { id } of await given.store.inbox.heldBy(agent, turn))
        await failMessage(given.store.inbox, agent, id, "no answer");
    };
    const first = await take("t1");
    await fail("t1");
    const later = [await take("t2"), await take("t3"), await take("t4"), await take("t5")];
    expect(first).toHaveLength(2);
    expect(later.slice(0, 3).map((batch) => batch.length)).toEqual([1, 1, 1]);
    expect(later.flat().sort()).toEqual(["bo", "cy", "mallory"]);
  });

  test("so many wait and no more, of one counterpart and of all", async () => {
    const agent = await given.agent();
    const limits = { counterpart: 2, agent: 3 };
    const say = (sender: string, id: string) => given.store.inbox.post({ agent, sender, body: id, id, limits });
    for (const id of ["1", "2"]) await say("bo", id);
    expect(await problemOf(say("bo", "3"))).toBe(
      `inbox-full: 2 messages of this sender wait for “${agent}” already. Wait until some are answered.`,
    );
    await say("cy", "3");
    expect(await problemOf(say("dee", "4"))).toBe(
      `inbox-full: 3 messages wait for “${agent}” already. Wait until some are answered.`,
    );
    expect(await say("bo", "1")).toMatchObject({ created: false });
  });

  test("a counterpart is known by a conversation or an answered message; who only wrote is not", async () => {
    const agent = await given.agent();
    const { inbox, conversations } = given.store;
    await inbox.post({ agent, sender: "bo", body: "Hi.", id: "m1" });
    expect(await inbox.knows(agent, "bo")).toBe(false);
    await inbox.claim(agent, "t");
    const limits = { exchanges: 20, counterparts: 0, chars: 500 };
    await answerMessage(inbox, { agent, message: "m1", reply: "Hello.", turn: "t" }, limits);
    expect([await conversations.read(agent, "bo"), await inbox.knows(agent, "BO ")]).toEqual([undefined, true]);
    await conversations.record(agent, "cy", { message: "m", body: "Hi.", reply: "Hello.", turn: "t" });
    expect([await inbox.knows(agent, "cy"), await inbox.knows(agent, "dee")]).toEqual([true, false]);
    expect(await inbox.knows(await given.agent(), "bo")).toBe(false);
  });

  test("who is erased while a turn answers them is erased whole: no exchange of theirs is left", async () => {
    const { store } = given;
    const agent = await given.agent();
    await post(agent, "m1");
    await store.inbox.claim(agent, "t");
    const deps = { now: () => new Date().toISOString(), newId: () => `${agent}-reply` };
    const replies = [{ message: "m1", body: "Hello." }];
    const { erased } = await store.home.write("everything", async (db) => {
      await finishMessages(db, deps, { agent, turn: "t", replies, failures: [] });
      const erased = store.erase({ user: counterpartKey("Bo@Example.com"), agent });
      // Where two write at once, the erasure has come as far as it can.
      const held = sql`select 1 as there from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
      if (db.dialect.lock("any")) await eventually(async () => (await db.one(held)) !== undefined);
      return { erased };
    });
    await erased;
    expect([await store.conversations.list(agent), await store.inbox.listReplies(agent)]).toEqual([[], []]);
    const told = await store.events.list({ agent, kind: "message-answered" });
    expect(told.map(({ detail }) => detail)).toEqual([{}]);
  });

  test("who answers and who gives up at once: one of them does, and what was answered stays so", async () => {
    const { inbox } = given.store;
    const agent = await given.agent();
    for (let count = 0; count < 20; count++) {
      const [turn, message] = [`turn-${count}`, `m-${count}`];
      await inbox.post({ agent, sender: "bo", body: "Hi.", id: message });
      await inbox.claim(agent, turn, { leaseMs: -1 });
      await Promise.all([
        answerMessage(inbox, { agent, turn, message, reply: "Hello." }).catch(() => {}),
        failMessage(inbox, agent, message, "It fell over.", turn),
        inbox.claim(agent, `other-${count}`),
      ]);
      const { status } = await inbox.get(agent, message);
      expect([status === "answered", (await inbox.findReply(agent, message)) !== undefined]).toEqual(
        status === "answered" ? [true, true] : [false, false],
      );
      if (status !== "answered")
        await inbox.finish({ agent, turn: `other-${count}`, replies: [{ message, body: "Yes." }], failures: [] });
    }
  });

  test("lanes that share a part of the inbox hold no more than they leave free: there is room for every other", async () => {
    const agent = await given.agent();
    const fill = async (lane: string, lanes?: readonly string[]) => {
      const limits = { counterpart: 100, agent: 10, ...(lanes && { lanes }) };
      for (let count = 0; ; count++) {
        const id = `${lane}-${count}`;
        const problem = await problemOf(given.store.inbox.post({ agent, sender: id, body: "Hi.", id, lane, limits }));
        if (problem.startsWith("inbox-full: ")) return [count, problem.split(" ")[1]];
      }
    };
    expect(await fill("a", ["a", "b"])).toEqual([5, "So"]);
    expect(await fill("b", ["a", "b"])).toEqual([0, "So"]);
    expect(await fill("c", ["c"])).toEqual([3, "So"]);
    expect(await fill("d", ["d"])).toEqual([1, "So"]);
    expect(await fill("e")).toEqual([1, "10"]);
  });

  test("the secret of a message opens its reply; a later signature brings another, the same one does not", async () => {
    const agent = await given.agent();
    const say = (digest: string, until: string) =>
      given.store.inbox.post({ agent, sender: "0xabc", body: "x", id: "m1", secret: { digest, until } });
    expect(await say("d1", "2026-01-01T00:10:00.000Z")).toMatchObject({ created: true, secretKept: true });
    expect(await say("d2", "2026-01-01T00:10:00.000Z")).toMatchObject({ created: false, secretKept: false });
    const opens = (digest: string) => given.store.inbox.opensReply(agent, "m1", digest);
    expect(await Promise.all([opens("d1"), opens("d2")])).toEqual([true, false]);
    expect(await say("d3", "2026-01-01T00:11:00.000Z")).toMatchObject({ secretKept: true });
    expect(await Promise.all([opens("d1"), opens("d3")])).toEqual([false, true]);
    expect(await given.store.inbox.opensReply(agent, "m9", "d3")).toBe(false);
  });

  test("the same id is not taken again once its message was erased, and answered messages go with retain", async () => {
    const agent = await given.agent();
    await given.store.inbox.post({ agent, sender: "0xABC", body: "x", id: "m1" });
    await given.store.erase({ user: "counterpart:0xabc", agent });
    expect(await problemOf(given.store.inbox.post({ agent, sender: "0xabc", body: "x", id: "m1" }))).toBe(
      "message-exists: The message “m1” was erased. Give every message an id of its own.",
    );
    await post(agent, "m2");
    await given.store.inbox.claim(agent, "t1");
    await answerMessage(given.store.inbox, { agent, message: "m2", reply: "Yes.", turn: "t1" });
    await given.store.retain({ deliveries: 0 });
    expect(await post(agent, "m2")).toMatchObject({ created: false, status: "answered" });
    minutes(3 * 24 * 60);
    await given.store.retain({ deliveries: 0 });
    expect(await given.store.inbox.find(agent, "m2")).toBeUndefined();
    expect(await given.store.inbox.findReply(agent, "m2")).toBeUndefined();
    expect((await given.store.conversations.read(agent, "bo@example.com"))?.exchanges.length).toBe(1);
    expect((await verifyStore(given.store.home, { agent })).faults).toEqual([]);
  });

  test("a message that died lately is not let go because it was posted long ago", async () => {
    const agent = await given.agent();
    await post(agent, "m1");
    minutes(10 * 24 * 60);
    for (const turn of ["t1", "t2", "t3"]) {
      await given.store.inbox.claim(agent, turn);
      await failMessage(given.store.inbox, agent, "m1", "no", turn);
    }
    await given.store.inbox.discard(agent, "m1", "grace");
    await given.store.retain({ deliveries: 2 });
    expect(await given.store.inbox.find(agent, "m1")).toMatchObject({ status: "withdrawn" });
    minutes(3 * 24 * 60);
    await given.store.retain({ deliveries: 2 });
    expect(await given.store.inbox.find(agent, "m1")).toBeUndefined();
    expect((await verifyStore(given.store.home, { agent })).faults).toEqual([]);
  });
});
