import { expect, test } from "vitest";
import { quietTurn } from "../../../src/amend/guard.ts";
import { type Guard, needsApproval, turnQuota } from "../../../src/index.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

const holding: Guard = () => ({ guard: "needs-approval", because: "Ask someone.", holds: true });

onEveryHome("proposals", (given) => {
  const standing = async (agent: string) => (await given.store.standings.read(charter, { agent })).goals;

  test("an accepted proposal is an amendment, recorded whole and chained to the one before", async () => {
    const agent = await given.agent();
    const { propose, history } = given.store;
    const first = await propose(deskOf({ scope: { agent } }), rewrite("One.", { reason: "to learn", turn: "t1" }));
    const at = given.clock.text();
    const amendment = {
      scope: { agent },
      section: "goals",
      revision: 1,
      operation: "rewrite",
      actor: "agent",
      turn: "t1",
      at,
      reason: "to learn",
      before: "Grow.",
      after: "One.",
      previous: expect.stringMatching(/^[0-9a-f]{64}$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(first).toEqual({ verdict: "accepted", before: "Grow.", after: "One.", revision: 1, amendment });
    const appended = { kind: "append", content: "Two." } as const;
    const second = await propose(deskOf({ scope: { agent } }), rewrite("", { operation: appended, actor: "user" }));
    expect(second.amendment).toEqual({
      ...amendment,
      revision: 2,
      operation: "append",
      actor: "user",
      turn: null,
      reason: null,
      before: "One.",
      after: "One.\nTwo.",
      previous: first.amendment?.digest,
    });
    expect(await standing(agent)).toEqual({ text: "One.\nTwo.", revision: 2 });
    const recorded = [second, first].map(({ amendment: one }) => ({ ...one, erasedAt: null }));
    expect(await history.listWhole({ agent }, "goals")).toEqual(recorded);
    expect(await history.list({ agent }, "goals")).toEqual(recorded.map(({ before: _, after: __, ...entry }) => entry));
    expect(await history.at({ agent }, "goals", 1)).toEqual(recorded[1]);
    expect(await history.at({ agent }, "goals", 3)).toBeUndefined();
    expect(await history.sections({ agent })).toEqual([{ section: "goals", revision: 2 }]);
  });

  test("the same words again are unchanged: no revision, no event, nothing of the turn's quota", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent }, rules: () => ({ guards: [turnQuota(1)] }) });
    const said = (words: string, more: object = {}) =>
      given.store.propose(context, rewrite(words, { turn: "t1", ...more }));
    expect(await said("Grow.")).toEqual({ verdict: "unchanged", before: "Grow.", after: "Grow.", revision: 0 });
    expect(await said("One.")).toMatchObject({ verdict: "accepted", revision: 1 });
    const again = { verdict: "unchanged", before: "One.", after: "One.", revision: 1 };
    expect(await said("One.", { turn: "t2" })).toEqual(again);
    expect(await said("", { turn: "t2", operation: { kind: "revert", to: 1 } })).toEqual(again);
    expect(await given.store.judge(context, rewrite("One."))).toEqual(again);
    expect(await said("Two.", { turn: "t2" })).toMatchObject({ verdict: "accepted", revision: 2 });
    expect((await given.store.history.list({ agent }, "goals")).map(({ revision }) => revision)).toEqual([2, 1]);
    expect(await given.store.events.list({ agent, kind: "amended" })).toHaveLength(2);
  });

  test("under a key, what was accepted is told again as accepted, and what was unchanged is judged anew", async () => {
    const agent = await given.agent();
    const keyed = (idempotencyKey: string) => deskOf({ scope: { agent }, idempotencyKey });
    const { propose } = given.store;
    expect(await propose(keyed("a"), rewrite("One."))).toMatchObject({ verdict: "accepted", revision: 1 });
    expect(await propose(keyed("a"), rewrite("One."))).toMatchObject({
      verdict: "accepted",
      revision: 1,
      repeated: true,
    });
    expect(await propose(keyed("b"), rewrite("One."))).toMatchObject({ verdict: "unchanged", revision: 1 });
    expect(await propose(keyed("c"), rewrite("Two."))).toMatchObject({ verdict: "accepted", revision: 2 });
    expect(await propose(keyed("b"), rewrite("One."))).toMatchObject({ verdict: "accepted", revision: 3 });
  });

  test("judging says what proposing then does, and keeps nothing", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    const held = deskOf({ scope: { agent }, rules: () => ({ guards: [holding] }) });
    const rows: [typeof context, ReturnType<typeof rewrite>][] = [
      [context, rewrite("One.")],
      [context, rewrite("Two.", { revision: 0 })],
      [context, rewrite("", { operation: { kind: "revert", to: 1 } })],
      [context, rewrite("", { operation: { kind: "revert", to: 9 } })],
      [held, rewrite("Three.")],
    ];
    for (const [by, proposal] of rows) {
      const before = await given.store.history.list({ agent }, "goals");
      const judged = await given.store.judge(by, proposal);
      expect(await given.store.history.list({ agent }, "goals")).toEqual(before);
      const { amendment: _, held: __, ...outcome } = await given.store.propose(by, proposal);
      expect(judged).toEqual(outcome);
    }
    await given.store.agents.freeze(agent, "amendments");
    expect(await given.store.judge(context, rewrite("Four."))).toMatchObject({ refusals: [{ guard: "frozen" }] });
    expect(await problemOf(given.store.judge(deskOf({ scope: { agent: "nobody" } }), rewrite("x")))).toMatch(
      /^unknown-agent: /,
    );
  });

  test("a refused proposal comes back with every objection, changes nothing and is an event", async () => {
    const agent = await given.agent();
    const { propose, history, events } = given.store;
    await propose(deskOf({ scope: { agent } }), rewrite("One."));
    const refused = await propose(
      deskOf({ scope: { agent } }),
      rewrite("a\u202eb", { actor: "operator", section: "law", revision: 3, turn: "t9" }),
    );
    const refusals = [
      { guard: "allowed-hand", because: "“law” is fixed: it cannot be changed while the agent runs." },
      {
        guard: "stale-revision",
        because: "“law” is at revision 0; the proposal was made against 3. Read it again.",
      },
      { guard: "well-formed", because: "“law” would hold the invisible character U+202E at 1." },
    ];
    const [hand, stale, formed] = refusals;
    const placed = [hand, stale, { ...formed, places: [{ at: 1, end: 2, line: 1 }] }];
    expect(refused).toEqual({ verdict: "refused", before: "", proposed: "a\u202eb", refusals: placed });
    expect(await history.list({ agent }, "law")).toEqual([]);
    const [event] = await events.list({ agent, kind: "amendment-refused" });
    expect(event).toEqual({
      id: expect.any(Number),
      scope: { agent },
      at: given.clock.text(),
      kind: "amendment-refused",
      turn: "t9",
      detail: { section: "law", operation: "rewrite", actor: "operator", refusals },
    });
  });

  test("of many proposals against one revision exactly one wins; the others get the words that stand", async () => {
    const agent = await given.agent();
    const stores = await given.three();
    const context = deskOf({ scope: { agent } });
    const verdicts = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        stores[index % 3]?.propose(context, rewrite(`${index}`, { revision: 0 })),
      ),
    );
    const won = verdicts.filter((one) => one?.verdict === "accepted");
    expect(won.map((one) => one?.amendment?.revision)).toEqual([1]);
    const text = won[0]?.amendment?.after;
    expect(await standing(agent)).toEqual({ text, revision: 1 });
    const because = "“goals” is at revision 1; the proposal was made against 0. Read it again.";
    for (const one of verdicts.filter((verdict) => verdict !== won[0]))
      expect(one).toMatchObject({
        verdict: "refused",
        before: text,
        refusals: [{ guard: "stale-revision", because }],
      });
  });

  test("a proposal that names no revision is made against what stands", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    const more = { kind: "append", content: "." } as const;
    await Promise.all(Array.from({ length: 10 }, () => given.store.propose(context, rewrite("", { operation: more }))));
    expect(await standing(agent)).toEqual({ text: `Grow.${"\n.".repeat(10)}`, revision: 10 });
  });

  test("under one key a proposal is one amendment, however often and from wherever it is sent", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const context = deskOf({ scope, idempotencyKey: "k1" });
    const wish = rewrite("Be brief.", { section: "wishes", actor: "user" });
    const other = await given.another();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? other : given.store).propose(context, wish)),
    );
    const first = all.find(({ repeated }) => !repeated);
    for (const one of all) expect(one).toEqual(one === first ? first : { ...first, repeated: true });
    expect((await given.store.history.list(scope, "wishes")).length).toBe(1);
    await given.store.propose(deskOf({ scope }), rewrite("Be long.", { section: "wishes", actor: "user" }));
    expect(await given.store.propose(context, wish)).toEqual({ ...first, repeated: true });
    const elsewhere = deskOf({ scope: { agent, user: "cy" }, idempotencyKey: "k1" });
    expect(await given.store.propose(elsewhere, wish)).toMatchObject({ verdict: "accepted", revision: 1 });
  });

  test("a key belongs to one proposal: for another section, operation or words it is a problem", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent }, idempotencyKey: "k" });
    await given.store.propose(context, rewrite("One."));
    const reused = "key-reused: The key “k” was used for another proposal (rewrite of “goals”).";
    const hint = "Give every proposal a key of its own.";
    expect(await problemOf(given.store.propose(context, { ...rewrite(""), operation: { kind: "reset" } }))).toBe(
      `${reused} ${hint}`,
    );
    expect(await problemOf(given.store.propose(context, rewrite("Two.", { section: "law" })))).toBe(
      `${reused} ${hint}`,
    );
    expect(await problemOf(given.store.propose(context, rewrite("Two.")))).toBe(`${reused} ${hint}`);
    expect(await standing(agent)).toEqual({ text: "One.", revision: 1 });
  });

  test("what was erased is not said to stand when its key comes again", async () => {
    const scope = await given.scope();
    const wish = rewrite("Be brief.", { section: "wishes", actor: "user" });
    await given.store.propose(deskOf({ scope, idempotencyKey: "k" }), wish);
    await given.store.erase(scope);
    const erasedAt = (await given.store.history.at(scope, "wishes", 1))?.erasedAt;
    expect(await problemOf(given.store.propose(deskOf({ scope, idempotencyKey: "k" }), wish))).toBe(
      `erased: What was proposed under the key “k” was erased ${erasedAt}. To propose it anew, give it another key.`,
    );
    expect(await given.store.propose(deskOf({ scope, idempotencyKey: "k2" }), wish)).toMatchObject({
      verdict: "accepted",
      revision: 2,
    });
  });

  test("words that are put in order before they are kept are the same words when they come again", async () => {
    const agent = await given.agent();
    const rules = () => ({ guards: [], opening: 3, normalise: (text: string) => text.trim() });
    for (const kind of ["append", "prepend", "rewrite"] as const) {
      const context = deskOf({ scope: { agent }, idempotencyKey: kind, rules });
      const proposal = rewrite("", { operation: { kind, content: `${kind}ed \n` } });
      const first = await given.store.propose(context, proposal);
      expect(await given.store.propose(context, proposal)).toEqual({ ...first, repeated: true });
    }
  });

  test("a refused proposal does not use up its key", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent }, idempotencyKey: "again" });
    expect((await given.store.propose(context, rewrite("One.", { revision: 7 }))).verdict).toBe("refused");
    const accepted = await given.store.propose(context, rewrite("One.", { revision: 0 }));
    expect(accepted).toMatchObject({ verdict: "accepted", revision: 1 });
    expect(accepted).not.toHaveProperty("repeated");
  });

  test("a frozen agent is amended by nobody, and goes on where it was when it is thawed", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    await given.store.propose(context, rewrite("One."));
    for (const what of ["amendments", "agent"] as const) {
      await given.store.agents.freeze(agent, what);
      for (const actor of ["agent", "user", "operator"] as const) {
        const refused = await given.store.propose(context, rewrite("Two.", { actor }));
        const guards = refused.verdict === "refused" && refused.refusals.map(({ guard }) => guard);
        expect(guards).toEqual(["frozen"]);
      }
    }
    expect(await standing(agent)).toEqual({ text: "One.", revision: 1 });
    await given.store.agents.thaw(agent);
    expect(await given.store.propose(context, rewrite("Two."))).toMatchObject({ verdict: "accepted", revision: 2 });
  });

  test("the amendments of a turn are counted by the store, whatever the caller says", async () => {
    const agent = await given.agent();
    const rules = () => ({ guards: [turnQuota(2)] });
    const context = deskOf({ scope: { agent }, rules, turn: { ...quietTurn, amendments: 0 } });
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, index) => given.store.propose(context, rewrite(`${index}`, { turn: "t1" }))),
    );
    expect(many.filter(({ verdict }) => verdict === "accepted").length).toBe(2);
    const refusal = {
      guard: "turn-quota",
      because: "This turn has made 2 of the 2 amendments it may make.",
    };
    for (const one of many) if (one.verdict === "refused") expect(one.refusals).toEqual([refusal]);
    expect((await given.store.propose(context, rewrite("x", { turn: "t2" }))).verdict).toBe("accepted");
    const told = deskOf({ scope: { agent }, rules, turn: { ...quietTurn, amendments: 5 } });
    expect((await given.store.propose(told, rewrite("y", { turn: "t3" }))).verdict).toBe("refused");
  });

  test("going back to a revision, and to the original, are amendments like any other", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    for (const words of ["One.", "Two.", "Three."]) await given.store.propose(context, rewrite(words));
    const back = (to: number) => given.store.propose(context, { ...rewrite(""), operation: { kind: "revert", to } });
    expect(await back(1)).toMatchObject({ verdict: "accepted", before: "Three.", after: "One.", revision: 4 });
    expect(await back(0)).toMatchObject({ verdict: "accepted", before: "One.", after: "Grow.", revision: 5 });
    expect(await back(9)).toEqual({
      verdict: "refused",
      before: "Grow.",
      refusals: [{ guard: "revision", because: "not-found: There is no revision 9 to go back to." }],
    });
    expect(await back(3)).toMatchObject({ verdict: "accepted", after: "Three.", revision: 6 });
    const reset = await given.store.propose(context, { ...rewrite(""), operation: { kind: "reset" } });
    expect(reset).toMatchObject({ verdict: "accepted", before: "Three.", after: "Grow.", revision: 7 });
    const operations = (await given.store.history.list({ agent }, "goals")).map(({ operation }) => operation);
    expect(operations).toEqual(["reset", "revert", "revert", "revert", "rewrite", "rewrite", "rewrite"]);
  });

  test("a section that is each user's own needs a user, and one user's words are nobody else's", async () => {
    const agent = await given.agent();
    const wish = rewrite("Be brief.", { section: "wishes", actor: "user" });
    expect(await problemOf(() => given.store.propose(deskOf({ scope: { agent } }), wish))).toBe(
      "needs-user: “wishes” is each user's own, and no user was named. Say whose with --user (or `user` in the scope).",
    );
    await given.store.propose(deskOf({ scope: { agent, user: "bo" } }), wish);
    await given.store.propose(deskOf({ scope: { agent, user: "bo" } }), rewrite("Shine."));
    const goals = { text: "Shine.", revision: 1 };
    const read = (user?: string) => given.store.standings.read(charter, user ? { agent, user } : { agent });
    expect(await read("bo")).toEqual({ goals, wishes: { text: "Be brief.", revision: 1 } });
    expect(await read("cy")).toEqual({ goals });
    expect(await read()).toEqual({ goals });
    expect(await given.store.history.list({ agent }, "wishes")).toEqual([]);
  });

  test("nobody proposes to an agent or a section that is not there", async () => {
    const nobody = deskOf({ scope: { agent: "nobody" } });
    expect(await problemOf(given.store.propose(nobody, rewrite("x")))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
    const agent = await given.agent();
    const away = given.store.propose(deskOf({ scope: { agent } }), rewrite("x", { section: "dreams" }));
    expect(await problemOf(away)).toMatch(/^unknown-section: /);
  });

  test("a held proposal waits under its key", async () => {
    const agent = await given.agent();
    const rules = () => ({ guards: [needsApproval, holding] });
    const context = deskOf({ scope: { agent }, rules, turn: { ...quietTurn, tainted: true }, idempotencyKey: "h" });
    const held = await given.store.propose(context, rewrite("One."));
    const because = "Untrusted text was in this turn's context, so a person must approve what it changes.";
    expect(held).toEqual({
      verdict: "held",
      before: "Grow.",
      after: "One.",
      refusals: [
        { guard: "needs-approval", because, holds: true },
        { guard: "needs-approval", because: "Ask someone.", holds: true },
      ],
      held: expect.any(String),
    });
    expect(await given.store.propose(context, rewrite("One."))).toEqual({ ...held, repeated: true });
    expect((await given.store.held.list({ agent })).length).toBe(1);
    expect(await standing(agent)).toBeUndefined();
  });

  test("history is read in pages, from the newest down", async () => {
    const agent = await given.agent();
    const context = deskOf({ scope: { agent } });
    for (let index = 1; index <= 7; index++) await given.store.propose(context, rewrite(`${index}`));
    const revisions = async (page: object) =>
      (await given.store.history.list({ agent }, "goals", page)).map(({ revision }) => revision);
    expect(await revisions({ limit: 3 })).toEqual([7, 6, 5]);
    expect(await revisions({ limit: 3, offset: 3 })).toEqual([4, 3, 2]);
    expect(await revisions({ limit: 3, before: 5 })).toEqual([4, 3, 2]);
    expect(await revisions({ limit: 3, offset: 6 })).toEqual([1]);
    expect(await revisions({ offset: 7 })).toEqual([]);
    const whole = await given.store.history.listWhole({ agent }, "goals", { limit: 2, before: 3 });
    expect(whole.map(({ before, after }) => [before, after])).toEqual([
      ["1", "2"],
      ["Grow.", "1"],
    ]);
  });
});
