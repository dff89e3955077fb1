import { expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import { chainSettings } from "./chain-config.ts";

const address = `0x${"Ab".repeat(20)}`;
const contract = `0x${"C0".repeat(20)}`;
const usual = { rpc: ["http://127.0.0.1:8545"], id: 31337, contract, address };

test("what is not said is usual; addresses are in small letters, amounts in wei", () => {
  expect(chainSettings("sol", usual)).toEqual({
    rpc: ["http://127.0.0.1:8545"],
    id: 31337,
    contract: contract.toLowerCase(),
    address: address.toLowerCase(),
    confirmations: 12,
    maxFeePerReply: 1_000_000_000_000_000n,
    maxFeePerDay: 20_000_000_000_000_000n,
  });
});

test("all that can be said", () => {
  const said = { from: 0, confirmations: "finalized", token: address, replies: "poll", keyFile: "sol.key" };
  const earns = { cyclesPerEther: 2_500_000_000, maxCyclesPerDay: 1 };
  expect(chainSettings("sol", { ...usual, ...said, ...earns, maxFeePerReply: "0.5", maxFeePerDay: "1" })).toMatchObject(
    {
      ...said,
      token: address.toLowerCase(),
      maxFeePerReply: 5n * 10n ** 17n,
      maxFeePerDay: 10n ** 18n,
      earns,
    },
  );
});

test("what payments become in a day is limited, whether that is said or not", () => {
  expect(chainSettings("sol", { ...usual, cyclesPerEther: 7 }).earns).toEqual({
    cyclesPerEther: 7,
    maxCyclesPerDay: 5_000_000,
  });
});

const secret = "f".repeat(64);
const wrong: [what: string, given: unknown, message: string][] = [
  ["no object", "http://x", "“automaton.chain” of “sol” is no object."],
  ["a key", { ...usual, key: secret }, "“automaton.chain.key” of “sol” is no setting."],
  ["no node", { ...usual, rpc: [] }, "“automaton.chain.rpc” of “sol” is invalid."],
  ["a node that is no list", { ...usual, rpc: "http://x" }, "“automaton.chain.rpc” of “sol” is invalid."],
  ["a node by another way", { ...usual, rpc: [`ftp://x/${secret}`] }, "“automaton.chain.rpc” of “sol” is invalid."],
  ["no number", { ...usual, id: "1" }, "“automaton.chain.id” of “sol” is invalid."],
  ["a short address", { ...usual, address: "0xab" }, "“automaton.chain.address” of “sol” is invalid."],
  [
    "nobody's address",
    { ...usual, contract: `0x${"0".repeat(40)}` },
    "“automaton.chain.contract” of “sol” is invalid.",
  ],
  ["no address", { ...usual, address: undefined }, "“automaton.chain.address” of “sol” is missing."],
  ["a block before the first", { ...usual, from: -1 }, "“automaton.chain.from” of “sol” is invalid."],
  ["no confirmation", { ...usual, confirmations: 0 }, "“automaton.chain.confirmations” of “sol” is invalid."],
  ["another way to reply", { ...usual, replies: "both" }, "“automaton.chain.replies” of “sol” is invalid."],
  ["a key for a file", { ...usual, keyFile: `0x${secret}` }, "“automaton.chain.keyFile” of “sol” is invalid."],
  ["a number for ETH", { ...usual, maxFeePerReply: 0.1 }, "“automaton.chain.maxFeePerReply” of “sol” is invalid."],
  ["half a cycle", { ...usual, cyclesPerEther: 0.5 }, "“automaton.chain.cyclesPerEther” of “sol” is invalid."],
  [
    "a limit of nothing",
    { ...usual, maxCyclesPerDay: 1 },
    "“automaton.chain.maxCyclesPerDay” of “sol” limits nothing.",
  ],
  ["a day of nothing", { ...usual, maxCyclesPerDay: 0 }, "“automaton.chain.maxCyclesPerDay” of “sol” is invalid."],
  ["nothing for ETH", { ...usual, maxFeePerDay: "0" }, "“automaton.chain.maxFeePerDay” of “sol” is invalid."],
];
for (const [what, given, message] of wrong)
  test(`${what}: the setting is named, and no value is repeated`, () => {
    const thrown = problemOf(() => chainSettings("sol", given));
    expect([thrown?.code, thrown?.message]).toEqual(["bad-config", message]);
    expect(`${thrown?.message} ${thrown?.hint}`).not.toContain(secret);
  });

function problemOf(work: () => unknown): Problem | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
