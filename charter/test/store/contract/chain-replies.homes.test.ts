import { expect, test } from "vitest";
import type { ChainPlace } from "../../../src/store/chain/chain-message.ts";
import type { ChainReply } from "../../../src/store/chain/chain-replies.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { answerMessage } from "../answer-message.ts";
import { onEveryHome } from "./given.ts";

const runner = "host:1";
const contract = `0x${"c".repeat(40)}`;
const sender = `0x${"b".repeat(40)}`;

onEveryHome("replies on a chain", (given) => {
  const replies = () => given.store.chain.replies;
  /** An agent with one message from the chain that was answered. */
  const answered = async (): Promise<{ where: ChainPlace; message: string; reply: string }> => {
    const where = { agent: await given.agent(), chain: 1, contract };
    const { agent } = where;
    await given.store.chain.claim(where, { runner, leaseMs: 60_000 });
    const post = { onChain: "0xid", tx: "0xtx", place: 0, block: 5, blockHash: "0x5", sender, value: "1", body: "Hi?" };
    const to = { block: 10, hash: "0x10" };
    const start = { block: 1, anchor: { block: 0, hash: "0x0" } };
    const read = { runner, before: undefined, to, head: 22, unconfirmed: 0, posts: [post], start };
    await given.store.chain.take(where, read);
    const message = `chain:1:${contract}:0xtx:0`;
    await given.store.inbox.claim(agent, "t1");
    const { id } = await answerMessage(given.store.inbox, { agent, message, reply: "Hi!", turn: "t1" });
    return { where, message, reply: id };
  };
  const signed = (reply: string, more = {}) => ({
    ...{ reply, runner, onChain: "0xid", raw: "0xraw", tx: "0xr1", nonce: 7, fee: "2000" },
    ...more,
  });

  test("a reply waits, is signed, sent, mined and final, each once", async () => {
    const { where, message, reply } = await answered();
    const { agent } = where;
    const at = given.clock.text();
    const waiting: ChainReply = {
      ...{ reply, message, to: sender, body: "Hi!", answeredAt: at, onChain: "0xid", included: true },
      ...{ state: "waiting", signedFor: null, raw: null, tx: null, nonce: null, fee: null, at: null },
      ...{ sentAt: null, block: null, blockHash: null, reason: null },
    };
    expect(await replies().listDue(where)).toEqual([waiting]);
    given.clock.move(1000);
    const signing = await Promise.all([1, 2].map(() => replies().sign(where, signed(reply))));
    expect(signing.sort()).toEqual([false, true]);
    const kept = { signedFor: "0xid", raw: "0xraw", tx: "0xr1", nonce: 7, fee: "2000", at: given.clock.text() };
    expect(await replies().listDue(where)).toEqual([{ ...waiting, ...kept, state: "signed" }]);
    expect(await replies().markSent(agent, reply, "0xother")).toBe(false);
    expect(await replies().markSent(agent, reply, "0xr1")).toBe(true);
    expect(await replies().markFinal(agent, reply, "0xr1")).toBe(false);
    const mined = { tx: "0xr1", block: 30, blockHash: "0x30", fee: "1500" };
    expect(await replies().markFound(where, { ...mined, reply, instead: mined.tx })).toBe(true);
    expect(await replies().find(agent, reply)).toEqual({
      ...{ ...waiting, ...kept, state: "mined", fee: "1500", sentAt: given.clock.text(), block: 30, blockHash: "0x30" },
    });
    expect(await replies().feesSince(agent, at)).toBe(1500n);
    expect(await replies().feesSince(agent, "2030-01-01T00:00:00.000Z")).toBe(0n);
    expect(await replies().markSent(agent, reply, "0xr1")).toBe(true);
    expect(await replies().find(agent, reply)).toMatchObject({ state: "sent", block: null, blockHash: null });
    await replies().markFound(where, { ...mined, reply, instead: mined.tx });
    // Its block was not read yet.
    expect(await replies().markFinal(agent, reply, "0xr1")).toBe(false);
    const [before, to] = [
      { block: 10, hash: "0x10" },
      { block: 30, hash: "0x30" },
    ];
    await given.store.chain.take(where, { runner, before, to, head: 42, unconfirmed: 0, posts: [] });
    expect(await replies().markFinal(agent, reply, "0xr1")).toBe(true);
    expect(await replies().listDue(where)).toEqual([]);
    expect(await replies().list(where, "final")).toHaveLength(1);
    expect((await given.store.inbox.findReply(agent, message))?.sentAt).toBe(given.clock.text());
    expect(await replies().sign(where, signed(reply))).toBe(false);
  });

  test("a final reply whose block is gone all the same is looked after again", async () => {
    const { where, reply } = await answered();
    const { agent } = where;
    await replies().sign(where, signed(reply));
    const mined = { tx: "0xr1", block: 9, blockHash: "0x9", fee: "1500" };
    await replies().markSent(agent, reply, "0xr1");
    await replies().markFound(where, { ...mined, reply, instead: mined.tx });
    expect(await replies().markFinal(agent, reply, "0xr1")).toBe(true);
    const before = { block: 10, hash: "0x10" };
    await given.store.chain.rewind(where, { runner, before, common: { block: 8, hash: "0x8" } });
    expect(await replies().find(agent, reply)).toMatchObject({ state: "mined", tx: "0xr1", block: 9 });
  });

  test("who is not in charge signs nothing, nor for a message that is not on the chain under this name", async () => {
    const { where, reply } = await answered();
    expect(await replies().sign(where, signed(reply, { runner: "host:2" }))).toBe(false);
    expect(await replies().sign(where, signed(reply, { onChain: "0xelse" }))).toBe(false);
    const before = { block: 10, hash: "0x10" };
    const common = { block: 0, hash: "0x0" };
    await given.store.chain.rewind(where, { runner, before, common });
    expect(await replies().sign(where, signed(reply))).toBe(false);
    expect(await replies().listDue(where)).toEqual([]);
  });

  test("what was found out before blocks went makes no reply final, though others were read in their place", async () => {
    const { where, reply } = await answered();
    const { agent } = where;
    await replies().sign(where, signed(reply));
    await replies().markFound(where, { reply, instead: "0xr1", tx: "0xr1", block: 9, blockHash: "0x9", fee: "1000" });
    const [seen, common] = [
      { block: 10, hash: "0x10" },
      { block: 5, hash: "0x5" },
    ];
    await given.store.chain.rewind(where, { runner, before: seen, common });
    const to = { block: 11, hash: "0x11b" };
    const other = { runner, before: common, to, head: 22, unconfirmed: 0, posts: [] };
    expect(await given.store.chain.take(where, other)).toMatchObject({ moved: true });
    expect(await replies().markFinal(agent, reply, "0xr1", seen)).toBe(false);
    expect(await replies().find(agent, reply)).toMatchObject({ state: "mined" });
    expect(await replies().markFinal(agent, reply, "0xr1", to)).toBe(true);
  });

  test("what may have been sent is followed when its message goes, and replaced when the contract calls it otherwise", async () => {
    const { where, reply } = await answered();
    await replies().sign(where, signed(reply));
    await given.store.chain.rewind(where, {
      ...{ runner, before: { block: 10, hash: "0x10" }, common: { block: 0, hash: "0x0" } },
    });
    expect(await replies().listDue(where)).toMatchObject([{ state: "signed", included: false }]);
    const post = {
      onChain: "0xid2",
      tx: "0xtx",
      place: 0,
      block: 6,
      blockHash: "0x6",
      sender,
      value: "1",
      body: "Hi?",
    };
    const to = { block: 11, hash: "0x11" };
    const read = { runner, before: { block: 0, hash: "0x0" }, to, head: 22, unconfirmed: 0, posts: [post] };
    await given.store.chain.take(where, read);
    expect(await replies().listDue(where)).toMatchObject([{ included: true, onChain: "0xid2", signedFor: "0xid" }]);
    const anew = signed(reply, { onChain: "0xid2", raw: "0xraw2", tx: "0xr2" });
    expect(await replies().sign(where, anew)).toBe(false);
    expect(await replies().sign(where, { ...anew, instead: "0xr1" })).toBe(true);
    expect(await replies().markSent(where.agent, reply, "0xr1")).toBe(false);
    expect(await replies().find(where.agent, reply)).toMatchObject({ signedFor: "0xid2", tx: "0xr2", state: "signed" });
  });

  test("one that would cost too much is held, and signed when it may be; one that failed is tried again by hand", async () => {
    const { where, reply } = await answered();
    const { agent } = where;
    expect(await replies().hold(where, reply, "It would cost too much.")).toBe(true);
    expect(await replies().hold(where, reply, "It would cost too much.")).toBe(true);
    expect(await replies().listDue(where)).toMatchObject([{ state: "held", reason: "It would cost too much." }]);
    expect(await given.store.events.list({ agent, kind: "chain-reply-held" })).toHaveLength(1);
    expect(await given.store.chain.counts(where)).toEqual({
      included: 1,
      orphaned: 0,
      replies: { waiting: 0, signed: 0, sent: 0, mined: 0, final: 0, held: 1, failed: 0 },
    });
    expect(await replies().sign(where, signed(reply))).toBe(true);
    expect(await replies().find(agent, reply)).toMatchObject({ state: "signed", reason: null });
    expect(await replies().hold(where, reply, "Too late.")).toBe(false);
    expect(await replies().fail(where, reply, "The contract refused it.")).toBe(true);
    expect(await replies().listDue(where)).toEqual([]);
    expect(await replies().fail(where, reply, "Once more.")).toBe(false);
    const before = await replies().find(agent, reply);
    expect(await replies().retry(agent, reply, "olga")).toBe(true);
    // What was signed may still get into a block, and what it may cost is part of the day's sum.
    expect(await replies().listDue(where)).toEqual([{ ...before, state: "waiting", reason: null }]);
    expect(await replies().feesSince(agent, "2000-01-01")).toBe(BigInt(before?.fee ?? 0));
    expect(await given.store.events.list({ agent, kind: "chain-reply-retried" })).toMatchObject([
      { detail: { message: before?.message, reply, by: "olga" } },
    ]);
    expect(await replies().retry(agent, reply, "olga")).toBe(false);
  });

  test("what was paid for someone who is erased counts on that day, and nothing else of them stays", async () => {
    const { where, reply } = await answered();
    const { agent } = where;
    const at = given.clock.text();
    expect(await replies().sign(where, signed(reply))).toBe(true);
    expect(await replies().markSent(agent, reply, "0xr1")).toBe(true);
    const user = `counterpart:${sender}`;
    const { rows } = await given.store.erase({ user, agent });
    expect(rows.chain_replies).toBe(1);
    expect(await replies().feesSince(agent, at)).toBe(2000n);
    expect(await replies().feesSince(await given.agent(), at)).toBe(0n);
    const kept = await given.store.home.read("everything", (db) =>
      db.all(sql`select * from chain_replies where agent = ${agent}`),
    );
    const nothing = { raw: null, tx: null, nonce: null, sent_at: null, block: null, block_hash: null, reason: null };
    expect(kept).toEqual([
      {
        agent,
        reply,
        user_id: "",
        message: "",
        chain: 1,
        contract,
        on_chain: "",
        state: "erased",
        fee: "2000",
        at,
        ...nothing,
      },
    ]);
    expect(await replies().find(agent, reply)).toBeUndefined();
    expect(await replies().retry(agent, reply, "olga")).toBe(false);
    expect((await given.store.erasable({ user, agent })).rows).toEqual({});
    expect((await verifyStore(given.store.home, { agent })).faults).toEqual([]);
    given.clock.move(3 * 86_400_000);
    await given.store.retain({ deliveries: 1 });
    expect(await replies().feesSince(agent, at)).toBe(0n);
  });
});
