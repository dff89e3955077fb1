import { expect, test } from "vitest";
import { outcomeFacts, type ReportableOutcome } from "./amend.ts";

const changed = { before: "a", after: "b", diff: "--- goals (before)\n+++ goals (after)\n@@ -1,1 +1,1 @@\n-a\n+b\n" };
const refusal = { guard: "room", because: "There is none." };
const refusals = [refusal];
const inert = [{ line: 1, what: "heading" }] as const;

const rows: [what: string, outcome: ReportableOutcome, facts: object][] = [
  [
    "accepted in a dry run, it names no revision: none was made",
    { verdict: "accepted", before: "a", after: "b", revision: 4 },
    { verdict: "accepted", refusals: [], ...changed },
  ],
  [
    "accepted and recorded, with the lines that stand inert",
    { verdict: "accepted", before: "a", after: "b", revision: 4, inert, amendment: {} },
    { verdict: "accepted", refusals: [], ...changed, revision: 4, inert },
  ],
  [
    "sent a second time under one key",
    { verdict: "accepted", before: "a", after: "b", revision: 4, amendment: {}, repeated: true },
    { verdict: "accepted", refusals: [], ...changed, revision: 4, repeated: true },
  ],
  [
    "unchanged, it names the revision that stands",
    { verdict: "unchanged", before: "a", after: "a", revision: 3 },
    { verdict: "unchanged", refusals: [], before: "a", after: "a", diff: "", revision: 3 },
  ],
  [
    "refused, nothing changed",
    { verdict: "refused", before: "a", proposed: "b", refusals },
    { verdict: "refused", refusals, before: "a", after: "a", diff: "" },
  ],
  [
    "held, it says under which name",
    { verdict: "held", before: "a", after: "b", refusals: [{ ...refusal, holds: true }], held: "h1" },
    { verdict: "held", refusals, ...changed, held: "h1" },
  ],
];
for (const [what, outcome, facts] of rows)
  test(`an outcome as facts, ${what}`, () => expect(outcomeFacts(outcome, "goals")).toStrictEqual(facts));
