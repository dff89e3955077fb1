import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createRpcClient } from "../../src/channels/chain/rpc-client.ts";

/** Addresses of a chain as one client sees them: what they want to be asked with, and what they say that is not to be repeated. */

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

type Asked = { readonly method: string; readonly params: readonly unknown[]; readonly headers: IncomingHttpHeaders };
type Answer = (asked: Asked) => { readonly result: unknown } | { readonly error: object };

async function newAddress(answer: Answer) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(pieces).toString());
    asked.push({ method, params, headers: request.headers });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer({ method, params, headers: request.headers }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const time = { now: Date.parse("2026-02-18T12:00:00.000Z") };
const client = (...addresses: string[]) =>
  createRpcClient({ addresses, clock: () => new Date(time.now), random: () => 1, timeoutMs: 20_000 });
const wordsOf = (asking: Promise<unknown>) =>
  asking.then(
    (answer) => answer,
    (error: Error) => error.message,
  );

test("a name and a password in an address are sent as such", async () => {
  const { host, asked } = await newAddress(() => ({ result: "0x1" }));
  const rpc = client(`http://some%40one:pa%3Ass@${host}/rpc?net=a`);
  expect(await wordsOf(rpc.request("eth_chainId", []))).toBe("0x1");
  const basic = Buffer.from("some@one:pa:ss").toString("base64");
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Basic ${basic}`]);
});

test("what an address says back of its own secrets is not repeated, nor what moves a terminal", async () => {
  const path = "Zk3vQ8xR2mT7";
  const said: Record<string, string> = {
    whole: `Project ${path} is over its plan (http://HOST/v2/${path}?apikey=Tops%2Fecret99).`,
    part: "Invalid api key Zk3vQ8xR...; Tops/ecret99 is none.",
    basic: `Bad credentials ${Buffer.from("mallory:hunter2").toString("base64")}, mallory hunter2`,
    terminal: "Nothing\u001b[2J\u001b]0;title\u0007 there\r\nat all\u202e.",
  };
  const { host } = await newAddress(({ method }) => ({ error: { code: -32_000, message: said[method] } }));
  const rpc = client(`http://mallory:hunter2@${host}/v2/${path}?apikey=Tops%2Fecret99`);
  const told: string[] = [];
  for (const method of Object.keys(said)) told.push((await wordsOf(rpc.request(method, []))) as string);
  expect(told.map((one) => one.replaceAll(host, "HOST"))).toEqual([
    "HOST: Project … is over its plan (http://HOST/v2/…?apikey=…).",
    "HOST: Invalid api key …; … is none.",
    "HOST: Bad credentials …, … …",
    "HOST: Nothing [2J ]0;title there at all .",
  ]);
});

test("a clock that is set back leaves no address alone for longer", async () => {
  let isWell = false;
  const { host } = await newAddress(() => (isWell ? { result: "0x1" } : { result: "nonsense" }));
  const rpc = client(`http://${host}`);
  await wordsOf(rpc.request("eth_chainId", []));
  isWell = true;
  time.now -= 24 * 60 * 60_000;
  expect(await wordsOf(rpc.request("eth_chainId", []))).toBe("0x1");
});

test("while all are left alone it is told why", async () => {
  const one = await newAddress(() => ({ result: "nonsense" }));
  const other = await newAddress(() => ({ error: { code: 429, message: "too many requests" } }));
  const rpc = client(`http://${one.host}`, `http://${other.host}`);
  await wordsOf(rpc.request("eth_chainId", []));
  const told = (await wordsOf(rpc.request("eth_chainId", []))) as string;
  expect(told.replaceAll(one.host, "ONE").replaceAll(other.host, "OTHER")).toBe(
    "no address of the chain answers. ONE: what it said to eth_chainId is no answer. OTHER: too many requests",
  );
});

const hash = `0x${"ab".repeat(32)}`;
const block = { number: "0x5", hash };
const receipt = { blockNumber: "0x5", blockHash: hash, status: "0x1", gasUsed: "0x1", transactionHash: hash };
const nonsense: readonly (readonly [
  method: string,
  params: readonly unknown[],
  sound: unknown,
  wrong: readonly unknown[],
])[] = [
  ["eth_getBalance", [], "0x0", ["0x", "12", null, 12, `0x1${"0".repeat(64)}`]],
  ["eth_getTransactionCount", [], "0x0a", ["0xffffffffffffffff", "0x", {}]],
  ["eth_estimateGas", [], "0x5208", ["", [], "0xzz"]],
  ["eth_maxPriorityFeePerGas", [], "0x1", [null, "1 gwei"]],
  ["eth_call", [], "0x", ["0x1", null, "words"]],
  ["eth_getCode", [], "0x6000", [null, 1]],
  ["eth_getLogs", [], [], [null, {}, "0x"]],
  ["eth_sendRawTransaction", ["0x02"], hash, ["0x1", null, true]],
  ["eth_getBlockByNumber", ["0x5", false], block, [{}, { ...block, hash: "0x1" }, { ...block, number: "0x6" }, "0x5"]],
  ["eth_getBlockByNumber", ["finalized", false], null, [{ ...block, baseFeePerGas: "free" }]],
  ["eth_getTransactionReceipt", [hash], null, [[], "0x1"]],
  [
    ...(["eth_getTransactionReceipt", [hash], receipt] as const),
    [
      { ...receipt, transactionHash: `0x${"cd".repeat(32)}` },
      { ...receipt, blockHash: "0x" },
      { ...receipt, status: "yes" },
      { ...receipt, gasUsed: -1 },
      { ...receipt, effectiveGasPrice: "a lot" },
    ],
  ],
];

test.each(nonsense)("what makes no sense for %s %j is asked for elsewhere", async (method, params, sound, wrong) => {
  for (const one of wrong) {
    const first = await newAddress(() => ({ result: one }));
    const second = await newAddress(() => ({ result: sound }));
    const rpc = client(`http://${first.host}`, `http://${second.host}`);
    expect(await rpc.request(method, params)).toEqual(sound);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  }
});
