import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, parseEther } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keyOf } from "../../../chain/accounts.ts";
import { compile, compileInbox } from "../../../chain/compile.ts";
import type { Hex } from "../../../chain/local-chain.ts";
import { chainSettings } from "../../src/channels/chain/chain-config.ts";
import artifact from "../../src/channels/chain/inbox-contract.json" with { type: "json" };
import { messagePrice } from "../../src/channels/chain/message-price.ts";
import { startInbox } from "./chain-process.ts";

/** The contract on a real chain: what it refuses, and where money goes. */

let inbox: Awaited<ReturnType<typeof startInbox>>;
let snapshot: string;
let [agent, ada, bo]: Hex[] = [] as Hex[];

beforeAll(async () => {
  inbox = await startInbox();
  [agent, , ada, bo] = (await inbox.chain.accounts()) as [Hex, Hex, Hex, Hex];
  snapshot = await inbox.chain.snapshot();
});
afterAll(() => inbox?.process.kill());
beforeEach(async () => {
  await inbox.chain.revert(snapshot);
  snapshot = await inbox.chain.snapshot();
});

test("the artifact is what the source compiles to with solc 0.8.37", async () => {
  expect(artifact.compiler).toBe("0.8.37");
  expect(artifact).toEqual(await compileInbox());
});

test("a message is an event with its words, its sender and what was paid, and the agent has the money", async () => {
  const before = await inbox.chain.balance(inbox.agent);
  const posted = await inbox.post({ from: ada as Hex, body: "Are you open?", value: 12_345n });
  expect({ ...posted, tx: 0, id: 0, body: Buffer.from(posted.body).toString() }).toEqual({
    tx: 0,
    id: 0,
    block: 2,
    agent: expect.stringMatching(new RegExp(agent as string, "i")),
    sender: expect.stringMatching(new RegExp(ada as string, "i")),
    value: 12_345n,
    body: "Are you open?",
  });
  expect((await inbox.chain.balance(inbox.agent)) - before).toBe(12_345n);
  expect(await inbox.kept()).toBe(0n);
});

test("less than the price is refused, the price and more are forwarded whole", async () => {
  await inbox.setPrice(1_000n);
  await expect(inbox.post({ body: "x" })).rejects.toThrow("PriceNotPaid(1000)");
  await expect(inbox.post({ body: "x", value: 999n })).rejects.toThrow("PriceNotPaid(1000)");
  const before = await inbox.chain.balance(inbox.agent);
  await inbox.post({ body: "x", value: 1_000n });
  await inbox.post({ body: "x", value: 1_001n });
  expect((await inbox.chain.balance(inbox.agent)) - before).toBe(2_001n);
  expect(await inbox.kept()).toBe(0n);
  // The price is each agent's own.
  await inbox.post({ body: "to someone else", agent: bo as Hex });
});

test("the agent's key sets the price, and posts that pay less are refused from then on", async () => {
  const { contract, agent: address, process: node } = inbox;
  const settings = chainSettings("nova", { rpc: [node.url], id: 31337, contract, address });
  const about = { agent: "nova", settings, env: { CHARTER_CHAIN_KEY: keyOf(0) }, clock: () => new Date() };
  expect(await messagePrice(about)).toEqual({ price: 0n });
  const setting = messagePrice({ ...about, price: 2_000n, sleep: async () => void (await inbox.chain.mine()) });
  expect(await setting).toMatchObject({ price: 2_000n });
  expect(await messagePrice(about)).toEqual({ price: 2_000n });
  await expect(inbox.post({ body: "x", value: 1_999n })).rejects.toThrow("PriceNotPaid(2000)");
});

test("1 to 4,096 bytes, in messages and in replies", async () => {
  await expect(inbox.post({ body: "" })).rejects.toThrow("Empty()");
  await expect(inbox.post({ body: Buffer.alloc(4_097) })).rejects.toThrow("TooLong(4097)");
  const { id } = await inbox.post({ body: Buffer.alloc(4_096, 255) });
  await expect(inbox.reply(id, "")).rejects.toThrow("Empty()");
  await expect(inbox.reply(id, "ü".repeat(2_049))).rejects.toThrow("TooLong(4098)");
  await inbox.reply(id, "ü".repeat(2_048));
  expect(await inbox.replies()).toMatchObject([{ id, body: "ü".repeat(2_048) }]);
});

