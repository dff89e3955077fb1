import { afterEach, expect, test } from "vitest";
import { chainPost, postByChain } from "../../store/chain-post.ts";
import { newServed, type Served } from "../served.ts";
import { signedBody, walletOf } from "./wallet.ts";

/** Whoever has posted on a chain polls the reply by HTTP: a signature of the same message opens it. */

const service = "https://charter.example.org";
const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
const contract = `0x${"c0".repeat(20)}` as const;
const [ann, eve] = [walletOf(1), walletOf(2)];

let served: Served;
afterEach(() => served.close());

test("who posted on a chain gets the secret of the reply by signing the message, and nobody else does", async () => {
  served = await newServed({ signedFor: service });
  await served.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const place = { agent: "sol", chain: 31337, contract };
  const post = chainPost({ sender: ann.address.toLowerCase(), body: "Are you open?" });
  const id = await postByChain(served.store, place, post, "Until six.");
  const nobody = served.as(undefined);
  const signed = (by: typeof ann, about: { id?: string; body?: string } = {}) =>
    signedBody(by, { service, agent: "sol", expires, id, body: "Are you open?", ...about });

  const { status, body: posted } = await nobody("POST /agents/sol/inbox", signed(ann));
  expect([status, posted.id, posted.status]).toEqual([200, id, "answered"]);
  const read = await served.as(posted.secret)(`GET /agents/sol/inbox/${id}`);
  expect([read.status, read.body.reply.body]).toEqual([200, "Until six."]);

  const codes = async (body: object) => (await nobody("POST /agents/sol/inbox", body)).body.error?.code;
  expect([
    await codes(signed(eve)),
    await codes(signed(ann, { body: "Other words." })),
    await codes(signed(ann, { id: id.replace(/:0$/, ":1") })),
  ]).toEqual(["not-found", "not-found", "not-found"]);
  expect((await nobody(`GET /agents/sol/inbox/${id}`)).status).toBe(401);
  // A secret of one message opens no other.
  const { body: own } = await nobody("POST /agents/sol/inbox", signed(eve, { id: "mine" }));
  expect((await served.as(own.secret)(`GET /agents/sol/inbox/${id}`)).status).toBe(401);
  expect(await served.store.inbox.list("sol")).toHaveLength(1);
});

test("the snapshot says how the agent's chain is, and the inbox what was paid, to the operator", async () => {
  const address = `0x${"ad".repeat(20)}` as const;
  const known = {
    ...{ rpc: [], id: 31337, contract, address, maxFeePerReply: 10n ** 15n, maxFeePerDay: 10n ** 16n },
    ...{ key: "file" as const, keyFile: "/key", sends: true },
  };
  served = await newServed({ chains: new Map([["sol", known]]) });
  await served.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  await postByChain(served.store, { agent: "sol", chain: 31337, contract }, chainPost(), "Until six.");
  const { body } = await served.operator("GET /agents/sol/snapshot");
  const at = "2026-02-18T12:00:00.000Z";
  expect(body.chain).toEqual({
    ...{ chain: 31337, contract, address, block: 10, head: 22, lag: 12, readAt: at, problem: null },
    ...{ unconfirmed: 0, held: [], failed: [], stuck: [], feesToday: "0.000000000000021", key: "file", sends: true },
    ...{ maxFeePerReply: "0.001", maxFeePerDay: "0.01" },
    replies: { waiting: 0, signed: 1, sent: 0, mined: 0, final: 0, held: 0, failed: 0 },
    balances: [{ asset: "ETH", symbol: "ETH", amount: "0.000000000000000005", block: 10, readAt: at, stale: false }],
  });
  const { messages } = (await served.operator("GET /agents/sol/inbox?status=answered")).body;
  const [{ id, paid }] = messages;
  expect([paid, (await served.operator(`GET /agents/sol/inbox/${id}`)).body.paid]).toEqual(
    Array(2).fill("0.000000000000001"),
  );
  expect((await served.operator("GET /agents/ada/snapshot")).body.chain).toBeUndefined();
});
