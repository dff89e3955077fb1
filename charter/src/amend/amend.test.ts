import { expect, test } from "vitest";
import { type Charter, defineCharter } from "../prompt/charter.ts";
import type { Actor, Mutability } from "../prompt/section.ts";
import { amend, type Rules, type StandingText } from "./amend.ts";
import { quietTurn } from "./guard.ts";
import { needsApproval } from "./guards/needs-approval.ts";
import { allowedHand, frozen, staleRevision, turnQuota } from "./guards/permission.ts";
import type { Operation } from "./operation.ts";

const original = "## Goals\n1. Grow\n\n## Habits\nRead.";
const charter: Charter = defineCharter({
  name: "house",
  layers: [
    { name: "own", mutability: { amendableBy: ["agent"], scope: "agent" }, sections: [{ name: "prompt", original }] },
  ],
});
const standing: StandingText = { text: original, original, revision: 3 };
const rules: Rules = { guards: [allowedHand, staleRevision, needsApproval] };
const same: Operation = { kind: "rewrite", content: original };
const unchanged = { verdict: "unchanged", before: original, after: original, revision: 3 };

const judge = (operation: Operation, more: object = {}, by: Rules = rules, turn: object = {}, now = standing) =>
  amend(charter, now, { section: "prompt", operation, actor: "agent", ...more }, by, { ...quietTurn, ...turn });

const operations: [what: string, operation: Operation, by?: Rules][] = [
  ["rewrite", same],
  ["reset", { kind: "reset" }],
  ["revert", { kind: "revert", to: 3 }],
  ["replace_section", { kind: "replace_section", marker: "## Goals", content: "1. Grow" }],
  ["append", { kind: "append", content: " " }, { ...rules, normalise: (text) => text.trim() }],
];
for (const [what, operation, by] of operations)
  test(`${what} to the words that stand is unchanged, whichever revision is said to have been read`, () => {
    expect(judge(operation, {}, by)).toEqual(unchanged);
    expect(judge(operation, { revision: 3 }, by)).toEqual(unchanged);
  });

test("what changes nothing needs no person's approval", () => {
  expect(judge(same, {}, rules, { tainted: true })).toEqual(unchanged);
});

test("what a charter says the operator approves is held whichever guards there are, unless it is the operator's own", () => {
  const mutability = { amendableBy: ["agent", "operator"], scope: "agent", approvedBy: "operator" } as const;
  const house = defineCharter({
    name: "house",
    layers: [{ name: "own", mutability, sections: [{ name: "prompt", original }] }],
  });
  const rewrite = (actor: "agent" | "operator", by: Rules) =>
    amend(house, standing, { section: "prompt", operation: { kind: "rewrite", content: "Grow." }, actor }, by);
  const because = "The operator approves every change of “prompt” by others.";
  expect(rewrite("agent", { guards: [] })).toEqual({
    verdict: "held",
    before: original,
    after: "Grow.",
    refusals: [{ guard: "approved-by", because, holds: true }],
  });
  const accepted = { verdict: "accepted", before: original, after: "Grow.", revision: 4 };
  expect(rewrite("operator", { guards: [] })).toEqual(accepted);
  expect(rewrite("agent", { guards: [], approved: "operator" })).toEqual(accepted);
  expect(rewrite("agent", { guards: [], approved: "user" })).toMatchObject({ verdict: "held" });
});

test("what an agent changes after it read others' text is held whichever guards there are", () => {
  const grow = { section: "prompt", operation: { kind: "rewrite", content: "Grow." }, actor: "agent" } as const;
  const mutability: Mutability = { amendableBy: ["agent"], scope: "user" };
  const house = defineCharter({
    name: "house",
    layers: [{ name: "own", mutability, sections: [{ name: "prompt", original }] }],
  });
  const judged = (more: object = {}) =>
    amend(house, standing, grow, { guards: [], ...more }, { ...quietTurn, tainted: true });
  expect(judged()).toMatchObject({ verdict: "held", refusals: [{ guard: "needs-approval" }] });
  expect(judged({ approved: "user" })).toMatchObject({ verdict: "accepted" });
});

