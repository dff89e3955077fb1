import { expect, test } from "vitest";
import { fateOf } from "./endurance-check.ts";

test("what would be lost, doubled or unexplained is noticed", () => {
  const failure = { at: "", turn: null, because: "The turn ended without a reply to it." };
  const known = (status: string, state: string, failures: readonly unknown[] = [], tries = 3) =>
    ({ message: { id: "m1", status, failures, tries }, chain: { state } }) as unknown as Parameters<typeof fateOf>[1];
  const [there, gone] = [
    { included: true, body: "Hello" },
    { included: false, body: "Hello" },
  ];
  const reply = { body: "Reply to m1." };
  expect([
    fateOf(there, known("answered", "included"), [reply]),
    fateOf(gone, known("answered", "orphaned"), []),
    fateOf(gone, known("withdrawn", "orphaned"), []),
    fateOf(gone, undefined, []),
    fateOf(there, known("dead", "included", [failure, failure, failure]), []),
    fateOf({ ...there, body: Buffer.from([255]) }, known("dead", "included", [failure], 0), []),
    fateOf(there, undefined, []),
    fateOf(there, known("answered", "included"), []),
    fateOf(there, known("answered", "included"), [reply, reply]),
    fateOf(there, known("answered", "included"), [{ body: "Reply to m2." }]),
    fateOf(there, known("answered", "orphaned"), [reply]),
    fateOf(there, known("waiting", "included"), []),
    fateOf(there, known("withdrawn", "included"), []),
    fateOf(there, known("dead", "included", [failure]), []),
    fateOf(there, known("dead", "included", [failure, failure, failure], 2), []),
  ]).toEqual([
    ...["answered", "orphaned", "withdrawn", "unread", "dead", "dead"],
    "is on the chain and no message",
    "has 0 replies on the chain",
    "has 2 replies on the chain",
    "got “Reply to m2.”",
    "is orphaned here, and not there",
    "is waiting for ever",
    "is withdrawn, and on the chain",
    "is dead after 3 tries with 1 reasons",
    "is dead after 2 tries with 3 reasons",
  ]);
});
