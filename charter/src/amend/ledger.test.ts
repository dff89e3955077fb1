import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Charter } from "../prompt/charter.ts";
import type { Proposal } from "./amend.ts";
import { type Amendment, createAmendment } from "./amendment.ts";
import { allowedHand, staleRevision } from "./guards/permission.ts";
import { createMemoryLedger, type LedgerContext, type MemoryLedger, propose, replay } from "./ledger.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const charter: Charter = {
  name: "test",
  layers: [
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", original: "Grow." }],
    },
  ],
};
type MemoryDesk = LedgerContext & { readonly ledger: MemoryLedger };
const context = (over: Partial<MemoryDesk> = {}): MemoryDesk => ({
  charter,
  ledger: createMemoryLedger(),
  scope: { agent: "ada" },
  rules: () => ({ guards: [allowedHand, staleRevision] }),
  now: () => "2026-02-18T00:00:00.000Z",
  sha256,
  ...over,
});
const rewrite = (content: string, more: Partial<Proposal> = {}): Proposal => ({
  section: "goals",
  operation: { kind: "rewrite", content },
  actor: "agent",
  ...more,
});

test("an amendment is recorded whole, with the digest of the one before it", async () => {
  const at = context();
  await propose(at, rewrite("One.", { reason: "to learn", turn: "t1" }));
  await propose(at, rewrite("Two."));
  const [first, second] = (await at.ledger.history({ agent: "ada" }, "goals")) as [Amendment, Amendment];
  expect(first).toEqual({
    scope: { agent: "ada" },
    section: "goals",
    revision: 1,
    operation: "rewrite",
    actor: "agent",
    turn: "t1",
    at: "2026-02-18T00:00:00.000Z",
    reason: "to learn",
    before: "Grow.",
    after: "One.",
    previous: sha256("Grow."),
    digest: first.digest,
  });
  expect([second.before, second.after, second.revision, second.previous]).toEqual(["One.", "Two.", 2, first.digest]);
});

test("undo is a new revision", async () => {
  const at = context();
  for (const words of ["One.", "Two."]) await propose(at, rewrite(words));
  await propose(at, { section: "goals", operation: { kind: "revert", to: 1 }, actor: "agent" });
  await propose(at, { section: "goals", operation: { kind: "reset" }, actor: "agent" });
  const history = await at.ledger.history(at.scope, "goals");
  expect(history.map(({ revision, operation, after }) => [revision, operation, after])).toEqual([
    [1, "rewrite", "One."],
    [2, "rewrite", "Two."],
    [3, "revert", "One."],
    [4, "reset", "Grow."],
  ]);
});

test("of many proposals against one revision exactly one wins", async () => {
  const at = context();
  const verdicts = await Promise.all(
    Array.from({ length: 20 }, (_, index) => propose(at, rewrite(`${index}`, { revision: 0 }))),
  );
  expect(verdicts.filter(({ verdict }) => verdict === "accepted").length).toBe(1);
  const guards = verdicts.flatMap((one) => (one.verdict === "refused" ? one.refusals.map(({ guard }) => guard) : []));
  expect(guards).toEqual(Array.from({ length: 19 }, () => "stale-revision"));
  expect((await at.ledger.history(at.scope, "goals")).length).toBe(1);
});

test("refused means nothing changed", async () => {
  const at = context();
  expect(await propose(at, rewrite("x", { actor: "user" }))).toEqual({
    verdict: "refused",
    before: "Grow.",
    proposed: "x",
    refusals: [{ guard: "allowed-hand", because: "“goals” may be changed by agent, not by the user." }],
  });
  expect(await at.ledger.history(at.scope, "goals")).toEqual([]);
});

test("each scope has its own copy", async () => {
  const ledger = createMemoryLedger();
  await propose(context({ ledger, scope: { agent: "ada", user: "eve" } }), rewrite("For Eve."));
  expect(await ledger.history({ agent: "ada", user: "bob" }, "goals")).toEqual([]);
  expect(await ledger.history({ agent: "ada" }, "goals")).toEqual([]);
});

