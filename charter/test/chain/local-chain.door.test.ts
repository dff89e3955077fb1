import { execFile, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { privateKeyToAccount } from "viem/accounts";
import { expect, onTestFinished, test } from "vitest";
import { connectChain } from "../../../chain/local-chain.ts";
import { openInbox, usualContract } from "../../../chain/local-inbox.ts";
import { refusalText } from "../../../chain/refusal.ts";
import { root } from "../fetched-package.ts";
import { startNpm } from "./npm-process.ts";

const run = promisify(execFile);
const ether = 10n ** 18n;

/** By npm once; what a person does there goes to the program itself, which is what npm runs. */
async function startLocalChain() {
  const chain = startNpm(["run", "chain", "--", "--port", "0"]);
  onTestFinished(async () => void (await chain.end()));
  const [, port = ""] = await chain.says(/listens on http:\/\/127\.0\.0\.1:(\d+)[\s\S]*replies\n/);
  const task = async (...words: string[]) =>
    (await run(process.execPath, ["chain/chain.ts", "--port", port, ...words], { cwd: root })).stdout;
  return { ...chain, port: Number(port), task };
}

const refused: readonly [posting: { readonly body: string; readonly value?: bigint }, why: string][] = [
  [{ body: "" }, "A message has no words. Give 1 to 4,096 bytes. (Empty)"],
  [{ body: "x".repeat(5000) }, "A message of 5000 bytes is too long. Give at most 4,096. (TooLong)"],
  [{ body: "hi", value: 20_000n * ether }, "The sender does not have so much. Give less as --value."],
];

test("npm run chain prints settings with a funded agent and its key, messages are posted and read by hand, and nobody else reaches it", async () => {
  const chain = await startLocalChain();
  const local = connectChain(`http://127.0.0.1:${chain.port}`);
  const { request, balance } = local;
  const settings = await chain.task("settings");
  expect(chain.said()).toContain(settings);
  const said = (name: string) => new RegExp(`${name}: "?([^",]+)`).exec(settings)?.[1] as `0x${string}`;
  expect(Number(await request("eth_chainId"))).toBe(Number(said("id")));
  expect(await request("eth_getCode", said("contract"), "latest")).toMatch(/^0x[0-9a-f]{1000}/);
  expect(await balance(said("address"))).toBe(10_000n * ether);
  expect(statSync(said("keyFile")).mode & 0o777).toBe(0o600);
  const key = readFileSync(said("keyFile"), "utf8").trim() as `0x${string}`;
  expect(privateKeyToAccount(key).address).toBe(said("address"));

  expect(await chain.task("post", "Are you open?")).toMatch(/^Posted by 0x\w{40}, who paid 0\.001 ETH\.\n0x\w{64}\n$/);
  await chain.task("post", "And\n“tomorrow”?", "--from", "3", "--value", "0");
  expect(await chain.task("replies")).toMatch(
    /^0x\w{40}: "Are you open\?"\n {2}no reply yet\n0x\w{40}: "And\\n“tomorrow”\?"\n {2}no reply yet\n$/,
  );
  await chain.task("price", "0.5");
  await expect(chain.task("post", "hi")).rejects.toThrow(
    "post-refused: The agent asks 0.5 ETH a message. Give that or more as --value. (PriceNotPaid)\nNothing was posted, and nothing paid.",
  );
  const inbox = openInbox(local, { contract: usualContract, agent: said("address") });
  for (const [posting, why] of refused)
    expect(await inbox.post({ value: ether / 2n, ...posting }).catch(refusalText)).toBe(why);
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid)
    .map(({ address }) => address);
  for (const host of [...others, "127.0.0.2"])
    expect([host, await reach(host, chain.port)]).toEqual([host, "ECONNREFUSED"]);
  expect(await reach("127.0.0.1", chain.port)).toBe("reached");
  await expect(chain.task()).rejects.toThrow(
    `port-taken: Something listens on 127.0.0.1:${chain.port} already.\nHint: if it is a chain, use it. Otherwise end it, or give another --port.`,
  );
  const misused = await chain.task("post", "two", "words").catch((error: { stderr: string }) => error.stderr);
  expect(misused).toMatch(/^“words” is too much: put the words of a message in quotes\.\n\nnpm run chain/);

  expect(await chain.end()).toBe(0);
  expect(chain.said()).toMatch(/The chain has ended, and all that was on it is gone\.\n/);
  await expect(chain.task("replies")).rejects.toThrow(
    `chain-not-there: No chain listens on 127.0.0.1:${chain.port}.\nHint: npm run chain, in another terminal.`,
  );
});

function reach(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on("connect", () => {
      socket.destroy();
      resolve("reached");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}

const apart = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const canBeApart = spawnSync(apart[0] as string, [...apart.slice(1), "true"]).status === 0;

test.runIf(canBeApart)("with no network at all but this machine's own it runs as well", async () => {
  const chain = startNpm(["run", "chain", "--", "--port", "8545"], { before: apart });
  onTestFinished(async () => void (await chain.end()));
  await chain.says(/listens on http:\/\/127\.0\.0\.1:8545[\s\S]*replies\n/);
  expect(await chain.end()).toBe(0);
});

test("its lockfile names no place to download from", () => {
  const lock = readFileSync(join(root, "chain/package-lock.json"), "utf8");
  expect(lock).not.toMatch(/"resolved"|https?:\/\/(?!opencollective|github|paulmillr)[^"]*\.tgz/);
  for (const engine of ["linux-arm64-gnu", "linux-x64-gnu"]) expect(lock).toContain(`/edr-${engine}": "0.20.0"`);
});
