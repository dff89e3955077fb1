import { expect, test } from "vitest";
import { type Answer, servedForAll } from "../served.ts";

const served = servedForAll();

const code = ({ status, body }: Answer) => [status, body.error?.code];
const ids = ({ body }: Answer) => [...body.proposals, ...body.calls].map(({ id }: { id: string }) => id);

test("everyone sees what waits for them, and an operator everything", async () => {
  const { operator, bo, cy, holdProposal, holdCall } = served;
  const hers = await holdProposal("bo");
  const [call, other] = [await holdCall("bo"), await holdCall("cy")];
  expect(ids(await bo("GET /approvals"))).toEqual([hers, call]);
  expect(ids(await bo("GET /approvals?agent=ada&user=bo"))).toEqual([hers, call]);
  expect(ids(await bo("GET /approvals?agent=eve"))).toEqual([]);
  expect(ids(await cy("GET /approvals"))).toEqual([other]);
  expect(ids(await operator("GET /approvals"))).toEqual([hers, call, other]);
  expect(ids(await operator("GET /approvals?user=cy"))).toEqual([other]);
  expect(ids(await operator("GET /approvals?status=done"))).toEqual([]);
  const only = served.as(await served.token({ kind: "user", user: "bo", agent: "eve" }));
  expect(ids(await only("GET /approvals"))).toEqual([]);
  expect(code(await bo("GET /approvals?user=cy"))).toEqual([404, "not-found"]);
  expect(code(await operator("GET /approvals?status=late"))).toEqual([400, "bad-request"]);
  const first = await operator("GET /approvals?limit=1");
  expect([ids(first).length, first.body.more]).toEqual([2, true]);
});

test("one that is held is shown whole", async () => {
  const { bo, holdProposal, holdCall } = served;
  const proposal = await holdProposal("bo", "- Be kind.");
  expect((await bo(`GET /approvals/${proposal}`)).body).toEqual({
    id: proposal,
    scope: { agent: "ada", user: "bo" },
    section: "instructions",
    proposal: {
      section: "instructions",
      operation: { kind: "append", content: "- Be kind." },
      actor: "agent",
      reason: "They asked me to.",
      revision: 0,
    },
    refusals: [{ guard: "needs-approval", because: expect.any(String), holds: true }],
    before: "",
    after: "- Be kind.",
    at: "2026-02-18T12:00:00.000Z",
    status: "waiting",
    decidedAt: null,
    decidedBy: null,
    decisionReason: null,
    revision: null,
    stale: false,
    standing: null,
    edited: null,
    shared: false,
    cause: null,
  });
  const call = await holdCall("bo");
  expect((await bo(`GET /approvals/${call}`)).body).toMatchObject({
    id: call,
    tool: "send_mail",
    input: { to: "ida" },
  });
});

test("that one is known to be stale before anyone approves it, and is applied to the current text if asked", async () => {
  const { operator, bo, holdProposal } = served;
  const id = await holdProposal("gil", "- Old wish.");
  const gil = served.as(await served.token({ kind: "user", user: "gil" }));
  const fresh = (await operator("GET /approvals?user=gil")).body;
  expect([fresh.total, fresh.proposals]).toMatchObject([1, [{ id, stale: false, standing: null, edited: null }]]);
  const append = { kind: "append", content: "- New." };
  await gil("POST /agents/ada/proposals", { section: "instructions", operation: append });
  const listed = (await operator("GET /approvals?user=gil")).body.proposals;
  expect(listed).toMatchObject([{ id, stale: true, standing: { text: "- New.", revision: 1 } }]);
  const approve = (body: object, as = operator) => as(`POST /approvals/${id}/approve`, body);
  expect(code(await approve({}))).toEqual([409, "stale"]);
  expect((await approve({})).body.error.hint).toBe(
    "Approve it with `current` to apply it to the current text, edit it, or reject it.",
  );
  expect(code(await approve({ current: true, revision: 0 }))).toEqual([409, "stale"]);
  expect(code(await approve({ revision: 1 }))).toEqual([400, "bad-argument"]);
  expect(code(await approve({ current: false }))).toEqual([409, "stale"]);
  expect(code(await approve({ current: true }, bo))).toEqual([404, "not-found"]);
  const tried = await approve({ current: true, revision: 1, dryRun: true });
  expect([tried.status, tried.body]).toMatchObject([200, { verdict: "accepted", after: "- New.\n- Old wish." }]);
  expect((await operator(`GET /approvals/${id}`)).body.status).toBe("waiting");
  const yes = await approve({ current: true, revision: 1 }, gil);
  expect([yes.status, yes.body]).toMatchObject([
    200,
    { verdict: "accepted", before: "- New.", after: "- New.\n- Old wish.", revision: 2 },
  ]);
  expect(code(await approve({ current: true }))).toEqual([409, "already-decided"]);
});

