import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../../src/store/texts/sha256.ts";
import { newServed, type Served } from "../served.ts";
import { signedBody, type Wallet, walletOf } from "./wallet.ts";

const service = "https://charter.example.org";
const path = "POST /agents/sol/inbox";

/** The agent has talked with this one before. */
const known = walletOf(0);

let served: Served;
let time = Date.UTC(2026, 1, 18, 12) / 1000;

beforeAll(async () => {
  served = await newServed({ signedFor: service, proxies: 1, limits: { failuresPerMinute: 3 } });
  await served.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const exchange = { message: "m", body: "Hi.", reply: "Hello.", turn: "t" };
  await served.store.conversations.record("sol", known.address, exchange);
});
afterAll(() => served.close());

const signed = (wallet: Wallet) => signedBody(wallet, { service, agent: "sol", expires: time + 300 });
const wrong = (wallet: Wallet) => ({ ...signed(wallet), body: "Another one." });

/** Answers of posts without a token, from one address. */
const post = async (address: string, ...bodies: object[]) => {
  const statuses: number[] = [];
  for (const body of bodies)
    statuses.push((await served.as(undefined)(path, body, { "x-forwarded-for": address })).status);
  return statuses;
};

test("an address brings so many new signers a minute; the same one again is no other, and a known one none", async () => {
  const [ann, bob, cyd, dan] = [1, 2, 3, 4].map(walletOf) as [Wallet, Wallet, Wallet, Wallet];
  const first = [signed(ann), signed(ann), signed(bob), signed(ann)];
  expect(await post("192.0.2.1", ...first)).toEqual([201, 201, 201, 201]);
  expect(await post("192.0.2.1", signed(cyd), signed(dan), signed(ann))).toEqual([201, 429, 429]);
  expect(await post("192.0.2.1", signed(known))).toEqual([201]);
  expect(await post("192.0.2.2", signed(dan))).toEqual([201]);
  served.wait(20);
  time += 20;
  expect(await post("192.0.2.1", signed(dan), signed(walletOf(5)))).toEqual([201, 429]);
});

test("so many wrong signatures are looked at; in a known signer's name, only theirs are not any more", async () => {
  const bad = Array.from({ length: 4 }, () => wrong(walletOf(6)));
  expect(await post("192.0.2.3", ...bad, signed(walletOf(7)))).toEqual([400, 400, 400, 429, 429]);
  expect(await post("192.0.2.3", signed(known))).toEqual([201]);
  const inTheirName = Array.from({ length: 4 }, () => wrong(known));
  expect(await post("192.0.2.4", ...inTheirName, signed(known))).toEqual([400, 400, 400, 429, 429]);
  expect(await post("192.0.2.4", signed(walletOf(8)))).toEqual([201]);
  expect(await post("192.0.2.5", signed(known))).toEqual([201]);
});

test("a wrong secret of a reply is counted as a wrong token is", async () => {
  const ask = async (secret: string) => {
    const { status } = await served.as(secret)("GET /agents/sol/inbox/x", undefined, {
      "x-forwarded-for": "192.0.2.6",
    });
    return status;
  };
  expect([await ask("reply_a"), await ask("reply_b"), await ask("reply_c"), await ask("reply_d")]).toEqual([
    ...[401, 401, 401, 429],
  ]);
});

test("one signer asks so often a minute, however many messages they sign", async () => {
  const limits = { failuresPerMinute: 1e6, requestsPerMinute: { signer: 5 } };
  const other = await newServed({ signedFor: service, limits });
  await other.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++)
    statuses.push((await other.as(undefined)(path, signedBody(known, { service, agent: "sol", expires }))).status);
  await other.close();
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
});

test("where messages are not signed, who has no token is told so, whatever they send", async () => {
  const plain = await newServed();
  await plain.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const { status, body } = await plain.as(undefined)(path, signed(known));
  const kept = { digest: sha256("reply_x"), until: "2026-02-18T13:00:00.000Z" };
  await plain.store.inbox.post({ agent: "sol", sender: known.address, body: "Hi.", id: "x", secret: kept });
  const secret = (await plain.as("reply_x")("GET /agents/sol/inbox/x")).status;
  await plain.close();
  expect([status, body.error.code, secret]).toEqual([401, "no-token", 401]);
});
