import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { newServed, type Served } from "../served.ts";
import { answerWaiting } from "./answer-waiting.ts";
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
  const secret = (last: string) => `reply_${known.address.toLowerCase()}_${last}`;
  const asked = [await ask(secret("a")), await ask("reply_b"), await ask(secret("c")), await ask(secret("d"))];
  expect(asked).toEqual([401, 401, 401, 429]);
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

test("a signature that is sent again is counted by address: whoever caught it uses up nothing of its signer's", async () => {
  const limits = { failuresPerMinute: 1e6, requestsPerMinute: { signer: 5 } };
  const other = await newServed({ signedFor: service, proxies: 1, limits });
  await other.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
  const fresh = () => signedBody(known, { service, agent: "sol", expires });
  const send = async (body: object, from: string) =>
    (await other.as(undefined)(path, body, { "x-forwarded-for": from })).status;
  const caught = fresh();
  const statuses = [await send(caught, "192.0.2.1")];
  for (let count = 0; count < 6; count++) statuses.push(await send(caught, "192.0.2.2"));
  // The same bytes in other letters are the same signature.
  statuses.push(await send({ ...caught, signature: caught.signature.toUpperCase().replace("X", "x") }, "192.0.2.2"));
  const own: number[] = [];
  for (let count = 0; count < 5; count++) own.push(await send(fresh(), "192.0.2.1"));
  await other.close();
  expect(statuses).toEqual([201, 200, 200, 200, 200, 200, 429, 429]);
  expect(own).toEqual([201, 201, 201, 201, 429]);
});

test("an address whose strangers were turned away often enough is not looked up for more; who was let in lately is", async () => {
  const limits = { failuresPerMinute: 1, requestsPerMinute: { signer: 2 } };
  const other = await newServed({ signedFor: service, proxies: 1, limits });
  const { store } = other;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const exchange = { message: "m", body: "Hi.", reply: "Hello.", turn: "t" };
  for (const one of [known, walletOf(1)]) await store.conversations.record("sol", one.address, exchange);
  const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
  const send = async (number: number) => {
    const body = signedBody(walletOf(number), { service, agent: "sol", expires });
    return (await other.as(undefined)(path, body, { "x-forwarded-for": "192.0.2.1" })).status;
  };
  const statuses: number[] = [];
  for (const number of [0, 2, 3, 4, 0, 1]) statuses.push(await send(number));
  await other.close();
  expect(statuses).toEqual([201, 201, 429, 429, 201, 429]);
});

test("a signer the agent has answered stays known, however many others it answers after", async () => {
  const other = await newServed({ signedFor: service, limits: { failuresPerMinute: 1e6 } });
  const { store } = other;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
  const send = (id: string) => other.as(undefined)(path, signedBody(known, { service, agent: "sol", expires, id }));
  const lane = async (id: string) => (await store.inbox.get("sol", `${known.address.toLowerCase()}/${id}`)).lane;
  await send("first");
  await answerWaiting(store, "sol", "Welcome.");
  const exchange = { message: "m", body: "Hi.", reply: "Hello.", turn: "t" };
  for (let count = 0; count < 200; count++) await store.conversations.record("sol", `stranger-${count}`, exchange);
  expect(await store.conversations.read("sol", known.address)).toBe(undefined);
  await send("second");
  const lanes = [await lane("first"), await lane("second")];
  await other.close();
  expect(lanes).toEqual(["signed-new", "signed"]);
});

test("where messages are not signed, who has no token is told so, whatever they send", async () => {
  const plain = await newServed();
  await plain.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const { status, body } = await plain.as(undefined)(path, signed(known));
  const address = known.address.toLowerCase();
  const kept = { digest: sha256(`reply_${address}_x`), until: "2026-02-18T13:00:00.000Z" };
  await plain.store.inbox.post({ agent: "sol", sender: address, body: "Hi.", id: `${address}/x`, secret: kept });
  const secret = (await plain.as(`reply_${address}_x`)("GET /agents/sol/inbox/x")).status;
  await plain.close();
  expect([status, body.error.code, secret]).toEqual([401, "no-token", 401]);
});
