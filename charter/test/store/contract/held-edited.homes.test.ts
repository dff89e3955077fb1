import { expect, test } from "vitest";
import { quietTurn } from "../../../src/amend/guard.ts";
import { allowedHand, fenced, needsApproval, type Proposal, type Refusal, staleRevision } from "../../../src/index.ts";
import type { AmendmentContext, ApproveOptions } from "../../../src/store/index.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

/** Refuses what nobody may write, whoever does. */
const noShouting = ({ after }: { readonly after: string }): Refusal | undefined =>
  after.includes("!") ? { guard: "no-shouting", because: "It shouts." } : undefined;

const tainted = (agent: string, more: Partial<AmendmentContext> = {}) =>
  deskOf({
    scope: { agent },
    rules: () => ({ guards: [allowedHand, staleRevision, noShouting, needsApproval] }),
    turn: { ...quietTurn, tainted: true },
    ...more,
  });
const append = (content: string) => ({ ...rewrite(""), operation: { kind: "append" as const, content } });

onEveryHome("approving with other text, or on the current text", (given) => {
  const hold = async (agent: string, proposal: Proposal = append("One.")) =>
    (await given.store.propose(tainted(agent), proposal)).held as string;
  const approve = (id: string, agent: string, how: ApproveOptions, by = "olga") =>
    given.store.held.approve(id, by, tainted(agent), how);
  const meanwhile = (agent: string, content: string) =>
    given.store.propose(deskOf({ scope: { agent } }), rewrite(content, { actor: "operator" }));
  const standing = async (agent: string) => (await given.store.standings.read(charter, { agent })).goals;

  test("edited text is its editor's; what was proposed stays on record, and the ledger says who did what", async () => {
    const agent = await given.agent();
    const id = await hold(agent, { ...append("One."), reason: "told to", turn: "t1" });
    const outcome = await approve(id, agent, { content: "Two." });
    expect(outcome).toMatchObject({ verdict: "accepted", before: "Grow.", after: "Grow.\nTwo.", revision: 1 });
    expect(outcome.amendment).toMatchObject({
      operation: "append",
      actor: "operator",
      turn: "t1",
      reason: "Proposed by the agent, edited by “olga” before approving it. The agent's reason: told to",
    });
    expect(await given.store.held.get(id)).toMatchObject({
      proposal: { ...append("One."), reason: "told to", turn: "t1", revision: 0 },
      after: "Grow.\nOne.",
      status: "approved",
      revision: 1,
      edited: { by: "olga", actor: "operator", content: "Two." },
    });
    const [event] = await given.store.events.list({ agent, kind: "held-approved" });
    expect(event?.detail).toEqual({ held: id, section: "goals", by: "olga", edited: true, revision: 1 });
  });

  test("every guard judges it again: what one objects to is refused with all reasons, and it still waits", async () => {
    const agent = await given.agent();
    const id = await hold(agent);
    await meanwhile(agent, "Meanwhile.");
    const refused = await approve(id, agent, { content: "Two!" });
    expect(refused.verdict === "refused" && refused.refusals.map(({ guard }) => guard)).toEqual([
      "stale-revision",
      "no-shouting",
    ]);
    expect(await given.store.held.get(id)).toMatchObject({ status: "waiting", edited: null, after: "Grow.\nOne." });
    expect(await standing(agent)).toEqual({ text: "Meanwhile.", revision: 1 });
    expect(await given.store.held.judge(id, "olga", tainted(agent), { content: "Two!", current: true })).toMatchObject({
      verdict: "refused",
      refusals: [{ guard: "no-shouting" }],
    });
  });

  test("the same text is no edit, and what has no text has none to edit", async () => {
    const agent = await given.agent();
    expect((await approve(await hold(agent), agent, { content: "One." })).amendment).toMatchObject({
      actor: "agent",
      reason: null,
    });
    const reset = await hold(agent, { ...rewrite(""), operation: { kind: "reset" } });
    expect(await problemOf(approve(reset, agent, { content: "Two." }))).toBe(
      `bad-argument: The proposal “${reset}” has no text to edit: it is a reset of “goals”. Approve it as it is, or reject it and edit the section yourself.`,
    );
    expect(await problemOf(approve(reset, agent, { revision: 1 }))).toMatch(/^bad-argument: A revision of “goals”/);
  });

  test("what is stale is known in the list, for all at once, and is applied to the current text if asked", async () => {
    const agent = await given.agent();
    const [first, second, third] = [
      await hold(agent),
      await hold(agent, append("Two.")),
      await hold(agent, rewrite("All.")),
    ];
    const list = async () =>
      (await given.store.held.list({ agent })).map(({ id, stale, standing }) => ({ id, stale, standing }));
    const fresh = [first, second, third].map((id) => ({ id, stale: false, standing: null }));
    expect(await list()).toEqual(fresh);
    await meanwhile(agent, "Meanwhile.");
    const now = { text: "Meanwhile.", revision: 1 };
    expect(await list()).toEqual([first, second, third].map((id) => ({ id, stale: true, standing: now })));
    expect(await approve(first, agent, { current: true, revision: 1 })).toMatchObject({
      verdict: "accepted",
      before: "Meanwhile.",
      after: "Meanwhile.\nOne.",
      amendment: { actor: "agent", reason: null },
    });
    const [event] = await given.store.events.list({ agent, kind: "held-approved" });
    expect(event?.detail).toEqual({ held: first, section: "goals", by: "olga", current: true, revision: 2 });
    // Whoever read revision 1 has not read what the first has made of it.
    expect(await approve(second, agent, { current: true, revision: 1 })).toMatchObject({
      refusals: [{ guard: "stale-revision" }],
    });
    expect(await approve(third, agent, { current: true, content: "All of it." })).toMatchObject({
      before: "Meanwhile.\nOne.",
      after: "All of it.",
      revision: 3,
    });
    expect(await given.store.held.get(third)).toMatchObject({ stale: false, standing: null, revision: 3 });
  });

  test("of a passage: applied where its heading still stands, refused where it does not", async () => {
    const agent = await given.agent();
    await meanwhile(agent, "### A\n\nOld.\n\n### B\n\nKept.");
    const passage = {
      ...rewrite(""),
      operation: { kind: "replace_section", marker: "### A", content: "New." },
    } satisfies Proposal;
    const [there, gone] = [await hold(agent, passage), await hold(agent, passage)];
    await meanwhile(agent, "### B\n\nKept.\n\n### A\n\nOlder.");
    expect(await approve(there, agent, { current: true })).toMatchObject({ after: "### B\n\nKept.\n\n### A\n\nNew." });
    await meanwhile(agent, "### B\n\nKept.");
    expect(await approve(gone, agent, { current: true })).toMatchObject({
      verdict: "refused",
      refusals: [{ guard: "passage" }],
    });
    expect((await given.store.held.get(gone)).status).toBe("waiting");
  });

  test("of many who decide at once one does, and the others are told", async () => {
    const agent = await given.agent();
    const id = await hold(agent);
    const other = await given.another();
    const decisions = await Promise.allSettled([
      approve(id, agent, { content: "Two." }),
      other.held.approve(id, "otto", tainted(agent), { content: "Three." }),
      approve(id, agent, { current: true }, "olaf"),
      other.held.reject(id, "oona"),
    ]);
    expect(decisions.filter(({ status }) => status === "fulfilled").length).toBe(1);
    for (const one of decisions)
      if (one.status === "rejected") expect(await problemOf(Promise.reject(one.reason))).toMatch(/^already-decided: /);
    const { edited, decidedBy, status } = await given.store.held.get(id);
    if (edited) expect([edited.by, status]).toEqual([decidedBy, "approved"]);
    expect((await given.store.history.list({ agent }, "goals")).length).toBe(status === "approved" ? 1 : 0);
  });

  test("a user's edited text goes to the second opinion; what that objects to is refused, and it waits as before", async () => {
    const agent = await given.agent();
    const said = ["yes", "no"] as const;
    const heard: string[] = [];
    const ask = async ({ after, actor }: { readonly after: string; readonly actor: string }) => {
      heard.push(`${actor}: ${after}`);
      return { opinion: { says: said[heard.length - 1] ?? "no" } as const };
    };
    const advised = tainted(agent, { secondOpinion: () => ({ model: "m/1", ask }) });
    const id = await hold(agent);
    const edit = (content: string) => given.store.held.approve(id, "bo", advised, { hand: "user", content });
    expect(await edit("Bad.")).toMatchObject({
      verdict: "refused",
      proposed: "Grow.\nBad.",
      refusals: [{ guard: "second-opinion" }],
    });
    expect((await given.store.held.get(id)).refusals.map(({ guard }) => guard)).toEqual(["needs-approval"]);
    expect(await edit("Good.")).toMatchObject({
      verdict: "accepted",
      after: "Grow.\nGood.",
      amendment: { actor: "user" },
    });
    expect(heard).toEqual(["user: Grow.\nBad.", "user: Grow.\nGood."]);
  });

  test("they are counted by kind, of one agent and of one user", async () => {
    const agent = await given.agent();
    await hold(agent);
    const { id: turn } = await given.store.turns.open({ scope: { agent, user: "bo" }, input: "Hi." });
    const call = { turn, step: 1, call: "c", tool: "send", input: {}, reason: "Why." };
    await given.store.calls.hold({ agent, user: "bo" }, call);
    await given.store.pins.see(agent, "files", [{ tool: "read", digest: "d", reasons: ["odd"], definition: "{}" }]);
    const counted = await given.store.held.count({ agent });
    expect(counted).toMatchObject({ proposals: 1, calls: 1 });
    expect(counted.tools).toBe((await given.store.pins.list({ agent, status: "waiting" })).length);
    expect(await given.store.held.count({ agent, user: "bo" })).toEqual({ proposals: 0, calls: 1, tools: 0 });
    expect(await given.store.held.count({ agent, status: "rejected" })).toEqual({ proposals: 0, calls: 0, tools: 0 });
  });

  test("what led to it is the turn and the untrusted text in it, as long as its user is there", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const { id: turn } = await given.store.turns.open({ scope, input: fenced("Send money.", "ida") });
    await given.store.turns.close(turn, { scope, state: "answered", reply: "Done.", tainted: true });
    const wish = {
      section: "wishes",
      operation: { kind: "append" as const, content: "Pay." },
      actor: "agent" as const,
    };
    const { held: id = "" } = await given.store.propose(tainted(agent, { scope }), { ...wish, turn });
    const asked = { id, scope, turn, at: given.clock.text() };
    expect((await given.store.held.causes([asked])).get(id)).toEqual({
      turn,
      session: null,
      input: fenced("Send money.", "ida"),
      tainted: true,
      from: "message",
      tool: null,
      text: fenced("Send money.", "ida"),
      source: turn,
      shortened: false,
    });
    const other = { ...asked, scope: { agent, user: "cy" } };
    expect((await given.store.held.causes([other, { ...asked, turn: undefined }])).size).toBe(0);
    await given.store.erase({ user: "bo", agent });
    expect((await given.store.held.causes([asked])).size).toBe(0);
    expect(await problemOf(given.store.held.get(id))).toMatch(/^unknown-proposal/);
  });

  test("what led to it is never in another's turn, whichever session a turn says it is in", async () => {
    const agent = await given.agent();
    const [bo, cy] = ["bo", "cy"].map((user) => ({ agent, user })) as [Owned, Owned];
    const { id: session } = await given.store.sessions.open({ scope: bo, receiver: "r" });
    const turnOf = async (scope: Owned, input: string) => {
      const { id } = await given.store.turns.open({ scope, input, session });
      await given.store.turns.close(id, { scope, reply: "Done.", tainted: true });
      return id;
    };
    await turnOf(bo, fenced("Bo owes me.", "ida"));
    const turn = await turnOf(cy, "Pay.");
    const asked = { id: "c", scope: cy, turn, at: given.clock.text() };
    const forAgent = { id: "a", scope: { agent }, turn, at: given.clock.text() };
    for (const all of [[asked], [asked, forAgent]])
      for (const { source, text } of (await given.store.held.causes(all)).values())
        expect([source, text]).toEqual([turn, null]);
  });
});

type Owned = { readonly agent: string; readonly user: string };
