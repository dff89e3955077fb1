import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { decode, npubEncode } from "nostr-tools/nip19";
import { generateSecretKey, getPublicKey } from "nostr-tools/pure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, createFolder, type Folder, quickNpx } from "./cli.ts";
import { startStrictRelay } from "./relays/strict-relay.ts";
import type { TestRelay } from "./relays/test-relay.ts";

/** The five lines of docs/resident.md in a real shell, with a real relay in place of the one they name. */

const page = readFileSync(resolve(import.meta.dirname, "../../docs/resident.md"), "utf8");
const [withNewKey = "", withKey = ""] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => found[1]);

let relay: TestRelay;
const folders: Folder[] = [];
beforeAll(async () => {
  relay = await startStrictRelay();
});
afterAll(async () => {
  for (const folder of folders) folder.remove();
  await relay.stop();
});

const owner = npubEncode(getPublicKey(generateSecretKey()));

async function run(block: string, nsec = ""): Promise<{ folder: Folder; stdout: string; stderr: string }> {
  const [folder, home] = [createFolder(), createFolder()];
  folders.push(folder, home);
  const words = block
    .replaceAll("wss://relay.example.org", relay.url)
    .replaceAll("npub1…", owner)
    .replaceAll("nsec1…", nsec);
  const PATH = [quickNpx(), process.env.PATH].join(delimiter);
  const env = { ...bareEnvironment(), HOME: home.path, NO_COLOR: "1", PATH };
  const running = promisify(execFile)("bash", ["-ec", `${words}`], { cwd: folder.path, env });
  running.child.stdin?.end();
  return { folder, ...(await running) };
}

test("five lines each, and the agent of the second is the one of the first", async () => {
  for (const block of [withNewKey, withKey]) expect(block.trim().split("\n")).toHaveLength(5);
  const first = await run(withNewKey);
  const nsec = first.folder.read(".charter/ada.key").trim();
  const author = getPublicKey((decode(nsec) as { data: Uint8Array }).data);
  expect((await relay.held()).map(({ kind, pubkey }) => [kind, pubkey])).toEqual([[30174, author]]);
  const { folder, stdout, stderr } = await run(withKey, nsec);
  expect(stdout.split("\n").at(-2)).toBe("You are Ada. You keep the books of a small shop.");
  expect(stderr).toMatch(/^present: event [0-9a-f]{64} of .* UTC, from ws:/m);
  for (const words of [first.stdout, first.stderr, stdout, stderr]) expect(words).not.toContain(nsec);
  expect(folder.names()).not.toContain(join(".charter", "ada.key"));
});