test("a call is approved or rejected, and says by whom and why", async () => {
  const { operator, bo, holdCall } = served;
  const [yes, no] = [await holdCall("bo"), await holdCall("bo")];
  const edit = await operator(`POST /approvals/${yes}/approve`, { content: "x" });
  expect([code(edit), edit.body.error.message]).toEqual([
    [400, "bad-argument"],
    `“${yes}” is a tool call, and \`content\` is for proposals only.`,
  ]);
  expect((await bo(`POST /approvals/${yes}/approve`)).body).toMatchObject({
    id: yes,
    status: "approved",
    decidedBy: "bo",
  });
  expect((await operator(`POST /approvals/${no}/reject`, { reason: "Not today." })).body).toMatchObject({
    id: no,
    status: "rejected",
    decidedBy: "operator",
    decisionReason: "Not today.",
  });
  const proposal = await served.holdProposal("bo", "- Never.");
  expect((await bo(`POST /approvals/${proposal}/reject`)).body).toMatchObject({
    status: "rejected",
    decisionReason: null,
  });
});

test("a permission that an agent asked for waits as any call does, and says in words what it asks", async () => {
  const { operator, bo, store } = served;
  const scope = { agent: "ada", user: "bo" };
  const { id: turn } = await store.turns.open({ scope, input: "Build.", runner: "test" });
  const input = { kind: "execute", title: "make", paths: ["/srv/app"], input: { command: ["make"] } };
  const reason = "The agent asks to use a tool of its own.";
  const held = (call: string) => ({ turn, step: 1, call, tool: "acp:execute", input, reason });
  const [yes, no] = [await store.calls.hold(scope, held("p1")), await store.calls.hold(scope, held("p2"))];
  const asks = "asks to run: make";
  expect((await bo("GET /approvals")).body.calls.slice(-2)).toMatchObject([{ id: yes.id, asks, input }, { asks }]);
  expect((await operator(`GET /approvals/${yes.id}`)).body).toMatchObject({ tool: "acp:execute", asks, input });
  expect((await bo(`POST /approvals/${yes.id}/approve`)).body).toMatchObject({ status: "approved", asks });
  expect((await bo(`POST /approvals/${no.id}/reject`)).body).toMatchObject({ status: "rejected", asks });
});

test("what is another's, what is the agent's own and what is nowhere are the same to a user", async () => {
  const { bo, holdProposal, holdCall, as, token } = served;
  const elsewhere = as(await token({ kind: "user", user: "cy", agent: "eve" }));
  const [hers, its, mine] = [await holdProposal("cy"), await holdCall(undefined), await holdCall("cy")];
  const tried: [ask: typeof bo, id: string][] = [
    [bo, hers],
    [bo, its],
    [bo, mine],
    [elsewhere, mine],
    [bo, "0nothing"],
  ];
  const answers = new Set<string>();
  for (const [ask, id] of tried)
    for (const request of [`GET /approvals/${id}`, `POST /approvals/${id}/approve`, `POST /approvals/${id}/reject`]) {
      const { status, body } = await ask(request);
      answers.add(`${status} ${JSON.stringify(body).replaceAll(id, "…")}`);
    }
  expect([...answers]).toEqual([
    '404 {"error":{"code":"not-found","message":"There is no held proposal or call “…” here.","hint":"Check the address, and that your token has access."}}',
  ]);
  expect((await served.operator(`GET /approvals/${hers}`)).body.status).toBe("waiting");
});
