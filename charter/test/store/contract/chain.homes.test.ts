import { expect, test } from "vitest";
import type { ChainPlace, ChainPost } from "../../../src/store/chain/chain-message.ts";
import type { ChainBatch } from "../../../src/store/chain/take-posts.ts";
import { onEveryHome } from "./given.ts";

const runner = "host:1";
const contract = `0x${"c".repeat(40)}`;
const addressOf = (name: string) => `0x${name.repeat(40).slice(0, 40)}`;
const hash = (block: number, fork = "a") => `0x${fork}${block}`;
const post = (block: number, more: Partial<ChainPost> = {}): ChainPost => ({
  onChain: `0xid${block}`,
  tx: `0xtx${block}`,
  place: 0,
  block,
  blockHash: hash(block),
  sender: addressOf("b"),
  value: "1000",
  body: `Hello from block ${block}.`,
  ...more,
});

onEveryHome("a chain", (given) => {
  const place = async (): Promise<ChainPlace> => ({ agent: await given.agent(), chain: 31_337, contract });
  const lease = { runner, leaseMs: 60_000 };
  const batch = (to: number, posts: readonly ChainPost[], more: Partial<ChainBatch> = {}): ChainBatch => ({
    ...{ runner, before: undefined, to: { block: to, hash: hash(to) }, head: to + 12, unconfirmed: 0, posts },
    ...more,
  });
  const first = { block: 1, anchor: { block: 0, hash: hash(0) } };
  const id = (block: number) => `chain:31337:${contract}:0xtx${block}:0`;
  const chain = () => given.store.chain;
  const begin = async (posts: readonly ChainPost[], to = 10) => {
    const where = await place();
    await chain().claim(where, lease);
    expect((await chain().take(where, batch(to, posts, { start: first }))).moved).toBe(true);
    return where;
  };
  const statuses = async ({ agent }: ChainPlace, blocks: readonly number[]) =>
    Promise.all(blocks.map(async (block) => (await given.store.inbox.find(agent, id(block)))?.status));
  const rewindTo = async (where: ChainPlace, block: number) => {
    const cursor = await chain().cursor(where);
    return chain().rewind(where, { runner, before: cursor?.last, common: { block, hash: hash(block) } });
  };

  test("the address that an agent was started with is its own, until it is started with another chain or none", async () => {
    const where = await place();
    const { agent } = where;
    await given.store.automata.wake(agent, "olga");
    const own = async () => (await given.store.automata.find(agent))?.address;
    expect(await own()).toBe(null);
    const kept = { chain: where.chain, contract, address: addressOf("d"), assets: ["ETH"] };
    await chain().leaveOthers(agent, kept);
    expect([await own(), (await chain().cursor(where))?.address]).toEqual([addressOf("d"), addressOf("d")]);
    await chain().leaveOthers(agent, { ...kept, contract: addressOf("e"), address: addressOf("f") });
    expect([await own(), (await chain().cursor(where))?.address]).toEqual([addressOf("f"), null]);
    await chain().leaveOthers(agent);
    expect(await own()).toBe(null);
  });

  test("a payment becomes cycles once, whoever credits it how often; one whose block went becomes none", async () => {
    const value = String(10n ** 18n);
    const where = await begin([post(3, { value }), post(4, { value: "0" }), post(7, { value })]);
    const { agent } = where;
    const rule = { address: addressOf("d"), cyclesPerEther: 100, maxCyclesPerDay: 1000 };
    const { payments } = chain();
    expect(await payments.listDue(where, rule)).toEqual([]);
    await given.store.automata.grant(agent, 1, "olga");
    const due = await payments.listDue(where, rule);
    expect(due.map(({ message }) => message)).toEqual([id(3), id(7)]);
    await rewindTo(where, 6);
    const about = { runner, rule, final: due };
    const other = (await given.another()).chain.payments;
    expect(await other.credit(where, { ...about, runner: "other:1" })).toBe(0);
    const sums = await Promise.all([payments, other, payments].map((one) => one.credit(where, about)));
    expect(sums.sort()).toEqual([0, 0, 100]);
    expect((await given.store.automata.find(agent))?.granted).toBe(101);
    expect((await given.store.events.list({ agent, kind: "automaton-earned" })).map(({ detail }) => detail)).toEqual([
      { message: id(3), value, micros: 100 },
    ]);
    // Erased, nothing of it comes back; what was credited stays.
    await given.store.erase({ user: `counterpart:${addressOf("b")}`, agent });
    const last = (await chain().cursor(where))?.last;
    await chain().take(where, batch(12, [post(8, { tx: "0xtx3", value })], { before: last }));
    expect([await payments.listDue(where, rule), (await given.store.automata.find(agent))?.granted]).toEqual([[], 101]);
  });

  test("a credited message that may come again is kept, however old: it is not credited twice", async () => {
    const value = String(10n ** 18n);
    const where = await begin([post(3, { value }), post(4, { value: "0" })]);
    const { agent } = where;
    await given.store.automata.grant(agent, 1, "olga");
    const rule = { address: addressOf("d"), cyclesPerEther: 100, maxCyclesPerDay: 1000 };
    const final = await chain().payments.listDue(where, rule);
    await chain().payments.credit(where, { runner, rule, final });
    await rewindTo(where, 0);
    given.clock.move(40 * 86_400_000);
    await given.store.retain({ deliveries: 30 });
    expect(await statuses(where, [3, 4])).toEqual(["withdrawn", undefined]);
    const last = (await chain().cursor(where))?.last;
    await chain().take(
      where,
      batch(12, [post(8, { tx: "0xtx3", value, body: "Hello from block 3." })], { before: last }),
    );
    expect(await statuses(where, [3])).toEqual(["waiting"]);
    expect(await chain().payments.listDue(where, rule)).toEqual([]);
  });

  test("messages, hashes of blocks and the cursor are taken together", async () => {
    const where = await begin([post(3), post(7, { sender: addressOf("B"), value: "0" })]);
    expect(await chain().cursor(where)).toEqual({
      ...where,
      start: 1,
      last: { block: 10, hash: hash(10) },
      head: 22,
      unconfirmed: 0,
      readAt: given.clock.text(),
      problem: null,
      runner,
      address: null,
      leasedUntil: new Date(Date.parse(given.clock.text()) + 60_000).toISOString(),
    });
    expect(await chain().blocks(where)).toEqual([10, 7, 3, 0].map((block) => ({ block, hash: hash(block) })));
    expect(await given.store.inbox.get(where.agent, id(3))).toEqual({
      id: id(3),
      agent: where.agent,
      sender: addressOf("b"),
      body: "Hello from block 3.",
      channel: "chain",
      at: given.clock.text(),
      status: "waiting",
      tries: 0,
      turn: null,
      failures: [],
      lane: "chain",
      draft: null,
      paid: "1000",
    });
    expect(await chain().find(where.agent, id(7))).toEqual({
      message: id(7),
      chain: 31_337,
      contract,
      onChain: "0xid7",
      tx: "0xtx7",
      place: 0,
      block: 7,
      blockHash: hash(7),
      sender: addressOf("b"),
      value: "0",
      state: "included",
      at: new Date(given.clock.now().getTime() + 1).toISOString(),
    });
    const events = await given.store.events.list({ agent: where.agent, kind: "message-posted" });
    expect(events.map(({ scope, detail }) => [scope.user, detail])).toEqual(
      [id(7), id(3)].map((message) => [`counterpart:${addressOf("b")}`, { message }]),
    );
  });

  test("nobody moves the cursor who is not in charge of it, or has seen it elsewhere", async () => {
    const where = await place();
    const other = (await given.another()).chain;
    expect(await chain().take(where, batch(10, [post(3)]))).toMatchObject({ moved: false });
    expect(await chain().claim(where, lease)).toMatchObject({ runner, last: undefined });
    expect(await other.claim(where, { ...lease, runner: "host:2" })).toBeUndefined();
    expect(await other.take(where, batch(10, [post(3)], { runner: "host:2" }))).toMatchObject({ moved: false });
    const both = await Promise.all([chain(), other].map((one) => one.take(where, batch(10, [post(3)]))));
    expect(both.map(({ moved }) => moved).sort()).toEqual([false, true]);
    expect(await given.store.inbox.countWaiting(where.agent)).toBe(1);
    const elsewhere = { block: 10, hash: hash(10, "b") };
    expect(await chain().take(where, batch(12, [post(11)], { before: elsewhere }))).toMatchObject({ moved: false });
    expect(await chain().rewind(where, { runner, before: elsewhere, common: undefined })).toMatchObject({
      moved: false,
    });
    given.clock.move(61_000);
    expect(await other.claim(where, { ...lease, runner: "host:2" })).toMatchObject({ runner: "host:2" });
    const last = { block: 10, hash: hash(10) };
    expect(await chain().take(where, batch(12, [post(11)], { before: last }))).toMatchObject({ moved: false });
    expect(await statuses(where, [3, 11])).toEqual(["waiting", undefined]);
  });

  test("the same post is one message, however often it is told", async () => {
    const where = await begin([post(3), post(3), post(4, { tx: "0xtx3", place: 1 })]);
    const last = { block: 10, hash: hash(10) };
    const again = await chain().take(where, batch(12, [post(3), post(11)], { before: last }));
    expect(again).toEqual({ moved: true, posted: 1, dead: 0, again: 1, spent: 0 });
    expect((await given.store.inbox.list(where.agent)).map((one) => one.id)).toEqual([
      id(3),
      `chain:31337:${contract}:0xtx3:1`,
      id(11),
    ]);
  });

  test("each counterpart is served once a round, and a dead post is nobody's turn", async () => {
    const posts = [1, 2, 3].map((block) => post(block));
    const where = await begin([...posts, post(4, { sender: addressOf("d") }), post(5, { dead: "It is no UTF-8." })]);
    expect(await given.store.inbox.get(where.agent, id(5))).toMatchObject({
      status: "dead",
      tries: 0,
      failures: [
        { at: new Date(given.clock.now().getTime() + 4).toISOString(), turn: null, because: "It is no UTF-8." },
      ],
    });
    const claimed: string[][] = [];
    for (const turn of ["t1", "t2", "t3", "t4"])
      claimed.push((await given.store.inbox.claim(where.agent, turn, { limit: 1 })).map((one) => one.id));
    expect(claimed).toEqual([[id(1)], [id(4)], [id(2)], [id(3)]]);
  });

  test("however much came by the chain, it takes no room from those who write another way", async () => {
    const { agent } = await begin([1, 2, 3, 4].map((block) => post(block)));
    const limits = { counterpart: 1, agent: 2 };
    const write = (id: string, sender: string) => given.store.inbox.post({ agent, sender, body: "Hello?", id, limits });
    expect((await write("m1", addressOf("b"))).created).toBe(true);
    await expect(write("m2", addressOf("b"))).rejects.toMatchObject({ code: "inbox-full" });
    expect((await write("m3", addressOf("d"))).created).toBe(true);
    await expect(write("m4", addressOf("e"))).rejects.toMatchObject({ code: "inbox-full" });
  });

  test("when blocks go, what waits is withdrawn, and waits again when it is included again", async () => {
    const where = await begin([post(3), post(6), post(8), post(9, { dead: "It is no UTF-8." })]);
    const { agent } = where;
    await given.store.inbox.discard(agent, id(8), "olga");
    expect(await rewindTo(where, 3)).toEqual({ moved: true, orphaned: 3, withdrawn: 1 });
    expect(await statuses(where, [3, 6, 8, 9])).toEqual(["waiting", "withdrawn", "withdrawn", "dead"]);
    expect(await chain().blocks(where)).toEqual([3, 0].map((block) => ({ block, hash: hash(block) })));
    expect(await chain().counts(where)).toMatchObject({ included: 1, orphaned: 3 });
    const moved = (block: number) =>
      post(block, { block: block + 1, blockHash: hash(block + 1, "b"), onChain: "0xnew" });
    const to = { block: 10, hash: hash(10, "b") };
    const before = { block: 3, hash: hash(3) };
    const taken = await chain().take(where, batch(10, [6, 8, 9].map(moved), { before, to }));
    expect(taken).toEqual({ moved: true, posted: 0, dead: 0, again: 3, spent: 0 });
    // What the operator discarded stays so.
    expect(await statuses(where, [3, 6, 8, 9])).toEqual(["waiting", "waiting", "withdrawn", "dead"]);
    expect(await chain().find(agent, id(6))).toMatchObject({ state: "included", block: 7, onChain: "0xnew" });
    const [last] = await given.store.events.list({ agent, kind: "message-posted" });
    expect(last?.detail).toEqual({ message: id(6), again: true });
    const [told] = await given.store.events.list({ agent, kind: "chain-reorganised" });
    expect(told?.detail).toEqual({ chain: 31_337, from: 10, to: 3, messages: 3 });
  });

  test("what is being worked on when its block goes is answered at most in the record", async () => {
    const where = await begin([post(5), post(6), post(7)]);
    const { agent } = where;
    const { inbox } = given.store;
    await inbox.claim(agent, "t1", { limit: 2 });
    await rewindTo(where, 0);
    expect(await statuses(where, [5, 6, 7])).toEqual(["taken", "taken", "withdrawn"]);
    const failures = [{ message: id(6), because: "The turn's answer was blank." }];
    await inbox.finish({ agent, turn: "t1", replies: [{ message: id(5), body: "Yes." }], failures });
    expect(await statuses(where, [5, 6, 7])).toEqual(["answered", "withdrawn", "withdrawn"]);
    expect(await inbox.claim(agent, "t2")).toEqual([]);
    expect(await chain().replies.listDue(where)).toEqual([]);
    await chain().take(where, batch(10, [post(5), post(6)], { before: { block: 0, hash: hash(0) } }));
    expect(await statuses(where, [5, 6, 7])).toEqual(["answered", "waiting", "withdrawn"]);
    expect(await chain().replies.listDue(where)).toMatchObject([{ message: id(5), body: "Yes.", state: "waiting" }]);
  });

  test("a dead message whose block went cannot be tried again by hand", async () => {
    const where = await begin([post(5, { dead: "It is no UTF-8." })]);
    await rewindTo(where, 0);
    await expect(given.store.inbox.retry(where.agent, id(5), "olga")).rejects.toMatchObject({
      code: "already-decided",
    });
  });

  test("a transaction that says something else in another block is another message", async () => {
    const where = await begin([post(5)]);
    await rewindTo(where, 0);
    const other = post(5, { body: "Something else.", sender: addressOf("e"), blockHash: hash(5, "b") });
    const first = { block: 0, hash: hash(0) };
    expect(await chain().take(where, batch(10, [other, other], { before: first }))).toMatchObject({
      posted: 1,
      again: 0,
    });
    expect(await statuses(where, [5])).toEqual(["withdrawn"]);
    const [waits, ...rest] = await given.store.inbox.list(where.agent);
    expect(rest).toEqual([]);
    expect(waits).toMatchObject({ sender: addressOf("e"), body: "Something else." });
    expect(waits?.id).toMatch(new RegExp(`^${id(5)}:[0-9a-f]{16}$`));
    await rewindTo(where, 0);
    await chain().take(where, batch(10, [post(5)], { before: first }));
    expect((await given.store.inbox.list(where.agent)).map((one) => one.body)).toEqual(["Hello from block 5."]);
  });

  test("who was erased does not come back, whatever is read again, nor what was let go of", async () => {
    const where = await begin([post(5), post(6, { sender: addressOf("d") })]);
    const { agent } = where;
    const { inbox } = given.store;
    await inbox.claim(agent, "t1", { counterparts: 2 });
    await inbox.finish({
      agent,
      turn: "t1",
      replies: [5, 6].map((block) => ({ message: id(block), body: "Yes." })),
      failures: [],
    });
    given.clock.move(3 * 86_400_000);
    await chain().claim(where, lease);
    const { rows } = await given.store.erase({ user: `counterpart:${addressOf("b")}`, agent });
    expect(rows).toMatchObject({ inbox: 1, outbox: 1, chain_messages: 1 });
    await given.store.retain({ deliveries: 2 });
    expect(await chain().messages(agent)).toEqual([]);
    given.clock.move(400 * 86_400_000);
    await given.store.retain({ deliveries: 2 });
    await chain().claim(where, lease);
    await rewindTo(where, 0);
    const before = { block: 0, hash: hash(0) };
    const posts = [post(5), post(6, { sender: addressOf("d") })];
    expect(await chain().take(where, batch(10, posts, { before }))).toMatchObject({ moved: true, posted: 0, spent: 2 });
    expect(await inbox.list(agent)).toEqual([]);
  });

  test("hashes of old blocks go, but for the one before the first", async () => {
    const where = await begin([]);
    let before = { block: 10, hash: hash(10) };
    for (const block of [500, 1100, 1600]) {
      const to = { block, hash: hash(block) };
      await chain().take(where, batch(block, [], { before, to }));
      before = to;
    }
    expect((await chain().blocks(where)).map(({ block }) => block)).toEqual([1600, 1100, 0]);
  });

  test("how the chain is, is noted also where nothing is taken", async () => {
    const where = await begin([]);
    const at = given.clock.text();
    given.clock.move(1000);
    await chain().note(where, { problem: "No address answers." });
    expect(await chain().cursor(where)).toMatchObject({ head: 22, readAt: at, problem: "No address answers." });
    await chain().note(where, { head: 30, unconfirmed: 2, problem: null });
    const seen = { head: 30, unconfirmed: 2, readAt: given.clock.text(), problem: null };
    expect(await chain().cursors(where.agent)).toMatchObject([seen]);
    await chain().release(where, runner);
    expect(await chain().cursor(where)).toMatchObject({ runner: null, leasedUntil: null });
  });

  test("what the agent has is what was last read", async () => {
    const { agent } = await place();
    const token = addressOf("7");
    const { balances } = chain();
    await balances.set(agent, 1, { asset: token, amount: "5", decimals: 6, symbol: "USDC", block: 3 });
    await balances.set(agent, 1, { asset: "ETH", amount: "1", decimals: 18, symbol: "ETH", block: 3 });
    given.clock.move(1000);
    await balances.set(agent, 1, {
      asset: "ETH",
      amount: "340282366920938463463",
      decimals: 18,
      symbol: "ETH",
      block: 4,
    });
    expect(await balances.list(agent)).toEqual([
      {
        asset: "ETH",
        amount: "340282366920938463463",
        decimals: 18,
        symbol: "ETH",
        block: 4,
        readAt: given.clock.text(),
      },
      {
        ...{ asset: token, amount: "5", decimals: 6, symbol: "USDC", block: 3 },
        readAt: new Date(Date.parse(given.clock.text()) - 1000).toISOString(),
      },
    ]);
  });
});
