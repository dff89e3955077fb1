import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import { hideKeys } from "../../sources/core-memory/key-source.ts";
import { loadReplyCodec, readChainKey } from "./transaction.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-chain-key-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  delete process.env.CHARTER_CHAIN_KEY;
});

const key = "4f".repeat(32);
const codec = await loadReplyCodec();
const addressOf = (one: `0x${string}`) => codec.signer(one).address;
const address = addressOf(`0x${key}`);
const read = (about: { keyFile?: string; env?: Record<string, string>; address?: string }) =>
  readChainKey({ agent: "sol", address, env: {}, addressOf, ...about });

const file = (name: string, text = key, mode = 0o600) => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
};

test.each([
  ["hex", key],
  ["hex with 0x", `0x${key}`],
  ["with a line's end", `0x${key.toUpperCase()}\n`],
])("a key is read from a file of mode 0600 or 0400: %s", async (name, text) => {
  expect(await read({ keyFile: file(`fine ${name}`, text) })).toBe(`0x${key}`);
  expect(await read({ keyFile: file(`read-only ${name}`, text, 0o400) })).toBe(`0x${key}`);
});

const wrong: [what: string, path: () => string, code: string, message: string][] = [
  ["others may read it", () => file("open", key, 0o644), "key-exposed", "has mode 0644: others may use it."],
  ["its group may", () => file("group", key, 0o640), "key-exposed", "has mode 0640: others may use it."],
  ["it is not there", () => join(folder, "nowhere"), "key-missing", "is not there."],
  ["it holds something else", () => file("words", "correct horse battery staple"), "bad-key", "is no private key."],
  ["it is zero", () => file("zero", "0".repeat(64)), "bad-key", "is no private key."],
  ["it is longer than a key", () => file("long", `${key}${key}`), "bad-key", "is no private key."],
  [
    "it is another's key",
    () => file("other", "11".repeat(32)),
    "bad-key",
    `and not of ${address.toLowerCase()}, its address.`,
  ],
];
for (const [what, path, code, message] of wrong)
  test(`${what}: that is said, and no key is`, async () => {
    const problem = await read({ keyFile: path() }).catch((error: Problem) => error);
    expect([(problem as Problem).code, (problem as Problem).message]).toEqual([code, expect.stringContaining(message)]);
    expect(`${(problem as Problem).message} ${(problem as Problem).hint}`).not.toMatch(/[0-9a-f]{64}|horse/i);
  });

test("a link leads to the file that is looked at; a directory is no file", async () => {
  const [link, open] = [join(folder, "link"), join(folder, "link to open")];
  symlinkSync(file("linked"), link);
  symlinkSync(file("linked open", key, 0o644), open);
  const directory = join(folder, "directory");
  mkdirSync(directory, { mode: 0o600 });
  expect(await read({ keyFile: link })).toBe(`0x${key}`);
  await expect(read({ keyFile: open })).rejects.toMatchObject({ code: "key-exposed" });
  await expect(read({ keyFile: directory })).rejects.toMatchObject({
    code: "key-missing",
    message: expect.stringContaining("is no file."),
  });
});

test("without a file it is read from CHARTER_CHAIN_KEY, which is gone from this process's environment then", async () => {
  process.env.CHARTER_CHAIN_KEY = key;
  expect(await readChainKey({ agent: "sol", address, env: process.env, addressOf })).toBe(`0x${key}`);
  expect(process.env.CHARTER_CHAIN_KEY).toBe(undefined);
  process.env.CHARTER_CHAIN_KEY = key;
  hideKeys({ chain: { env: "CHARTER_CHAIN_KEY" } });
  expect(process.env.CHARTER_CHAIN_KEY).toBe(undefined);
  expect(await readChainKey({ agent: "sol", address, env: process.env, addressOf })).toBe(`0x${key}`);
});

test("without either there is none", async () => {
  expect(await read({})).toBe(undefined);
});
