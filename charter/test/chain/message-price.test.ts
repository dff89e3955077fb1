import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { chainSettings } from "../../src/channels/chain/chain-config.ts";
import { messagePrice } from "../../src/channels/chain/message-price.ts";
import { priceIn } from "../../src/cli/commands/message-price.ts";
import { createHere } from "../../src/cli/shared/trust/here.ts";
import { Problem } from "../../src/prompt/problem.ts";
import { createFolder } from "../cli.ts";
import { address, contract, key } from "./reply-stage.ts";
import { newScriptedAccount, type ScriptedAccount } from "./scripted-account.ts";

/** What a message costs is read from the contract, and set there with the agent's key. */

let chain: ScriptedAccount;
afterEach(async () => {
  await chain.close();
});

const price = 10n ** 15n;

async function stage(given: object = {}, env: Record<string, string> = { CHARTER_CHAIN_KEY: key }) {
  chain = await newScriptedAccount({ id: 31337, address });
  const settings = chainSettings("nova", { rpc: [chain.url], id: 31337, contract, address, ...given });
  let now = Date.UTC(2026, 1, 18);
  /** Each look is a second later, and a block may come meanwhile. */
  const ask = (wanted?: bigint, then: () => void = () => chain.mine()) =>
    messagePrice({
      ...{ agent: "nova", settings, env, price: wanted, clock: () => new Date(now) },
      sleep: async (ms) => {
        now += ms;
        then();
      },
    });
  const refused = (wanted?: bigint, then?: () => void) =>
    ask(wanted, then).then(
      () => "nothing",
      (error) => (error instanceof Problem ? `${error.code}: ${error.message}` : error),
    );
  return { ask, refused };
}

test("a price is nothing until it is set, then what was set; nothing again is a price too", async () => {
  const { ask } = await stage();
  expect(await ask()).toEqual({ price: 0n });
  expect(await ask(price)).toEqual({ price, tx: expect.stringMatching(/^0x[0-9a-f]{64}$/), block: 1 });
  expect(await ask()).toEqual({ price });
  expect(await ask(0n)).toMatchObject({ price: 0n, block: 2 });
  expect(await ask()).toEqual({ price: 0n });
  expect(chain.transactions()).toBe(2);
});

test("it is read without a key", async () => {
  const { ask } = await stage({}, {});
  expect(await ask()).toEqual({ price: 0n });
});

const bad: [what: string, settings: object, env: Record<string, string>, prepare: () => void, problem: string][] = [
  [
    "no key",
    {},
    {},
    () => {},
    `key-missing: Only the key of ${address} sets what a message to “nova” costs, and none is named.`,
  ],
  [
    "the key of another",
    {},
    { CHARTER_CHAIN_KEY: "11".repeat(32) },
    () => {},
    "bad-key: The chain key of “nova” is that of",
  ],
  ["another chain", { id: 1 }, { CHARTER_CHAIN_KEY: key }, () => {}, "wrong-chain: "],
  [
    "no money",
    {},
    { CHARTER_CHAIN_KEY: key },
    () => {
      chain.set.balance = 1n;
    },
    "price-not-set: What a message to “nova” costs was not set: its address has too little ETH for the fee.",
  ],
  [
    "a dear block",
    {},
    { CHARTER_CHAIN_KEY: key },
    () => {
      chain.set.baseFee = 10n ** 12n;
    },
    "price-not-set: What a message to “nova” costs was not set: it needs 0.06328130625 ETH, which passes maxFeePerReply (0.001 ETH).",
  ],
  [
    "a node that is away",
    {},
    { CHARTER_CHAIN_KEY: key },
    () => {
      chain.set.fault = () => "500";
    },
    "chain-unreachable: The chain of “nova” does not answer: no address of the chain answers.",
  ],
];
for (const [what, settings, env, prepare, problem] of bad)
  test(`${what}: it is not set, and says why`, async () => {
    const { refused } = await stage(settings, env);
    prepare();
    expect(await refused(price)).toContain(problem);
    expect(chain.asked).not.toContain("eth_sendRawTransaction");
  });

test("one that no block takes is told as one that still may be taken", async () => {
  const { refused } = await stage();
  expect(await refused(price, () => {})).toMatch(
    /no block has taken 0x[0-9a-f]{64} for two minutes\. One still may\.$/,
  );
});

test("one whose place another transaction of the key took is told as lost", async () => {
  const { refused } = await stage();
  expect(await refused(price, () => chain.takeNonce())).toContain("another transaction of its key took its place.");
});

test("charter automaton price says what a message costs and sets it, by the settings and the key that are named here", async () => {
  chain = await newScriptedAccount({ id: 31337, address });
  const about = { rpc: [chain.url], id: 31337, contract, address };
  const folder = createFolder({
    "charter.config.ts": `export default { automaton: { agent: "nova", chain: ${JSON.stringify(about)} } };`,
    ".env": `CHARTER_CHAIN_KEY=${key}`,
  });
  const here = createHere({ said: { named: join(folder.path, "charter.config.ts") } });
  expect(await priceIn(here, "nova", undefined)).toEqual({ agent: "nova", price: "0" });
  const setting = priceIn(here, "nova", "0.001");
  while (!chain.asked.includes("eth_sendRawTransaction")) await new Promise(setImmediate);
  chain.mine();
  const tx = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  expect(await setting).toEqual({ agent: "nova", price: "0.001", tx, block: 1 });
  expect(await priceIn(here, "nova", undefined)).toEqual({ agent: "nova", price: "0.001" });
  await expect(priceIn(here, "nova", "a lot")).rejects.toMatchObject({
    code: "bad-price",
    message: "“a lot” is no price.",
  });
  await expect(priceIn(here, "luna", undefined)).rejects.toMatchObject({
    ...{ code: "no-chain", message: "No settings here name a chain of “luna”." },
  });
  folder.remove();
});
