import { expect, test } from "vitest";
import { hintsHere } from "./command-name.ts";
import { coreStatusLines, eventTime, memoryFacts, memoryLines, relayLines, relayText } from "./core-memory.ts";

const npub = "npub1ada";
const relay = "wss://a.example";
const report = {
  agent: "ada",
  status: "present",
  reason: null,
  text: "You are Ada.",
  revision: 3,
  npub,
  head: { id: "b", createdAt: 1_700_000_000, relay, author: npub },
  relays: [{ relay, status: "newest", head: { id: "b", createdAt: 1_700_000_000 }, lagSeconds: 0, reason: null }],
  waiting: [],
  conflicts: [],
  notices: [],
} as const;

test.for([
  [1_700_000_000, "2023-11-14 22:13:20"],
  [0, "1970-01-01 00:00:00"],
  [253_402_300_799, "9999-12-31 23:59:59"],
  [253_402_300_800, "253402300800 s"],
  [Number.MAX_SAFE_INTEGER, "9007199254740991 s"],
] as const)("an event's time may be any number of seconds: %d", ([seconds, text]) => {
  expect(eventTime(seconds)).toBe(text);
});

test.for([
  [1, "1 second"],
  [119, "1 minute"],
  [7200, "2 hours"],
  [86_400 * 3, "3 days"],
  [0, "0 seconds"],
] as const)("how far a relay is behind: %d s", ([lagSeconds, words]) => {
  const one = { relay, status: "behind", head: { id: "a", createdAt: 1 }, lagSeconds, reason: null } as const;
  expect(relayText(one)).toBe(`wss://a.example has an older one (by ${words})`);
});

test("where everything is well there is one line; what waits and what is wrong is told besides", () => {
  const first = "present: event b of 2023-11-14 22:13:20 UTC, from wss://a.example, by npub1ada, revision 3";
  expect(coreStatusLines(report)).toEqual([first]);
  const waiting = [{ id: "c", revision: 4, createdAt: 1, at: "", tries: 0, nextTryAt: null, missed: [] }];
  const notices = [{ code: "core-memory-lost", message: "Look:\nat this." }];
  expect(coreStatusLines({ ...report, waiting, notices })).toEqual([
    first,
    "notice: core-memory-lost: Look: at this.",
    hintsHere("Event c waits to be published: charter core publish --agent ada"),
  ]);
});

test("a relay's words draw on nobody's terminal", () => {
  const spoiled = { relay, status: "refused", head: null, lagSeconds: null, reason: "no\u001b[2J\nnever" } as const;
  const away = { ...report, status: "unavailable", reason: "x\ny", text: null, head: null, relays: [spoiled] } as const;
  expect(coreStatusLines(away)).toEqual(["unavailable: x y", "  wss://a.example refused: no [2J never"]);
  expect(relayLines(away)).toEqual([
    "relay            status   event  time (UTC)  behind  reason",
    "wss://a.example  refused  –      –           –       no [2J never",
    "No event of npub1ada was found.",
    "The core memory is unavailable: x y",
  ]);
});

test("a memory that was deleted is neither present nor empty", () => {
  const event = { id: "d", pubkey: "", created_at: 0, kind: 30174, tags: [], content: "", sig: "" };
  const head = { slug: "mem/x", text: null, event, relay };
  const facts = memoryFacts("mem/x", {
    status: "present",
    head,
    behind: [],
    relays: [{ relay, unusable: 0, head: { id: "d", createdAt: 0 } }],
  });
  expect(facts).toMatchObject({ slug: "mem/x", status: "deleted", text: null, head: { id: "d", createdAt: 0, relay } });
  expect(memoryLines(facts)).toEqual(["deleted: event d of 1970-01-01 00:00:00 UTC, from wss://a.example"]);
});
