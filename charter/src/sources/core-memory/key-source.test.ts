import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { hex, newKeyBench, noKey, nsec } from "../../../test/sources/key-bench.ts";
import type { Problem } from "../../prompt/problem.ts";
import { hideKeys, type KeyConfig, type KeyPlaces, readPublicKey } from "./key-source.ts";
import { createMemoryKey } from "./memory-key.ts";

const bench = newKeyBench();
afterAll(bench.remove);
const { folder, keyFile, read, places } = bench;
const { nostr } = places;

describe("a key is read", () => {
  test.each<[string, KeyConfig, KeyPlaces["env"]?]>([
    ["from a file, as hex", keyFile("hex", hex)],
    ["from a file, as an nsec", keyFile("nsec", nsec)],
    ["with white space around it", keyFile("space", `\n  ${nsec}\t\r\n`)],
    ["in capitals", keyFile("capitals", hex.toUpperCase())],
    ["from a file that nobody can write", keyFile("0400", hex, 0o400)],
    ["from the environment", { env: "ADA" }, { ADA: ` ${nsec} ` }],
  ])("%s", async (_how, config, env = places.env) => {
    expect(await read(config, { env })).toBe(hex);
  });
});

const put = "Put the key there, with mode 0600.";

describe("what is wrong is told, and the key is not", () => {
  test.each<[KeyConfig | undefined, string]>([
    [
      undefined,
      'key-missing: There is no key “ada” in the configuration. Say where it is: keys: { ada: { file: "…" } }.',
    ],
    [{ file: "none" }, `key-missing: The file of the key “ada”, …/none, is not there. ${put}`],
    [{ file: "." }, `key-missing: The file of the key “ada”, …, is no file. ${put}`],
    [
      keyFile("group", nsec, 0o640),
      "key-exposed: The file of the key “ada”, …/group, has mode 0640: others may use it. Run chmod 600 …/group; where others may have read it, make a new key.",
    ],
    [
      keyFile("all", nsec, 0o604),
      "key-exposed: The file of the key “ada”, …/all, has mode 0604: others may use it. Run chmod 600 …/all; where others may have read it, make a new key.",
    ],
    [keyFile("empty", ""), noKey],
    [keyFile("short", hex.slice(1)), noKey],
    [keyFile("zero", "0".repeat(64)), noKey],
    [keyFile("beyond", "f".repeat(64)), noKey],
    [keyFile("mistyped", `${nsec.slice(0, -1)}q`), noKey],
    [keyFile("public", "npub10xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpkge6d"), noKey],
    [keyFile("twice", `${nsec} ${nsec}`), noKey],
    [keyFile("long", "a".repeat(100_000)), noKey],
    [{ env: "ADA" }, "key-missing: The environment variable ADA, where the key “ada” is to be, is not set. Set it."],
    ...[{ file: hex }, { env: hex }, { command: ["echo", nsec] }].map((config): [KeyConfig, string] => [
      config,
      "bad-key: The configuration of the key “ada” holds a key. Say where it is, as in { file: … }, and no more.",
    ]),
  ])("%j", async (config, told) => {
    expect(await read(config)).toBe(told);
  });

  test("another user's file", async () => {
    // A user who may read everything has files that are not theirs at hand; anybody else cannot even open one.
    const file = keyFile("foreign", nsec) as { file: string };
    if (process.getuid?.() !== 0) return;
    const { chownSync } = await import("node:fs");
    chownSync(join(folder, file.file), 12345, 12345);
    expect(await read(file)).toBe(
      "key-exposed: The file of the key “ada”, …/foreign, is another user's. Make a copy of your own, of mode 0600.",
    );
  });
});

test("a key is taken out of this process's environment, and is there for whoever asks again", async () => {
  process.env.CHARTER_TEST_NOSTR = nsec;
  try {
    expect(await read({ env: "CHARTER_TEST_NOSTR" }, { env: process.env })).toBe(hex);
    expect("CHARTER_TEST_NOSTR" in process.env).toBe(false);
    expect(await read({ env: "CHARTER_TEST_NOSTR" }, { env: process.env })).toBe(hex);
    expect(await read({ env: "CHARTER_TEST_NOSTR" }, { env: { ...process.env } })).toMatch(/^key-missing/);
  } finally {
    delete process.env.CHARTER_TEST_NOSTR;
  }
});

test("keys in this process's environment can be hidden before anything is started", async () => {
  process.env.CHARTER_TEST_HIDDEN = nsec;
  try {
    hideKeys({ ada: { env: "CHARTER_TEST_HIDDEN" }, bo: { file: "bo.key" }, eve: { env: "CHARTER_TEST_UNSET" } });
    expect("CHARTER_TEST_HIDDEN" in process.env).toBe(false);
    expect(await read({ env: "CHARTER_TEST_HIDDEN" }, { env: process.env })).toBe(hex);
    expect(await read({ env: "CHARTER_TEST_UNSET" }, { env: process.env })).toMatch(/^key-missing/);
  } finally {
    delete process.env.CHARTER_TEST_HIDDEN;
  }
});

test("an owner's public key is an npub or hex; a secret one is never repeated", () => {
  const npub = "npub10xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpkge6d";
  const key = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
  expect([npub, key, key.toUpperCase(), ` ${npub}\n`].map((text) => readPublicKey(nostr, text))).toEqual(
    Array(4).fill(key),
  );
  const told = (text: string) => {
    try {
      return readPublicKey(nostr, text);
    } catch (error) {
      return (error as Problem).message;
    }
  };
  expect([nsec, "", "ada", "0".repeat(64), "f".repeat(64)].map(told)).toEqual([
    "The owner's key is a secret one.",
    ...Array(4).fill("The owner's public key is none."),
  ]);
});

test("neither the secret nor the key that is shared with the owner shows when a memory key is printed or kept", () => {
  const secret = Uint8Array.from(Buffer.from(hex, "hex"));
  const owner = nostr.publicKey(nostr.newSecret());
  const key = createMemoryKey(nostr, secret, owner);
  const agent = nostr.publicKey(secret);
  expect(JSON.parse(JSON.stringify(key))).toEqual({ agent, npub: nostr.npub(agent), owner });
  const shared = nostr.conversationKey(secret, owner);
  const shown = inspect(key, { depth: 9, showHidden: true, getters: true });
  for (const bytes of [secret, shared])
    for (const form of [Buffer.from(bytes).toString("hex"), Buffer.from(bytes).toString("base64"), bytes.join(", ")])
      expect(shown).not.toContain(form);
  expect(shown).not.toContain(nsec);
  secret.fill(0);
  expect(key.verify(key.makeEvent({ slug: "core", text: "I am Ada.", createdAt: 1 }))).toBe(true);
});
