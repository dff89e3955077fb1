import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ChainStatus } from "../../../channels/chain/chain-status.ts";
import { checkChain, checkChainKey, checkChainNodes } from "./doctor-automata.ts";

const now = new Date("2026-02-18T15:04:00.000Z");
const replies = { waiting: 0, signed: 0, sent: 0, mined: 0, final: 3, held: 0, failed: 0 };
const fine: ChainStatus = {
  ...{ chain: 8453, contract: "0xc0", address: "0xa9", block: 88, head: 99, lag: 11, unconfirmed: 0, problem: null },
  ...{ readAt: "2026-02-18T15:03:50.000Z", replies, held: [], failed: [], stuck: [], feesToday: "0.001" },
  ...{ key: "file", sends: true, maxFeePerReply: "0.001", maxFeePerDay: "0.02", balances: [] },
};
const one = (reason: string) => [{ reply: "r1", message: "m1", to: "0xb0", reason }];

const found: [what: string, chain: ChainStatus, says: readonly string[]][] = [
  ["all is well", fine, []],
  [
    "no node answers",
    { ...fine, problem: "no address answers." },
    ["The chain of “sol” cannot be read: no address answers."],
  ],
  [
    "nobody reads it",
    { ...fine, readAt: "2026-02-18T14:00:00.000Z" },
    ["The chain of “sol” was last read 2026-02-18 14:00:00 UTC."],
  ],
  ["no key", { ...fine, key: null }, ["“sol” has to send its replies to its chain, and no key is found here."]],
  [
    "fees",
    { ...fine, replies: { ...replies, held: 2 }, held: one("Too dear.") },
    ["2 replies of “sol” are held: Too dear."],
  ],
  [
    "failures",
    { ...fine, replies: { ...replies, failed: 1 }, failed: one("Too long.") },
    ["1 reply of “sol” will not get to the chain: Too long."],
  ],
  [
    "no block takes it",
    { ...fine, stuck: [{ reply: "r1", message: "m1", to: "0xb0", reason: null }, ...one("Refused.")] },
    ["2 replies of “sol” have not got to the chain for more than ten minutes: no block takes it."],
  ],
  [
    "one balance is old",
    {
      ...fine,
      balances: [
        { ...{ asset: "ETH", symbol: "ETH", amount: "1", block: 9 }, readAt: "2026-02-18T15:03:50.000Z", stale: false },
        { ...{ asset: "0x7", symbol: "USDC", amount: "2", block: 3 }, readAt: "2026-02-18T14:00:00.000Z", stale: true },
      ],
    },
    ["What “sol” has of USDC is stale: it was last read 2026-02-18 14:00:00 UTC."],
  ],
];
for (const [what, chain, says] of found)
  test(what, () => expect(checkChain("sol", chain, now).map((finding) => finding.what)).toEqual(says));

const folder = mkdtempSync(join(tmpdir(), "charter-key-"));
afterAll(() => rmSync(folder, { recursive: true }));
/** That of the first account of every local chain. */
const address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const secret = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

function keyFile(name: string, text: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const sound = keyFile("sound", `${secret}\n`, 0o600);
symlinkSync(sound, join(folder, "link"));
const keys: [what: string, path: string, says: readonly string[]][] = [
  ["is sound", sound, []],
  [
    "may be read by others",
    keyFile("open", secret, 0o644),
    ["The file of the chain key of “sol”, PATH, has mode 0644: others may use it."],
  ],
  ["is reached by a link", join(folder, "link"), []],
  ["is not there", join(folder, "none"), ["The file of the chain key of “sol”, PATH, is not there."]],
  ["is no key", keyFile("words", "hello", 0o600), ["What was read for the chain key of “sol” is no private key."]],
  [
    "is another address's",
    keyFile("other", "11".repeat(32), 0o600),
    [
      `The chain key of “sol” is that of 0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a, and not of ${address}, its address.`,
    ],
  ],
];
for (const [what, path, says] of keys)
  test(`a key file that ${what}`, async () => {
    const found = await checkChainKey("sol", { address, key: "file", keyFile: path, sends: true }, {});
    expect(found.map((finding) => finding.what.replace(path, "PATH"))).toEqual(says);
    expect(JSON.stringify(found)).not.toContain(secret.slice(2));
  });

test("where replies are polled, no key is looked at", async () => {
  expect(await checkChainKey("sol", { address, key: "file", keyFile: "/nowhere", sends: false }, {})).toEqual([]);
});

test("the addresses of a chain are asked: another chain, no contract, nobody there", async () => {
  const contract = `0x${"c0".repeat(20)}` as const;
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x7a69" : "0x" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { maxFeePerReply: 1n, maxFeePerDay: 1n, key: null, keyFile: undefined, sends: false } as const;
  const at = (id: number) => ({ rpc: [`http://${host}/secret`], id, contract, address: contract, ...limits });
  const told = async (id: number) => (await checkChainNodes("sol", at(id))).map(({ what }) => what);
  const unread = "The chain of “sol” cannot be read:";
  expect(await told(8453)).toEqual([`${unread} ${host} is an address of chain 31337; the settings say 8453.`]);
  expect(await told(31337)).toEqual([`${unread} There is no contract at ${contract} on chain 31337, says ${host}.`]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await told(31337)).toEqual([`${unread} ${host}: it cannot be reached.`]);
});
