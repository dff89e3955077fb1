import { expect, test } from "vitest";
import { quietTurn } from "../../../src/amend/guard.ts";
import { allowedHand, needsApproval, type Proposal, staleRevision } from "../../../src/index.ts";
import type { AmendmentContext } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { charter, deskOf, guarded, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

const because = "Untrusted text was in this turn's context, so a person must approve what it changes.";

/** A desk in a turn that foreign words were in. */
const tainted = (agent: string, more: Partial<AmendmentContext> = {}) =>
  deskOf({
    scope: { agent },
    rules: () => ({ guards: [allowedHand, staleRevision, needsApproval] }),
    turn: { ...quietTurn, tainted: true },
    ...more,
  });

onEveryHome("held proposals", (given) => {
  const hold = async (agent: string, words = "One.", more: object = {}) =>
    (await given.store.propose(tainted(agent), rewrite(words, more))).held as string;
  const standing = async (agent: string) => (await given.store.standings.read(charter, { agent })).goals;

  test("a held proposal is kept whole until a person decides", async () => {
    const agent = await given.agent();
    const id = await hold(agent, "One.", { reason: "told to", turn: "t1" });
    const held = {
      id,
      scope: { agent },
      section: "goals",
      proposal: rewrite("One.", { reason: "told to", turn: "t1", revision: 0 }),
      refusals: [{ guard: "needs-approval", because, holds: true }],
      before: "Grow.",
      after: "One.",
      at: given.clock.text(),
      status: "waiting",
      decidedAt: null,
      decidedBy: null,
      decisionReason: null,
      revision: null,
      stale: false,
      standing: null,
      edited: null,
      shared: true,
    };
    expect(await given.store.held.get(id)).toEqual(held);
    expect(await given.store.held.list({ agent })).toEqual([held]);
    expect(await given.store.events.list({ agent, kind: "amendment-held" })).toMatchObject([
      { turn: "t1", detail: { section: "goals", held: id, refusals: [{ guard: "needs-approval", because }] } },
    ]);
  });

  test("approved when every word of it stands already, it is decided and becomes no revision", async () => {
    const agent = await given.agent();
    const free = (idempotencyKey?: string) =>
      tainted(agent, { rules: () => ({ guards: [needsApproval] }), ...(idempotencyKey ? { idempotencyKey } : {}) });
    const { held: id = "" } = await given.store.propose(free("k"), rewrite("One."));
    await given.store.propose(free(), rewrite("One.", { actor: "operator" }));
    const unchanged = { verdict: "unchanged", before: "One.", after: "One.", revision: 1 };
    expect(await given.store.held.approve(id, "olga", free())).toEqual(unchanged);
    expect(await given.store.held.get(id)).toMatchObject({ status: "approved", decidedBy: "olga", revision: null });
    expect(await given.store.propose(free("k"), rewrite("One."))).toMatchObject({
      verdict: "unchanged",
      repeated: true,
    });
    expect(await standing(agent)).toEqual({ text: "One.", revision: 1 });
  });

  test("approved, it is an amendment by the hand that proposed it", async () => {
    const agent = await given.agent();
    const id = await hold(agent, "One.", { turn: "t1" });
    given.clock.move(1000);
    const verdict = await given.store.held.approve(id, "olga", tainted(agent));
    expect(verdict).toMatchObject({ verdict: "accepted", before: "Grow.", after: "One.", revision: 1 });
    expect(verdict.amendment).toMatchObject({ actor: "agent", turn: "t1", at: given.clock.text() });
    expect(await standing(agent)).toEqual({ text: "One.", revision: 1 });
    const decision = { status: "approved", decidedAt: given.clock.text(), decidedBy: "olga", revision: 1 };
    expect(await given.store.held.get(id)).toMatchObject(decision);
    expect(await given.store.held.list({ agent })).toEqual([]);
    expect((await given.store.held.list({ agent, status: "approved" })).map((one) => one.id)).toEqual([id]);
    const kinds = (await given.store.events.list({ agent })).map(({ kind }) => kind);
    expect(kinds).toEqual(["held-approved", "amended", "amendment-held", "agent-set"]);
  });

  test("on approval every other guard speaks again, about what stands by then, also where no revision was named", async () => {
    const agent = await given.agent();
    const id = await hold(agent, "One.");
    await given.store.propose(deskOf({ scope: { agent } }), rewrite("Meanwhile."));
    const verdict = await given.store.held.approve(id, "olga", tainted(agent));
    const stale = "“goals” is at revision 1; the proposal was made against 0. Read it again.";
    expect(verdict).toEqual({
      verdict: "refused",
      before: "Meanwhile.",
      proposed: "One.",
      refusals: [{ guard: "stale-revision", because: stale }],
    });
    expect((await given.store.held.get(id)).status).toBe("waiting");
    await given.store.agents.freeze(agent, "amendments");
    const frozen = await given.store.held.approve(id, "olga", tainted(agent));
    expect(frozen.verdict === "refused" && frozen.refusals.map(({ guard }) => guard)).toEqual([
      "frozen",
      "stale-revision",
    ]);
    expect(await standing(agent)).toEqual({ text: "Meanwhile.", revision: 1 });
  });

  test("rejected, it changes nothing, and says why", async () => {
    const agent = await given.agent();
    const id = await hold(agent);
    const rejected = await given.store.held.reject(id, "olga", "Not ours to say.");
    const decision = {
      decidedAt: given.clock.text(),
      decidedBy: "olga",
      decisionReason: "Not ours to say.",
      revision: null,
    };
    expect(rejected).toEqual({ ...(await given.store.held.get(id)), status: "rejected", ...decision });
    expect(await standing(agent)).toBeUndefined();
    expect((await given.store.events.list({ agent, kind: "held-rejected" }))[0]?.detail).toEqual({
      held: id,
      section: "goals",
      by: "olga",
      because: "Not ours to say.",
    });
  });

  test("what was decided is not decided again, not even by many at once", async () => {
    const agent = await given.agent();
    const id = await hold(agent);
    const other = await given.another();
    const decisions = await Promise.allSettled([
      given.store.held.approve(id, "olga", tainted(agent)),
      other.held.approve(id, "otto", tainted(agent)),
      given.store.held.approve(id, "olaf", tainted(agent)),
      other.held.reject(id, "oona"),
    ]);
    expect(decisions.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const { status, decidedAt } = await given.store.held.get(id);
    const decided = `already-decided: The proposal “${id}” was ${status} ${decidedAt}. List what is waiting with \`charter approvals\`.`;
    for (const one of decisions)
      if (one.status === "rejected") expect(await problemOf(Promise.reject(one.reason))).toBe(decided);
    expect(await problemOf(given.store.held.reject(id, "olga"))).toBe(decided);
    expect(await problemOf(given.store.held.approve(id, "olga", tainted(agent)))).toBe(decided);
    expect((await given.store.history.list({ agent }, "goals")).length).toBe(status === "approved" ? 1 : 0);
  });

  test("a key remembers what became of a held proposal", async () => {
    const agent = await given.agent();
    const send = (idempotencyKey: string) => given.store.propose(tainted(agent, { idempotencyKey }), rewrite("One."));
    const [yes, no] = [await send("yes"), await send("no")];
    const approved = await given.store.held.approve(yes.held as string, "olga", tainted(agent));
    await given.store.held.reject(no.held as string, "olga", "No.");
    expect(await send("yes")).toEqual({ ...approved, repeated: true });
    expect(await send("no")).toEqual({
      verdict: "refused",
      before: "Grow.",
      proposed: "One.",
      refusals: [{ guard: "needs-approval", because: "No." }],
      held: no.held,
      repeated: true,
    });
    const reset = { ...rewrite(""), operation: { kind: "reset" } } as const;
    for (const idempotencyKey of ["yes", "no"])
      for (const other of [reset, rewrite("Two.")])
        expect(await problemOf(given.store.propose(tainted(agent, { idempotencyKey }), other))).toBe(
          `key-reused: The key “${idempotencyKey}” was used for another proposal (rewrite of “goals”). Give every proposal a key of its own.`,
        );
  });

  test("those that wait are listed oldest first, in pages", async () => {
    const agent = await given.agent();
    const ids = [await hold(agent, "1"), await hold(agent, "2"), await hold(agent, "3")];
    const listed = async (page: object) => (await given.store.held.list({ agent, ...page })).map(({ id }) => id);
    expect(await listed({})).toEqual(ids);
    expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await listed({ limit: 2, offset: 2 })).toEqual(ids.slice(2));
    expect((await given.store.held.list({ limit: 1000 })).length).toBeGreaterThanOrEqual(3);
  });

  test("a proposal nobody holds is a problem", async () => {
    const unknown =
      "unknown-proposal: There is no held proposal “nope”. List what is waiting with `charter approvals`.";
    const agent = await given.agent();
    expect(await problemOf(given.store.held.get("nope"))).toBe(unknown);
    expect(await problemOf(given.store.held.approve("nope", "olga", tainted(agent)))).toBe(unknown);
    expect(await problemOf(given.store.held.reject("nope", "olga"))).toBe(unknown);
  });

  test("what a user's turn would change for all is theirs, waits for the operator, and goes with them", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "mia" };
    const { id: turn } = await given.store.turns.open({ scope, input: "The door code is 4711." });
    // The door forgot whose turn it is: the turn's row has not.
    const desk = tainted(agent, { charter: guarded });
    const code = rewrite("Door code 4711.", { turn });
    const others = "All users of the agent read “goals”, not only “mia”: the operator approves this change.";
    const refusals = [
      { guard: "needs-approval", because, holds: true },
      { guard: "reaches-others", because: others, holds: true },
    ];
    expect(await given.store.judge(desk, code)).toMatchObject({ verdict: "held", refusals });
    const { held: id = "" } = await given.store.propose(desk, code);
    const held = await given.store.held.list(scope);
    expect(held).toMatchObject([{ id, scope, section: "goals", shared: true, refusals, stale: false }]);
    const [event] = await given.store.events.list({ agent, kind: "amendment-held" });
    expect(event).toMatchObject({ scope, turn, detail: { held: id } });
    expect(await problemOf(given.store.held.approve(id, "mia", desk, { hand: "user" }))).toMatch(
      /^not-allowed: Only the operator can approve this change of “goals”: all users of the agent read it\./,
    );
    expect(await given.store.held.approve(id, "olga", desk)).toMatchObject({ verdict: "accepted", revision: 1 });
    expect(await standing(agent)).toEqual({ text: "Door code 4711.", revision: 1 });
    const again = await given.store.propose(desk, rewrite("Door code 0815.", { turn }));
    expect(await given.store.held.get(again.held ?? "")).toMatchObject({ scope, stale: false });
    await given.store.propose(desk, rewrite("Grow.", { actor: "operator" }));
    expect(await given.store.held.get(again.held ?? "")).toMatchObject({ stale: true, standing: { text: "Grow." } });
    await given.store.erase({ user: "mia" });
    expect(await given.store.held.list({ agent })).toEqual([]);
    expect((await verifyStore(given.store.home)).faults).toEqual([]);
  });

  test("whose change it is, is said by the turn, and without one by the door", async () => {
    const agent = await given.agent();
    const turnOf = async (user?: string) =>
      (await given.store.turns.open({ scope: { agent, ...(user && { user }) }, input: "Hi." })).id;
    const wanted: [user: string | undefined, more: Partial<Proposal>, verdict: string][] = [
      [undefined, {}, "accepted"],
      ["mia", {}, "held"],
      ["mia", { turn: await turnOf() }, "accepted"],
      [undefined, { turn: await turnOf("mia") }, "held"],
      ["mia", { turn: "another loop's" }, "held"],
      ["mia", { actor: "operator", turn: await turnOf("mia") }, "accepted"],
      [undefined, { actor: "user" }, "held"],
      ["counterpart:ida", {}, "accepted"],
      ["mia", { section: "wishes", actor: "user", turn: await turnOf("mia") }, "accepted"],
    ];
    for (const [index, [user, more, verdict]] of wanted.entries()) {
      const desk = deskOf({ charter: guarded, scope: { agent, ...(user && { user }) } });
      const outcome = await given.store.propose(desk, rewrite(`Words ${index}.`, more));
      expect([index, outcome.verdict]).toEqual([index, verdict]);
    }
  });

  test("a user's yes answers what asks for a person; what asks for the operator then waits on", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "mia" };
    const { held: id = "" } = await given.store.propose(tainted(agent, { scope }), rewrite("One."));
    expect(await given.store.held.get(id)).toMatchObject({ scope, refusals: [{ guard: "needs-approval" }] });
    // The charter says by now that it reaches others.
    const desk = deskOf({ charter: guarded, scope });
    const edited = await given.store.held.approve(id, "mia", desk, { hand: "user", content: "Two." });
    expect(edited).toMatchObject({ verdict: "refused", proposed: "Two.", refusals: [{ guard: "reaches-others" }] });
    const waits = { verdict: "held", held: id, refusals: [{ guard: "needs-approval" }, { guard: "reaches-others" }] };
    expect(await given.store.held.approve(id, "mia", desk, { hand: "user" })).toMatchObject(waits);
    expect((await given.store.held.list({ agent })).map((one) => [one.id, one.refusals.length])).toEqual([[id, 2]]);
    expect(await given.store.held.approve(id, "olga", desk)).toMatchObject({ verdict: "accepted", after: "One." });
  });
});
