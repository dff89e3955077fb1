import { expect, test } from "vitest";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import type { RecordedPublication } from "../../store/publications/publications.ts";
import { withCoreEvents } from "./sections.ts";

const theirs = "ab".repeat(32);
const amendments = [
  { revision: 4, reason: `Written elsewhere, and replaced by a later change: event ${theirs} on wss://one.example.` },
  { revision: 3, reason: `Written elsewhere: event ${theirs} on wss://one.example.` },
  // Whoever gives such a reason has written it here all the same.
  { revision: 2, reason: `Written elsewhere: event ${theirs} on wss://one.example.` },
  { revision: 1, reason: null },
].map((one) => ({ ...one, scope: { agent: "eva" } }) as RecordedAmendment);

const sent = [
  { id: "cd".repeat(32), revision: 2, state: "superseded" },
  { id: "ef".repeat(32), revision: 7, state: "published" },
] as RecordedPublication[];

const publicationsOf = (all: readonly RecordedPublication[]) =>
  ({
    publications: { list: async ({ limit = 0, offset = 0 }) => all.slice(offset, offset + limit) },
  }) as unknown as Parameters<typeof withCoreEvents>[0];

test("each revision of a core memory has the event it went out with, or the one it was found as elsewhere", async () => {
  const found = await withCoreEvents(publicationsOf(sent), amendments);
  expect(found.map(({ revision, event }) => [revision, event])).toEqual([
    [4, { id: theirs, state: "elsewhere", relay: "wss://one.example" }],
    [3, { id: theirs, state: "elsewhere", relay: "wss://one.example" }],
    [2, { id: "cd".repeat(32), state: "superseded", relay: null }],
    [1, null],
  ]);
});

test("however many were sent since, it is found", async () => {
  const later = Array.from({ length: 2500 }, (_, index) => ({ ...sent[1], revision: 2600 - index }));
  const found = await withCoreEvents(publicationsOf([...(later as RecordedPublication[]), ...sent]), amendments);
  expect(found.map(({ event }) => event?.state)).toEqual(["elsewhere", "elsewhere", "superseded", undefined]);
});
