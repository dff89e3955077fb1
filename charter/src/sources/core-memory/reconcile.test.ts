import { describe, expect, test } from "vitest";
import { type KnownMemory, type Reconciliation, reconcile } from "./look-at-core.ts";
import type { Finding, MemoryHead } from "./read-memory.ts";

const now = 1000;
const nothing: KnownMemory = { seen: undefined, waiting: undefined, standing: { text: "", revision: 0 } };

function headOf(id: string, createdAt: number, text: string | null = "You are Eva."): MemoryHead {
  const event = { id, created_at: createdAt, pubkey: "a", kind: 30174, tags: [], content: "", sig: "" };
  return { slug: "core", text, event, relay: "wss://one" };
}
const found = (head: MemoryHead): Finding => ({ status: "present", head, behind: [], relays: [] });
const none: Finding = { status: "empty", relays: [] };
const away = (signed = false, blank = false): Finding => ({
  status: "unavailable",
  reason: "wss://one was late",
  signed,
  blank,
  relays: [],
});
const at = (finding: Finding, known: Partial<KnownMemory> = {}): Reconciliation =>
  reconcile(finding, { ...nothing, ...known }, now);
const eva = { text: "You are Eva.", revision: 3 };
const ours = { text: "You are Eva, and like trains.", revision: 4 };

describe("nothing was ever seen", () => {
  test("relays that have nothing: it is empty", () => {
    expect(at(none)).toEqual({ status: "empty", notices: [] });
  });

  test("one relay has nothing and another is away: an operator who knows that the key is new is told what to say", () => {
    const [notice, ...others] = at(away(false, true)).notices;
    expect([notice?.code, notice?.message, others]).toEqual([
      "core-memory-unconfirmed",
      expect.stringContaining(
        "but wss://one was late. If nothing was ever written with its key, say so: `charter core new`.",
      ),
      [],
    ]);
    expect(at(away(false, true), { seen: { id: "a", createdAt: 1 } }).notices).toEqual([]);
  });

  test("relays that cannot be asked: it is unavailable, and an event of its own is noted", () => {
    expect(at(away())).toEqual({ status: "unavailable", reason: "wss://one was late", notices: [] });
    expect(at(away(true))).toEqual({
      status: "unavailable",
      reason: "wss://one was late",
      notices: [],
      note: "unreadable",
    });
  });

  test("an event: its words stand, and are noted and adopted", () => {
    const head = headOf("b", 900);
    expect(at(found(head))).toEqual({
      status: "present",
      text: "You are Eva.",
      event: "b",
      relay: "wss://one",
      notices: [],
      note: head,
      adopt: "You are Eva.",
    });
  });

  test("an event without words: it is empty", () => {
    const head = headOf("b", 900, " \n");
    expect(at(found(head))).toEqual({ status: "empty", notices: [], note: head, adopt: " \n" });
  });

  test("words of other keys are on record, and the relays have none of these: nothing stands, and both ways are named", () => {
    const reason = "the relays have none for this key and owner, and revision 3 was written under others";
    const message = `The core memory was not used: ${reason}. If key and owner are right, bring the words along with \`charter core move\`, or begin anew with \`charter core new\`; if not, set them right with \`charter agents set\`.`;
    expect(at(none, { standing: eva, isElsewhere: true })).toEqual({
      status: "unavailable",
      reason,
      notices: [{ code: "core-memory-elsewhere", section: "core", message }],
    });
  });

  test("the operator said that it begins anew: they are replaced", () => {
    expect(at(none, { standing: eva })).toEqual({ status: "empty", notices: [], adopt: "" });
  });
});