test("the ledger takes an amendment only as the next of its chain", async () => {
  const at = context();
  const { amendment } = await propose(at, rewrite("One."));
  const next = { ...(amendment as Amendment), revision: 2 };
  expect(await at.ledger.append(amendment as Amendment)).toBe(false);
  expect(await at.ledger.append({ ...next, previous: "0".repeat(64) })).toBe(false);
  expect(await at.ledger.append({ ...next, revision: 3 })).toBe(false);
  expect(await at.ledger.append({ ...next, revision: 3, previous: next.digest })).toBe(false);
  expect(await at.ledger.textAt({ agent: "ada" }, "goals", 2)).toBeUndefined();
  expect(await at.ledger.textAt({ agent: "bob" }, "goals", 1)).toBeUndefined();
});

test("to go back to the original is always possible, to a revision that never was it is not", async () => {
  const at = context();
  await propose(at, rewrite("One."));
  const revert = (to: number) => propose(at, { section: "goals", operation: { kind: "revert", to }, actor: "agent" });
  expect(await revert(9)).toMatchObject({
    refusals: [{ because: "not-found: There is no revision 9 to go back to." }],
  });
  expect(await revert(0)).toMatchObject({ verdict: "accepted", after: "Grow.", revision: 2 });
});

const chain = async () => {
  const at = context();
  for (const words of ["One.", "Two.", "Three."]) await propose(at, rewrite(words));
  return at.ledger.history(at.scope, "goals");
};
const tampers: [what: string, (rows: Amendment[]) => Amendment[], replayed: object][] = [
  ["untouched", (rows) => rows, { text: "Three.", revision: 3 }],
  [
    "a row edited",
    ([a, b, c]) => [a, { ...b, after: "Evil." }, c] as Amendment[],
    { text: "One.", revision: 1, fault: { revision: 2, what: "edited" } },
  ],
  [
    "a row missing",
    ([a, , c]) => [a, c] as Amendment[],
    { text: "One.", revision: 1, fault: { revision: 2, what: "missing" } },
  ],
  [
    "a row that follows from another, sealed anew",
    ([a, b, c]) => [a, createAmendment({ ...(b as Amendment), previous: "p" }, sha256), c] as Amendment[],
    { text: "One.", revision: 1, fault: { revision: 2, what: "edited" } },
  ],
  [
    "a row with other words before it, sealed anew",
    ([a, b, c]) => [a, createAmendment({ ...(b as Amendment), before: "Other." }, sha256), c] as Amendment[],
    { text: "One.", revision: 1, fault: { revision: 2, what: "edited" } },
  ],
  [
    "a row twice",
    ([a, b, c]) => [a, a, b, c] as Amendment[],
    { text: "One.", revision: 1, fault: { revision: 2, what: "reordered" } },
  ],
  [
    "rows reordered",
    ([a, b, c]) => [b, a, c] as Amendment[],
    { text: "Grow.", revision: 0, fault: { revision: 1, what: "reordered" } },
  ],
  ["the last row missing", ([a, b]) => [a, b] as Amendment[], { text: "Two.", revision: 2 }],
];
for (const [what, tamper, replayed] of tampers)
  test(`a history replayed, ${what}`, async () => {
    expect(replay("Grow.", tamper([...(await chain())]), sha256)).toEqual(replayed);
  });

test("an original that was changed under a history is found", async () => {
  expect(replay("Other.", await chain(), sha256)).toEqual({
    text: "Other.",
    revision: 0,
    fault: { revision: 1, what: "edited" },
  });
});

test("where an earlier revision stands, whoever read it has read what there is, and the chain goes on from its end", async () => {
  const appended: Amendment[] = [];
  const ledger = {
    ...createMemoryLedger(),
    newest: async () => ({ revision: 3, digest: "d3", text: "One.", stands: 1 }),
    append: async (amendment: Amendment) => appended.push(amendment) > 0,
  };
  const refused = await propose(context({ ledger }), rewrite("Two.", { revision: 2 }));
  expect(refused).toMatchObject({ verdict: "refused", refusals: [{ guard: "stale-revision" }] });
  const accepted = await propose(context({ ledger, idempotencyKey: "k1" }), rewrite("One.", { revision: 1 }));
  expect(accepted).toMatchObject({ verdict: "accepted", before: "One.", after: "One.", revision: 4 });
  expect(appended.map(({ revision, previous, key }) => [revision, previous, key])).toEqual([[4, "d3", "k1"]]);
});
