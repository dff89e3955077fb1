import { expect, test } from "vitest";
import { type Anything, charter, testMistakes, turn } from "../../test/mistakes.ts";
import * as doors from "../index.ts";

/** The door as plain JavaScript has it: no compiler stands before a mistake. */
const door: Anything = { ...doors };

const promise = Promise.resolve({});
const standing = { text: "Find books.", original: "Find books.", revision: 0 };
const proposal = { section: "goals", operation: { kind: "append", content: "More." }, actor: "agent" };
const rules = { guards: [] };
const context = {
  charter,
  ledger: doors.createMemoryLedger(),
  scope: { agent: "librarian" },
  rules: () => rules,
  now: () => turn.now,
  sha256: (text: string) => text,
};
const { amend, propose } = door;

testMistakes("amend", [
  [
    "standing words without the original",
    () => amend(charter, { text: "Find books.", revision: 0 }, proposal, rules),
    "bad-argument: The current text of a change is an object that does not fit.",
  ],
  ["nothing", () => amend(), "bad-argument: The proposal is missing."],
  [
    "no standing words",
    () => amend(charter, undefined, proposal, rules),
    "bad-argument: The current text of a change is missing.",
  ],
  [
    "standing words as a text",
    () => amend(charter, "Find books.", proposal, rules),
    "bad-argument: The current text of a change is a text.",
  ],
  ["no rules", () => amend(charter, standing, proposal), "bad-argument: The rules of a change are missing."],
  ["guards alone", () => amend(charter, standing, proposal, []), "bad-argument: The rules of a change are a list."],
  [
    "rules without guards",
    () => amend(charter, standing, proposal, {}),
    "bad-argument: The rules of a change are without guards.",
  ],
  [
    "rules that are not awaited",
    () => amend(charter, standing, proposal, promise),
    "bad-argument: The rules of a change are a promise.",
  ],
  ["no proposal", () => amend(charter, standing, undefined, rules), "bad-argument: The proposal is missing."],
  [
    "an operation that is none",
    () => amend(charter, standing, { ...proposal, operation: { kind: "delete" } }, rules),
    "bad-argument: The proposal has no operation that is known: “delete”.",
  ],
  [
    "an operation's name",
    () => amend(charter, standing, { ...proposal, operation: "append" }, rules),
    "bad-argument: The proposal has an operation that is a text.",
  ],
  [
    "an operation without content",
    () => amend(charter, standing, { ...proposal, operation: { kind: "append", text: "More." } }, rules),
    "bad-argument: The proposal has content that is missing.",
  ],
  [
    "no actor",
    () => amend(charter, standing, { ...proposal, actor: undefined }, rules),
    "bad-argument: The proposal has an actor that is missing.",
  ],
  [
    "a section that is not there",
    () => amend(charter, standing, { ...proposal, section: "gaols" }, rules),
    "unknown-section: The charter “librarian” has no section “gaols”.",
  ],
  [
    "usualGuards without readings",
    () => door.usualGuards(charter),
    "bad-argument: The readings that usualGuards was given are missing.",
  ],
  [
    "propose without a context",
    () => propose(undefined, proposal),
    "bad-argument: The context that propose was given is missing.",
  ],
  [
    "propose without rules",
    () => propose({ ...context, rules: undefined }, proposal),
    "bad-argument: The `rules` that propose was given are missing.",
  ],
  [
    "propose with rules that are no function",
    () => propose({ ...context, rules }, proposal),
    "bad-argument: The `rules` that propose was given are an object that does not fit.",
  ],
  [
    "propose with rules that give nothing",
    () => propose({ ...context, rules: () => undefined }, proposal),
    "bad-argument: The rules of a change are missing.",
  ],
  [
    "propose without a ledger",
    () => propose({ ...context, ledger: undefined }, proposal),
    "bad-argument: The `ledger` that propose was given is missing.",
  ],
  [
    "propose without a scope",
    () => propose({ ...context, scope: undefined }, proposal),
    "bad-argument: The `scope` that propose was given is missing.",
  ],
  [
    "propose with an agent's name as scope",
    () => propose({ ...context, scope: "librarian" }, proposal),
    "bad-argument: The `scope` that propose was given is a text.",
  ],
  [
    "propose without a clock",
    () => propose({ ...context, now: undefined }, proposal),
    "bad-argument: The `now` that propose was given is missing.",
  ],
  [
    "propose without sha256",
    () => propose({ ...context, sha256: undefined }, proposal),
    "bad-argument: The `sha256` that propose was given is missing.",
  ],
  ["propose without a proposal", () => propose(context), "bad-argument: The proposal is missing."],
  [
    "blame without words",
    () => door.blame(),
    "bad-argument: blame was given no words to begin with, or no amendments.",
  ],
  ["replay without a history", () => door.replay("a"), "bad-argument: replay was given no history, or no sha256."],
]);

test("the same, done right, is no mistake", async () => {
  expect(amend(charter, standing, proposal, rules)).toMatchObject({ verdict: "accepted" });
  expect(await propose(context, proposal)).toMatchObject({ verdict: "accepted" });
});