describe("something was seen", () => {
  const seen = { id: "m", createdAt: 900 };
  const lost = (reason: string) => ({
    status: "unavailable",
    reason,
    notices: [
      {
        code: "core-memory-lost",
        section: "core",
        message: `The core memory was not used: ${reason}. A relay may have lost it: see \`charter core relays\`; \`charter core publish\` gives it back.`,
      },
    ],
  });

  test("nothing is an outage then", () => {
    expect(at(none, { seen, standing: eva })).toEqual(lost("the relays have none, though there was one (event m)"));
    expect(at(none, { seen: { id: null, createdAt: 0 } })).toEqual(lost("the relays have none, though there was one"));
  });

  test("something older is one, too; of two at the same second, the one with the higher id", () => {
    for (const older of [headOf("a", 899), headOf("z", 900)])
      expect(at(found(older), { seen, standing: eva })).toEqual(
        lost(`the newest the relays have, ${older.event.id}, is older than one that was seen (event m)`),
      );
  });

  test("the same: nothing is to be noted", () => {
    expect(at(found(headOf("m", 900)), { seen, standing: eva })).toEqual({
      status: "present",
      text: "You are Eva.",
      event: "m",
      relay: "wss://one",
      notices: [],
    });
  });

  test("something newer is noted and adopted", () => {
    for (const newer of [headOf("z", 901, "You are Ada."), headOf("a", 900, "You are Ada.")])
      expect(at(found(newer), { seen, standing: eva })).toMatchObject({
        status: "present",
        text: "You are Ada.",
        note: newer,
        adopt: "You are Ada.",
      });
  });

  test("one that could not be read is followed by any that can", () => {
    expect(at(found(headOf("b", 1)), { seen: { id: null, createdAt: 0 } })).toMatchObject({ status: "present" });
  });
});

describe("an event of ours waits", () => {
  const waiting = { id: "w", createdAt: 950, text: ours.text };
  const seen = { id: "m", createdAt: 900 };

  test("what it says stands, while the relays have what was there before", () => {
    expect(at(found(headOf("m", 900)), { seen, waiting, standing: ours })).toEqual({
      status: "present",
      text: ours.text,
      event: "w",
      relay: undefined,
      notices: [],
    });
    expect(at(none, { waiting, standing: ours })).toEqual({
      status: "present",
      text: ours.text,
      event: "w",
      relay: undefined,
      notices: [],
    });
    const cleared = { ...waiting, text: "" };
    expect(at(none, { waiting: cleared, standing: { text: "", revision: 5 } })).toEqual({
      status: "empty",
      notices: [],
    });
  });

  test("what it says stands, whatever was current meanwhile: other keys were set up, or a process died", () => {
    for (const standing of [eva, { text: "", revision: 5 }])
      for (const [finding, known] of [[found(headOf("m", 900)), { seen }] as const, [none, {}] as const])
        expect(at(finding, { ...known, waiting, standing })).toEqual({
          status: "present",
          text: ours.text,
          event: "w",
          relay: undefined,
          notices: [],
          resume: ours.text,
        });
  });

  test("it has arrived: it is settled", () => {
    const head = headOf("w", 950, ours.text);
    expect(at(found(head), { seen, waiting, standing: ours })).toMatchObject({
      status: "present",
      text: ours.text,
      note: head,
      settle: "published",
    });
  });

  test("another's is newer: that one stands, and ours is settled as superseded", () => {
    const head = headOf("x", 960, "You are Ada.");
    expect(at(found(head), { seen, waiting, standing: ours })).toMatchObject({
      status: "present",
      text: "You are Ada.",
      note: head,
      adopt: "You are Ada.",
      settle: "superseded",
    });
  });

  test("another's is older than ours, and nobody has read it: its words are kept", () => {
    const head = headOf("x", 940, "You are Ada.");
    const what = at(found(head), { seen, waiting, standing: ours });
    expect(what).toEqual({
      status: "present",
      text: ours.text,
      event: "w",
      relay: undefined,
      notices: [],
      note: head,
      overtaken: head,
    });
  });

  test("relays that cannot be asked are an outage all the same", () => {
    expect(at(away(), { seen, waiting, standing: ours })).toMatchObject({ status: "unavailable" });
    expect(at(none, { seen, waiting, standing: ours })).toMatchObject({ status: "unavailable" });
  });
});

test("an event more than ten minutes ahead is told; its words stand", () => {
  const notice = (id: string, dated: string) => ({
    code: "clock-poisoned",
    section: "core",
    message: `The newest event of the core memory, ${id} on wss://one, is dated ${dated}, which is too far ahead: it cannot be changed until then.`,
  });
  expect(at(found(headOf("b", 1600))).notices).toEqual([]);
  expect(at(found(headOf("b", 1601)))).toMatchObject({
    status: "present",
    notices: [notice("b", "1970-01-01T00:26:41.000Z")],
  });
  expect(at(found(headOf("b", Number.MAX_SAFE_INTEGER))).notices).toEqual([notice("b", "beyond any calendar")]);
});