test("only the agent replies, once, and only to what was posted", async () => {
  const { id } = await inbox.post({ from: ada as Hex, body: "Are you open?" });
  await expect(inbox.reply(id, "Yes.", ada)).rejects.toThrow("NotTheAgent()");
  await expect(inbox.reply(`0x${"00".repeat(32)}`, "Yes.")).rejects.toThrow("UnknownMessage()");
  await inbox.reply(id, "Yes.");
  await expect(inbox.reply(id, "No.")).rejects.toThrow("AlreadyReplied()");
  expect(await inbox.replies()).toMatchObject([{ id, body: "Yes." }]);
});

test("an id follows from the words and the sender's own count, whatever others post before", async () => {
  const alone = await inbox.post({ from: ada as Hex, body: "one" });
  const second = await inbox.post({ from: ada as Hex, body: "one" });
  await inbox.chain.revert(snapshot);
  snapshot = await inbox.chain.snapshot();
  await inbox.post({ from: bo as Hex, body: "one" });
  const after = await inbox.post({ from: ada as Hex, body: "one" });
  const other = await inbox.post({ from: ada as Hex, body: "two" });
  expect(after.id).toBe(alone.id);
  expect(other.id).not.toBe(second.id);
  const types = ["uint256", "address", "address", "address", "uint256", "bytes32"].map((type) => ({ type }));
  const words = keccak256(Buffer.from("one"));
  const values = [31337n, inbox.contract, inbox.agent, ada, 0n, words];
  expect(alone.id).toBe(keccak256(encodeAbiParameters(types, values)));
  // Where the reader of posts finds the count of somebody whose last one it does not know.
  const place = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [ada as Hex, 3n]));
  expect(Number(await inbox.chain.request<Hex>("eth_getStorageAt", inbox.contract, place, "latest"))).toBe(2);
});

test("nothing but a post brings money, and no other call is known", async () => {
  const to = inbox.contract;
  await expect(inbox.chain.request("eth_sendTransaction", { from: ada, to, value: "0x1" })).rejects.toThrow();
  await expect(inbox.chain.request("eth_sendTransaction", { from: ada, to, data: "0x12345678" })).rejects.toThrow();
  await expect(inbox.post({ body: "to the contract itself", agent: to, value: 1n })).rejects.toThrow("NotForwarded()");
  expect(await inbox.kept()).toBe(0n);
});

const agents = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
interface Inbox {
    function post(address agent, bytes calldata body) external payable returns (bytes32);
    function reply(bytes32 id, bytes calldata body) external;
}
contract Agents {
    Inbox immutable inbox;
    uint256 public how;
    constructor(address inbox_) { inbox = Inbox(inbox_); }
    function set(uint256 how_) external { how = how_; }
    function reply(bytes32 id) external { inbox.reply(id, "by hand"); }
    receive() external payable {
        if (how == 0) revert("no money");
        if (how == 1) { how = 2; inbox.post{value: msg.value}(address(this), "again"); }
        if (how == 3) { while (true) {} }
    }
}`;

test("an agent that refuses money, burns all gas or calls back leaves nothing behind", async () => {
  const { bytecode } = await compile(agents, "Agents");
  const argument = encodeAbiParameters([{ type: "address" }], [inbox.contract]).slice(2);
  const tx = await inbox.chain.request<Hex>("eth_sendTransaction", { from: bo, data: `${bytecode}${argument}` });
  const { contractAddress } = await inbox.chain.request<{ contractAddress: Hex }>("eth_getTransactionReceipt", tx);
  const set = async (how: bigint) => {
    const data = encodeFunctionData({ abi: parseAbi(["function set(uint256)"]), args: [how] });
    await inbox.chain.request("eth_sendTransaction", { from: bo, to: contractAddress, data });
  };

  await expect(inbox.post({ body: "x", agent: contractAddress, value: 1n })).rejects.toThrow("NotForwarded()");
  await inbox.post({ body: "nothing paid, nothing to refuse", agent: contractAddress });
  await set(3n);
  await expect(inbox.post({ body: "x", agent: contractAddress, value: 1n, gas: 500_000n })).rejects.toThrow();
  expect(await inbox.chain.balance(contractAddress)).toBe(0n);

  await set(1n);
  const value = parseEther("1");
  await inbox.post({ body: "first", agent: contractAddress, value });
  const [, outer, inner] = await inbox.posted();
  expect([outer, inner].map((one) => one && [Buffer.from(one.body).toString(), one.value])).toEqual([
    ["first", value],
    ["again", value],
  ]);
  expect(outer?.id).not.toBe(inner?.id);
  expect(await inbox.chain.balance(contractAddress)).toBe(value);
  expect(await inbox.kept()).toBe(0n);
});
