import { expect, test } from "vitest";
import { relayStanding } from "./core-memory.ts";

const relay = "wss://a.example";
const newest = { id: "b", created_at: 100 };
const trouble = { kind: "late", reason: "It did not answer within 3 seconds." } as const;

test.for([
  ["it has the newest", { relay, unusable: 0, head: { id: "b", createdAt: 100 } }, newest, "newest", 0, null],
  ["it has an older one", { relay, unusable: 0, head: { id: "a", createdAt: 40 } }, newest, "behind", 60, null],
  [
    "it has another of the same second, which does not stand",
    { relay, unusable: 0, head: { id: "c", createdAt: 100 } },
    newest,
    "behind",
    0,
    null,
  ],
  ["it has none", { relay, unusable: 0 }, newest, "nothing", null, null],
  ["nobody has any", { relay, unusable: 0 }, undefined, "nothing", null, null],
  [
    "what it has cannot be used",
    { relay, unusable: 2, fault: "it is another author's" },
    newest,
    "unusable",
    null,
    "2 of its events cannot be used: it is another author's",
  ],
  [
    "some of what it has cannot be used",
    { relay, unusable: 1, fault: "it is not signed", head: { id: "b", createdAt: 100 } },
    newest,
    "newest",
    0,
    "1 of its events cannot be used: it is not signed",
  ],
  ["it did not finish", { relay, unusable: 0, trouble }, newest, "late", null, trouble.reason],
  [
    "it did not finish, but gave one",
    { relay, unusable: 0, trouble, head: { id: "a", createdAt: 90 } },
    newest,
    "late",
    10,
    trouble.reason,
  ],
] as const)("how a relay does: %s", ([, report, head, status, lagSeconds, reason]) => {
  const own = "head" in report ? report.head : null;
  expect(relayStanding(report, head)).toEqual({ relay, status, head: own, lagSeconds, reason });
});
