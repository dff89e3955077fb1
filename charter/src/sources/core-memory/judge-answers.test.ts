import { describe, expect, test } from "vitest";
import { watched } from "../../../test/sources/core-memory/watched.ts";
import { createMemoryKey, loadNostr } from "./memory-key.ts";
import { judgeAnswers, judgeListing } from "./read-memory.ts";
import type { RelayAnswer, RelayTrouble } from "./relay.ts";

const nostr = await loadNostr();
const owner = nostr.publicKey(new Uint8Array(32).fill(2));
const key = createMemoryKey(nostr, new Uint8Array(32).fill(1), owner);
const other = createMemoryKey(nostr, new Uint8Array(32).fill(3), owner);

const old = key.makeEvent({ slug: "core", text: "I was Ada.", createdAt: 100 });
const core = key.makeEvent({ slug: "core", text: "I am Ada.", createdAt: 200 });
const spoiled = key.sign({ ...core, created_at: 300, content: "" });
const foreign = other.makeEvent({ slug: "core", text: "I am Eve.", createdAt: 900 });

const answer = (relay: string, events: readonly unknown[], kind?: RelayTrouble): RelayAnswer => ({
  relay,
  events,
  ...(kind && { trouble: { kind, reason: "in its own words" } }),
});
const judge = (...answers: RelayAnswer[]) => {
  const { relays, ...finding } = judgeAnswers(answers, key, "core");
  expect(relays.map(({ relay }) => relay)).toEqual(answers.map(({ relay }) => relay));
  return finding;
};
const unavailable = (reason: string, blank = false, signed = false) => ({
  status: "unavailable",
  reason,
  signed,
  blank,
});
const wasAda = (relay: string) => ({ slug: "core", text: "I was Ada.", event: old, relay });
const present = (relay: string, ...behind: object[]) => ({
  status: "present",
  head: { slug: "core", text: "I am Ada.", event: core, relay },
  behind,
});

describe("present, empty or unavailable", () => {
  test.each<[string, RelayAnswer[], unknown]>([
    ["one relay has it", [answer("a", [core])], present("a")],
    ["the newest of all stands", [answer("a", [old]), answer("b", [old, core])], present("b", wasAda("a"))],
    [
      "what relays have in its place is told once",
      [answer("a", [old], "late"), answer("b", [old]), answer("c", [core])],
      present("c", wasAda("a")),
    ],
    ["the first that has it is named", [answer("a", [old, core]), answer("b", [core])], present("a")],
    [
      "what others lack or spoil does not matter",
      [answer("a", [spoiled, foreign, 7]), answer("b", [], "late"), answer("c", [core])],
      present("c"),
    ],
    ["one that did not finish has it", [answer("a", [core], "closed")], present("a")],
    ["all finished with nothing", [answer("a", []), answer("b", [])], { status: "empty" }],
    [
      "one cannot be reached, and may be the one that has it",
      [answer("a", [], "unreachable"), answer("b", [])],
      unavailable("a could not be reached", true),
    ],
    [
      "none can be reached",
      [answer("a", [], "unreachable"), answer("b", [], "unreachable")],
      unavailable("a could not be reached; b could not be reached"),
    ],
    ["there is none", [], unavailable("no relay is known")],
    ["one is late", [answer("a", []), answer("b", [], "late")], unavailable("b did not finish in time", true)],
    [
      "one wants somebody else",
      [answer("a", []), answer("b", [], "refused")],
      unavailable("b refused to answer", true),
    ],
    [
      "one closes early",
      [answer("a", []), answer("b", [], "closed")],
      unavailable("b closed before it had finished", true),
    ],
    [
      "one gives only a part",
      [answer("a", []), answer("b", [], "cut")],
      unavailable("b did not give all it has", true),
    ],
    [
      "one talks nonsense",
      [answer("a", []), answer("b", [], "nonsense")],
      unavailable("b gave an answer that makes no sense", true),
    ],
    [
      "another's event",
      [answer("a", []), answer("b", [foreign])],
      unavailable("b gave an event that cannot be used: it is another author's", true),
    ],
    ["junk", [answer("a", [null, "x"])], unavailable("a gave 2 events, and the first cannot be used: it is no event")],
    [
      "junk from one that cannot be reached",
      [answer("a", []), answer("b", [7], "unreachable")],
      unavailable("b gave an event that cannot be used: it is no event", true),
    ],
    [
      "one's own event that cannot be used",
      [answer("a", [foreign, spoiled])],
      unavailable("a gave 2 events, and the first cannot be used: it is another author's", false, true),
    ],
  ])("%s", (_what, answers, finding) => {
    expect(judge(...answers)).toEqual(finding);
  });
});

test("each relay's own head, trouble and faults are reported", () => {
  const answers = [answer("a", [old, spoiled, 7], "cut"), answer("b", [core, old]), answer("c", [])];
  expect(judgeAnswers(answers, key, "core").relays).toEqual([
    {
      relay: "a",
      trouble: { kind: "cut", reason: "in its own words" },
      head: { id: old.id, createdAt: 100 },
      unusable: 2,
      fault: "its content is of a size that no memory has",
    },
    { relay: "b", head: { id: core.id, createdAt: 200 }, unusable: 0 },
    { relay: "c", unusable: 0 },
  ]);
});

test("an event that several relays give is verified and decrypted once; one that only claims its id is looked at", () => {
  const { key: asked, calls } = watched(key);
  const copy = (more = {}) => JSON.parse(JSON.stringify({ ...more, ...core })) as unknown;
  const forged = { ...core, content: old.content };
  const { relays } = judgeAnswers(
    [answer("a", [copy()]), answer("b", [copy({ seen: 1 }), forged, copy({ seen: 2 })])],
    asked,
    "core",
  );
  expect(calls).toEqual(["verify", "open", "verify"]);
  expect(relays.map(({ unusable, fault }) => [unusable, fault])).toEqual([
    [0, undefined],
    [1, "its signature is wrong"],
  ]);
});

test("a relay full of forgeries is not listened to for long, and what others have is read", () => {
  const { key: asked, calls } = watched(key);
  const forgeries = Array.from({ length: 500 }, (_, at) => ({ ...core, created_at: 1000 + at }));
  const finding = judgeAnswers([answer("a", [...forgeries, old]), answer("b", [core])], asked, "core");
  expect(finding).toMatchObject(present("b"));
  expect(finding.relays[0]).toEqual({ relay: "a", unusable: 501, fault: "its signature is wrong" });
  expect(calls).toEqual([...Array(20).fill("verify"), "verify", "open"]);
});

test("a list has the head of each slug, deleted ones too, and nobody else's", () => {
  const memory = (slug: string, text: string | null, createdAt: number) => key.makeEvent({ slug, text, createdAt });
  const [first, second, deleted] = [memory("mem/b", "1", 1), memory("mem/b", "2", 2), memory("mem/a", null, 5)];
  const answers = [answer("x", [second, core, deleted, foreign]), answer("y", [first, memory("mem/a", "was", 4), old])];
  const { heads, relays } = judgeListing(answers, key);
  expect(heads).toEqual([
    { slug: "core", text: "I am Ada.", event: core, relay: "x" },
    { slug: "mem/a", text: null, event: deleted, relay: "x" },
    { slug: "mem/b", text: "2", event: second, relay: "x" },
  ]);
  expect(relays.map(({ unusable, fault }) => [unusable, fault])).toEqual([
    [1, "it is another author's"],
    [0, undefined],
  ]);
});
