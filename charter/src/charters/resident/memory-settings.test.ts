import { describe, expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import { factsOf } from "../facts.ts";
import { memorySettingsOf } from "./resident.ts";

const owner = `npub1${"q".repeat(58)}`;
const sound = { relays: ["wss://relay.example.org"], owner, key: "ada" };
const secret = `nsec1${"q".repeat(58)}`;
const hex = "ab".repeat(32);

test.for([
  ["nothing is said", {}, undefined],
  ["null is nothing", { memory: null }, undefined],
  ["the whole", { memory: sound }, sound],
  ["an owner in hex", { memory: { ...sound, owner: hex } }, { ...sound, owner: hex }],
  [
    "relays of every kind, as they are written",
    { memory: { ...sound, relays: ["ws://127.0.0.1:7000/", "HTTPS://Relay.example/a?b=c"] } },
    { ...sound, relays: ["ws://127.0.0.1:7000/", "HTTPS://Relay.example/a?b=c"] },
  ],
] as const)("memory settings: %s", ([, facts, expected]) => {
  expect(memorySettingsOf(factsOf(facts))).toEqual(expected);
});

const said = (memory: unknown) => {
  try {
    return memorySettingsOf(factsOf({ memory }));
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
};

const noRelay = "is no address of a relay (wss://, ws://, https:// or http://).";
const noKeyName =
  "bad-facts: The fact “memory.key” is no name of a key: letters, digits, “-”, “_” and “.”, at most 40. The key itself is told where charter.config.ts says.";

describe("what is wrong is named", () => {
  test.for([
    ["on", "bad-facts: The fact “memory” should be an object, not text."],
    [{ ...sound, relays: [] }, "bad-facts: The fact “memory.relays” names 0 relays, where 1 to 20 are needed."],
    [
      { ...sound, relays: Array(21).fill("wss://a.example") },
      "bad-facts: The fact “memory.relays” names 21 relays, where 1 to 20 are needed.",
    ],
    [{ ...sound, relays: "wss://a" }, "bad-facts: The fact “memory.relays” should be a list, not text."],
    [{ ...sound, relays: ["wss://a.example", "ftp://b"] }, `bad-facts: The fact “memory.relays[1]” ${noRelay}`],
    [{ ...sound, relays: ["relay.example.org"] }, `bad-facts: The fact “memory.relays[0]” ${noRelay}`],
    [{ ...sound, relays: ["wss://a.example\\b"] }, `bad-facts: The fact “memory.relays[0]” ${noRelay}`],
    [
      { ...sound, relays: [`wss://a.example/${"x".repeat(2048)}`] },
      `bad-facts: The fact “memory.relays[0]” ${noRelay}`,
    ],
    [{ ...sound, relays: ["wss://"] }, `bad-facts: The fact “memory.relays[0]” ${noRelay}`],
    [{ ...sound, relays: [null] }, "bad-facts: The fact “memory.relays[0]” is missing."],
    [{ ...sound, owner: undefined }, "bad-facts: The fact “memory.owner” is missing."],
    [
      { ...sound, owner: "npub1short" },
      "bad-facts: The fact “memory.owner” is no public key: npub1 and 58 characters, or 64 characters of hex.",
    ],
    [{ ...sound, key: undefined }, "bad-facts: The fact “memory.key” is missing."],
    [{ ...sound, key: "../ada" }, noKeyName],
    [
      { ...sound, command: ["cat", "ada.key"] },
      "bad-facts: The fact “memory.command” is none of relays, owner, key: settings hold neither keys nor commands.",
    ],
  ] as const)("%j", ([memory, expected]) => {
    expect(said(memory)).toBe(expected);
  });
});

describe("a secret key is refused wherever it stands, and not repeated", () => {
  test.for([
    ["as the owner", { ...sound, owner: secret }],
    ["as the owner, after something else", { ...sound, owner: `nostr:${secret}` }],
    ["as the name of a key", { ...sound, key: secret }],
    ["as the name of a key, in hex", { ...sound, key: hex }],
    ["as a relay", { ...sound, relays: [secret] }],
    ["in the address of a relay", { ...sound, relays: [`wss://ada:${hex}@relay.example.org`] }],
    ["behind the address of a relay", { ...sound, relays: [`wss://relay.example.org/#${hex}`] }],
    ["in a field of its own", { ...sound, secretKey: secret }],
    ["as a field", { ...sound, [secret]: true }],
    ["as a field, in hex", { ...sound, [hex]: true }],
    ["in place of all", secret],
  ] as const)("%s", ([, memory]) => {
    const words = String(said(memory));
    expect(words).toMatch(/^bad-facts: /);
    expect(words).not.toMatch(/nsec1q|abab/);
  });
});
