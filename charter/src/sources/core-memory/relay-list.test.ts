import { expect, test } from "vitest";
import type { MemoryKey, NostrEvent } from "./memory-key.ts";
import { takeRelayList, writeRelaysOf } from "./read-memory.ts";

const agent = "a".repeat(64);

function listOf(createdAt: number, relays: string[][], more: Partial<NostrEvent> = {}): NostrEvent {
  const tags = relays.map((entry) => ["r", ...entry]);
  const id = createdAt.toString(16).padStart(64, "0");
  return { id, pubkey: agent, created_at: createdAt, kind: 10002, tags, content: "", sig: "b".repeat(128), ...more };
}

test("entries to write to, or for both, of relays that speak WebSocket; each once", () => {
  const entries = [
    ["wss://one"],
    ["wss://two", "write"],
    ["wss://three", "read"],
    ["https://four"],
    ["WSS://ONE:443/"],
    ["wss://user:pw@five"],
    ["nonsense"],
    [],
  ];
  expect(writeRelaysOf(listOf(1, entries))).toEqual(["wss://one", "wss://two"]);
});

test("only the agent's own lists are taken, the newest counts, and nobody is kept busy by forged ones", () => {
  let verified = 0;
  const key = {
    agent,
    verify: ({ content }: NostrEvent) => {
      verified += 1;
      return content !== "forged";
    },
  } as Partial<MemoryKey> as MemoryKey;
  const [old, newest] = [listOf(1, [["wss://old"]]), listOf(2, [["wss://new"]])];
  const other = listOf(9, [["wss://evil"]], { pubkey: "c".repeat(64) });
  const forged = Array.from({ length: 100 }, (_, index) => listOf(10 + index, [["wss://evil"]], { content: "forged" }));
  expect(takeRelayList([old, other, newest, "junk", ...forged], key)).toEqual({
    events: [other, "junk", ...forged],
    list: newest,
  });
  expect(verified).toBe(20);
});
