import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { Problem } from "../../prompt/problem.ts";
import { hideKeys, type KeyConfig, type KeyPlaces, readKey, readPublicKey } from "./key-source.ts";
import { createMemoryKey } from "./memory-key.ts";
import { loadNostr } from "./nostr.ts";

const nostr = await loadNostr();
const folder = mkdtempSync(join(tmpdir(), "charter-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hex = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
const places: KeyPlaces = { nostr, folder, env: { PATH: process.env.PATH } };

function keyFile(name: string, text: string, mode = 0o600): KeyConfig {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
  return { file: name };
}

/** The key as hex, or the problem in words. */
async function read(config: KeyConfig | undefined, more: Partial<KeyPlaces> = {}): Promise<string> {
  try {
    return Buffer.from(await readKey("ada", config, { ...places, ...more })).toString("hex");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const told = `${error.code}: ${error.message} ${error.hint}`.replaceAll(folder, "…");
    expect(`${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${told}`).not.toMatch(/nsec1v|67dea2ed/i);
    return told;
  }
}

describe("a key is read", () => {
  test.each<[string, KeyConfig, KeyPlaces["env"]?]>([
    ["from a file, as hex", keyFile("hex", hex)],
    ["from a file, as an nsec", keyFile("nsec", nsec)],
    ["with white space around it", keyFile("space", `\n  ${nsec}\t\r\n`)],
    ["in capitals", keyFile("capitals", hex.toUpperCase())],
    ["from a file that nobody can write", keyFile("0400", hex, 0o400)],
    ["from the environment", { env: "ADA" }, { ADA: ` ${nsec} ` }],
    ["from a command", { command: ["cat", "nsec"] }],
  ])("%s", async (_how, config, env = places.env) => {
    expect(await read(config, { env })).toBe(hex);
  });
});

const noKey =
  "bad-key: What was read for the key “ada” is no secret key of Nostr. Give an nsec, or 64 hex digits, and nothing else.";
const byHand = "Run it yourself, in the same folder: it has to print the key and nothing else.";
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
    [
      { command: ["no-such-program"] },
      `key-missing: The command for the key “ada”, no-such-program, could not be run (ENOENT). ${byHand}`,
    ],
    [
      { command: ["sh", "-c", "exit 3"] },
      `key-missing: The command for the key “ada”, sh, failed (exit code 3). ${byHand}`,
    ],
    [
      { command: ["sh", "-c", "kill -9 $$"] },
      `key-missing: The command for the key “ada”, sh, failed (SIGKILL). ${byHand}`,
    ],
    [
      { command: ["sh", "-c", "cat hex; cat nsec >&2; exit 1"] },
      `key-missing: The command for the key “ada”, sh, failed (exit code 1). ${byHand}`,
    ],
    [{ command: ["yes"] }, `key-missing: The command for the key “ada”, yes, printed more than a key. ${byHand}`],
    [{ command: ["true"] }, noKey],
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

  test("a command that takes too long, and what it started, are ended", { timeout: 60_000 }, async () => {
    const pids = join(folder, "pids");
    const script = `sleep 1000 & echo $! > ${pids}; wait`;
    expect(await read({ command: ["sh", "-c", script] }, { timeoutMs: 300 })).toBe(
      `key-missing: The command for the key “ada”, sh, did not finish within 0.3 seconds. ${byHand}`,
    );
    await eventually(() => !isRunning(existsSync(pids) ? Number(readFileSync(pids, "utf8")) : 0));
  });
});

function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    // Ended, and not yet fetched by whoever stands in for its parent.
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, "utf8")));
  } catch {
    return false;
  }
}

test("a command is run without a shell, and is told nothing of the environment but where things are", async () => {
  const env = { PATH: process.env.PATH, HOME: "/home/ada", LANG: "C", OTHER_KEY: "x", BO: nsec, NODE_OPTIONS: "" };
  const out = join(folder, "environment");
  const script = `env | cut -d= -f1 | grep -v -e _ -e PWD -e SHLVL | sort > ${out}; cat hex`;
  expect(await read({ command: ["sh", "-c", script] }, { env })).toBe(hex);
  expect(readFileSync(out, "utf8")).toBe("HOME\nLANG\nPATH\n");
  expect(await read({ command: ["printf", "%s", "$(cat hex)"] })).toBe(noKey);
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