const reaching: [what: string, actor: Actor, user: string | undefined, more: object, others?: string][] = [
  ["an agent's change in a user's turn", "agent", "mia", {}, ", not only “mia”"],
  ["a user's own change", "user", "mia", {}, ", not only “mia”"],
  ["a user's own change, whoever that is", "user", undefined, {}, ""],
  ["an agent's change in nobody's turn", "agent", undefined, {}],
  ["the operator's change in a user's turn", "operator", "mia", {}],
  ["a change of text that each user has", "agent", "mia", { scope: "user" }],
  ["a change of text that nobody approves", "agent", "mia", { approvedBy: "nobody" }],
];
for (const [what, actor, user, more, others] of reaching)
  test(`${what} is ${others === undefined ? "made" : "held for the operator, and says who reads it"}`, () => {
    const mutability: Mutability = { amendableBy: ["agent", "user", "operator"], scope: "agent", ...more };
    const sections = [{ name: "prompt", original }];
    const house = defineCharter({ name: "house", layers: [{ name: "own", mutability, sections }] });
    const judged = (approved?: Rules["approved"], turn: object = {}) =>
      amend(
        house,
        standing,
        { section: "prompt", operation: { kind: "rewrite", content: "Grow." }, actor },
        { ...rules, ...(approved && { approved }) },
        { ...quietTurn, ...(user === undefined ? {} : { user }), ...turn },
      );
    const accepted = { verdict: "accepted", before: original, after: "Grow.", revision: 4 };
    const because = `All users of the agent read “prompt”${others}: the operator approves this change.`;
    const refusals = [{ guard: "reaches-others", because, holds: true }];
    const held = { verdict: "held", before: original, after: "Grow.", refusals };
    expect(judged()).toEqual(others === undefined ? accepted : held);
    // A user answers what asks for a person, and not what asks for the operator.
    expect(judged("user", { tainted: true })).toEqual(others === undefined ? accepted : held);
    expect(judged("operator", { tainted: true })).toEqual(accepted);
  });

const refused: [guard: string, more: object, by: Rules][] = [
  ["allowed-hand", { actor: "user" }, rules],
  ["stale-revision", { revision: 2 }, rules],
  ["frozen", {}, { guards: [frozen("ada", "amendments")] }],
  ["turn-quota", {}, { guards: [turnQuota(1)] }],
];
for (const [guard, more, by] of refused)
  test(`${guard} refuses what it would refuse, also where nothing would change`, () => {
    expect(judge(same, more, by, { amendments: 1 })).toMatchObject({ verdict: "refused", refusals: [{ guard }] });
  });

test("where an earlier revision stands because the newest cannot be used, the same words are a revision", () => {
  const earlier = { ...standing, stands: 2 };
  expect(judge(same, {}, rules, {}, earlier)).toEqual({ ...unchanged, verdict: "accepted", revision: 4 });
});

test("an operation that cannot be applied is refused beside what the guards say, and proposes nothing", () => {
  const nowhere = { kind: "replace_section", marker: "## Wishes", content: "x" } as const;
  expect(judge(nowhere, { actor: "user" })).toEqual({
    verdict: "refused",
    before: original,
    refusals: [
      {
        guard: "passage",
        because: "not-found: There is no heading “## Wishes”. There are: “## Goals” (line 1), “## Habits” (line 4).",
      },
      { guard: "allowed-hand", because: "“prompt” may be changed by agent, not by the user." },
    ],
  });
});

test("who keeps no earlier words can go back to the original and to what stands, and to nothing else", () => {
  const now = { ...standing, text: "Now." };
  const revert = (to: number) => judge({ kind: "revert", to }, {}, rules, {}, now);
  expect(revert(0)).toEqual({ verdict: "accepted", before: "Now.", after: original, revision: 4 });
  expect(revert(3)).toEqual({ ...unchanged, before: "Now.", after: "Now." });
  expect(revert(2)).toEqual({
    verdict: "refused",
    before: "Now.",
    refusals: [{ guard: "revision", because: "not-found: There is no revision 2 to go back to." }],
  });
});

test("words are normalised before they are looked at; an original never is", () => {
  const loud: Rules = { ...rules, normalise: (text) => text.toUpperCase() };
  expect(judge({ kind: "rewrite", content: "grow" }, {}, loud)).toMatchObject({ after: "GROW" });
  expect(judge({ kind: "reset" }, {}, loud, {}, { ...standing, text: "x" })).toMatchObject({ after: original });
});

test("words go after the protected opening", () => {
  const after = judge({ kind: "prepend", content: "First." }, {}, { ...rules, opening: 8 });
  expect(after).toMatchObject({ after: "## Goals\nFirst.\n1. Grow\n\n## Habits\nRead." });
});

test("accepted words that some reader could take for structure are named", () => {
  const two = defineCharter({
    name: "two",
    layers: [
      {
        name: "own",
        mutability: { amendableBy: ["agent"], scope: "agent" },
        sections: [{ name: "prompt", heading: "## Prompt", original }],
      },
    ],
  });
  const operation = { kind: "rewrite", content: "#Grow" } as const;
  expect(amend(two, standing, { section: "prompt", operation, actor: "agent" }, { guards: [] })).toEqual({
    verdict: "accepted",
    before: original,
    after: "#Grow",
    revision: 4,
    inert: [{ line: 1, what: "heading" }],
  });
});
