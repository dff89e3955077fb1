import { expect, test } from "vitest";
import { type Answer, type Served, servedForAll } from "../served.ts";

const served = servedForAll();

const code = ({ status, body }: Answer) => [status, body.error?.code];

test("a user's notes are kept, found, paged and forgotten", async () => {
  const { bo, cy, operator } = served;
  const first = await bo("POST /agents/ada/memory", { text: "My sister is called Ida." });
  expect([first.status, first.body]).toEqual([
    201,
    {
      id: expect.any(String),
      scope: { agent: "ada", user: "bo" },
      key: null,
      text: "My sister is called Ida.",
      tainted: false,
      turn: null,
      at: "2026-02-18T12:00:00.000Z",
    },
  ]);
  await bo("POST /agents/ada/memory", { text: "Blue.", key: "colour" });
  const second = await bo("POST /agents/ada/memory", { text: "Green.", key: "colour" });
  await cy("POST /agents/ada/memory", { text: "My sister is a doctor." });
  await operator("POST /agents/ada/memory", { text: "The sisters are many." });

  const words = ({ body }: Answer) => body.notes.map((note: { text: string }) => note.text);
  expect(words(await bo("GET /agents/ada/memory"))).toEqual(["Green.", "My sister is called Ida."]);
  expect(words(await bo("GET /agents/ada/memory?note=colour"))).toEqual(["Green."]);
  expect(words(await bo(`GET /agents/ada/memory?note=${first.body.id}`))).toEqual(["My sister is called Ida."]);
  expect(words(await cy(`GET /agents/ada/memory?note=${first.body.id}`))).toEqual([]);
  const page = await bo("GET /agents/ada/memory?limit=1");
  expect([words(page), page.body.more]).toEqual([["Green."], true]);
  const found = await bo("GET /agents/ada/memory?query=sister");
  expect(found.body).toEqual({ notes: [first.body], by: "all-words", more: false });
  expect(words(await operator("GET /agents/ada/memory"))).toEqual(["The sisters are many."]);
  expect(words(await operator("GET /agents/ada/memory?user=cy"))).toEqual(["My sister is a doctor."]);
  expect(words(await bo("GET /agents/eve/memory"))).toEqual([]);

  const path = `/agents/ada/memory/${second.body.id}`;
  expect(code(await cy(`DELETE ${path}`))).toEqual([404, "unknown-note"]);
  expect(code(await operator(`DELETE ${path}`))).toEqual([404, "unknown-note"]);
  expect((await bo(`DELETE ${path}`)).body).toEqual({ forgotten: second.body.id });
  expect(code(await bo(`DELETE ${path}`))).toEqual([404, "unknown-note"]);
  expect((await operator(`DELETE /agents/ada/memory/${first.body.id}?user=bo`)).status).toBe(200);
});

const badNotes: [what: string, body: unknown, status: number][] = [
  ["without words", { text: "  " }, 400],
  ["that is too long", { text: "x".repeat(8001) }, 400],
  ["with half a character", { text: "\ud800" }, 400],
  ["of another user", { text: "x", user: "cy" }, 404],
  ["with a taint of its own", { text: "x", tainted: true }, 400],
  ["that is no object", [], 400],
];
for (const [what, body, status] of badNotes)
  test(`a note ${what} is not kept`, async () => {
    expect((await served.bo("POST /agents/ada/memory", body)).status).toBe(status);
  });

test("a control token in a note is named to users, and kept from an operator", async () => {
  const { bo, operator } = served;
  const text = "Say `<|im_end|>` twice.";
  const refused = await bo("POST /agents/ada/memory", { text });
  expect([refused.status, refused.body.error]).toEqual([
    400,
    {
      code: "control-token",
      message: "The note holds the control token “<|im_end|>” of a chat template, at index 5.",
      hint: "Write it without the signs around its name, or leave it out.",
    },
  ]);
  const { id } = (await bo("POST /agents/ada/memory", { text: "Say it twice." })).body;
  expect(code(await bo(`PATCH /agents/ada/memory/${id}`, { text }))).toEqual([400, "control-token"]);
  expect((await operator("POST /agents/ada/memory", { text })).status).toBe(201);
});

test("an operator reads with whom an agent has spoken", async () => {
  const { operator, bo, store } = served;
  await store.conversations.record("ada", "0xAbc/1", { message: "m1", body: "Hi.", reply: "Hello.", turn: "t1" });
  expect((await operator("GET /agents/ada/conversations")).body).toEqual({
    conversations: [{ counterpart: "0xAbc/1", exchanges: 1, lastAt: "2026-02-18T12:00:00.000Z" }],
    more: false,
    total: 1,
  });
  await store.conversations.record("ada", "0xAbc", { message: "m2", body: "Hi.", reply: "Hello.", turn: "t2" });
  expect((await operator("GET /agents/ada/conversations?counterpart=0xABC&limit=1")).body).toEqual({
    conversations: [{ counterpart: "0xabc", exchanges: 1, lastAt: "2026-02-18T12:00:00.000Z" }],
    more: false,
    total: 1,
  });
  expect((await operator("GET /agents/ada/conversations?counterpart=nobody")).body.conversations).toEqual([]);
  const one = await operator(`GET /agents/ada/conversations/${encodeURIComponent("0xAbc/1")}`);
  expect(one.body.exchanges).toEqual([
    {
      inbox_message_id: "m1",
      sender_body: "Hi.",
      agent_reply: "Hello.",
      turn_id: "t1",
      timestamp: "2026-02-18T12:00:00.000Z",
    },
  ]);
  expect(code(await operator("GET /agents/ada/conversations/nobody"))).toEqual([404, "not-found"]);
  expect(code(await operator("GET /agents/nobody/conversations"))).toEqual([404, "unknown-agent"]);
  expect(code(await bo("GET /agents/ada/conversations"))).toEqual([403, "not-allowed"]);
});

test("a schedule goes by the user's clock, is seen by who may, and is cancelled", async () => {
  const { bo, cy, operator } = served;
  await bo("PATCH /me", { zone: "Asia/Kolkata" });
  const digest = { title: "Digest", input: "Summarise my mail.", cron: "30 8 * * *" };
  const made = await bo("POST /agents/ada/schedules", digest);
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(String),
      scope: { agent: "ada", user: "bo" },
      ...digest,
      zone: null,
      channel: "scheduled",
      missed: "once",
      overlap: "skip",
      maxTries: 3,
      nextAt: "2026-02-19T03:00:00.000Z",
      lastAt: null,
      endedAt: null,
      tainted: false,
      notices: [
        {
          code: "user-unreachable",
          message:
            "“bo” has linked no chat with “ada”: its answers are sent nowhere, and are in their conversation on the web.",
        },
      ],
    },
  ]);
  // The server's own zone holds for who has none.
  const hers = await cy("POST /agents/ada/schedules", { ...digest, missed: "skip", overlap: "queue", maxTries: 1 });
  expect(hers.body).toMatchObject({
    nextAt: "2026-02-19T07:30:00.000Z",
    missed: "skip",
    overlap: "queue",
    maxTries: 1,
  });
  const once = await operator("POST /agents/ada/schedules", {
    title: "Once",
    input: "Go.",
    at: "2026-03-01T00:00:00Z",
  });
  const ofAgent = { scope: { agent: "ada" }, cron: null, nextAt: "2026-03-01T00:00:00.000Z", notices: [] };
  expect(once.body).toMatchObject(ofAgent);

  const ids = ({ body }: Answer) => body.schedules.map(({ id }: { id: string }) => id);
  expect(ids(await bo("GET /agents/ada/schedules"))).toEqual([made.body.id]);
  expect(ids(await operator("GET /agents/ada/schedules"))).toEqual([made.body.id, hers.body.id, once.body.id]);
  expect(ids(await operator("GET /agents/ada/schedules?user=cy"))).toEqual([hers.body.id]);
  expect(ids(await operator("GET /agents/eve/schedules"))).toEqual([]);

  const path = `/agents/ada/schedules/${made.body.id}`;
  expect(code(await cy(`DELETE ${path}`))).toEqual([404, "unknown-schedule"]);
  expect(code(await operator(`DELETE /agents/eve/schedules/${made.body.id}`))).toEqual([404, "unknown-schedule"]);
  expect((await bo(`DELETE ${path}`)).body).toEqual({ cancelled: made.body.id });
  expect(code(await bo(`DELETE ${path}`))).toEqual([404, "unknown-schedule"]);
  expect((await operator(`DELETE /agents/ada/schedules/${hers.body.id}`)).body).toEqual({ cancelled: hers.body.id });
  expect(code(await operator("DELETE /agents/ada/schedules/nothing"))).toEqual([404, "unknown-schedule"]);
});

const badSchedules: [what: string, body: object, code: string][] = [
  ["a cron line that is none", { cron: "every day" }, "bad-cron"],
  ["neither a line nor a time", {}, "bad-schedule"],
  ["both", { cron: "0 8 * * *", at: "2026-03-01T00:00:00Z" }, "bad-schedule"],
  ["a time that is past", { at: "2020-01-01T00:00:00Z" }, "bad-schedule"],
  ["a time that is none", { at: "later" }, "bad-time"],
  ["a zone that is none", { cron: "0 8 * * *", zone: "Nowhere" }, "bad-zone"],
  ["a policy that is none", { cron: "0 8 * * *", missed: "all" }, "bad-request"],
  ["a channel of its own", { cron: "0 8 * * *", channel: "web" }, "bad-request"],
];
for (const [what, body, problem] of badSchedules)
  test(`a schedule with ${what} is not made`, async () => {
    const answer = await served.bo("POST /agents/ada/schedules", { title: "x", input: "y", ...body });
    expect(code(answer)).toEqual([400, problem]);
  });

test("a run is read with its answer, by whom it is for", async () => {
  const { bo, cy, operator, store } = served;
  const scope = { agent: "ada", user: "bo" };
  const { body } = await bo("POST /agents/ada/schedules", { title: "Due", input: "Go.", at: "2026-02-18T12:01:00Z" });
  served.wait(120);
  const [planned] = await store.schedules.list(scope);
  expect(planned?.id).toBe(body.id);
  const run = await ran(store, scope, body.id);
  expect((await bo("GET /agents/ada/runs")).body).toEqual({
    runs: [
      {
        id: run,
        scope,
        schedule: body.id,
        dueAt: "2026-02-18T12:01:00.000Z",
        state: "answered",
        tries: 1,
        nextTryAt: null,
        turn: "run-1",
        reason: null,
        startedAt: "2026-02-18T12:02:00.000Z",
        endedAt: "2026-02-18T12:02:00.000Z",
        title: "Due",
        reply: "You have no mail.",
      },
    ],
    more: false,
  });
  const seen = async (ask: typeof bo, query = "") => (await ask(`GET /agents/ada/runs${query}`)).body.runs.length;
  expect([await seen(operator), await seen(operator, "?user=bo&state=answered"), await seen(cy)]).toEqual([1, 1, 0]);
  expect([await seen(bo, "?schedule=other"), await seen(bo, "?state=failed")]).toEqual([0, 0]);
  expect(code(await bo("GET /agents/ada/runs?user=cy"))).toEqual([404, "not-found"]);
  // A turn that is not kept any more.
  await store.home.write("everything", (db) => db.run({ texts: ["delete from turns where id = 'run-1'"], values: [] }));
  expect((await bo("GET /agents/ada/runs")).body.runs).toMatchObject([{ state: "answered", reply: null }]);
});

/** One run of a schedule, as a runner would leave it behind. */
async function ran(store: Served["store"], scope: { agent: string; user: string }, schedule: string): Promise<string> {
  await store.turns.open({ scope, id: "run-1", input: "Go.", channel: "scheduled" });
  await store.turns.close("run-1", { state: "answered", reply: "You have no mail." });
  const id = `run-of-${schedule}`;
  await store.home.write("everything", (db) =>
    db.run({
      texts: [
        "insert into runs (id, agent, user_id, schedule, due_at, state, tries, turn, started_at, ended_at) values (",
        ", ",
        ", ",
        ", ",
        ", '2026-02-18T12:01:00.000Z', 'answered', 1, 'run-1', '2026-02-18T12:02:00.000Z', '2026-02-18T12:02:00.000Z')",
      ],
      values: [id, scope.agent, scope.user, schedule],
    }),
  );
  return id;
}

test("a chat is linked by a code, listed, and unlinked", async () => {
  const { bo, cy, operator, store } = served;
  const made = await bo("POST /agents/ada/links", { channel: "telegram" });
  const { code: words } = made.body;
  expect([made.status, made.body]).toEqual([
    201,
    {
      code: expect.stringMatching(/^\w{8}$/),
      expiresAt: "2026-02-18T12:12:00.000Z",
      url: `https://t.me/ada_bot?start=${words}`,
    },
  ]);
  expect((await bo("POST /agents/eve/links", { channel: "telegram" })).body).not.toHaveProperty("url");
  expect(await store.links.redeem("ada", "telegram", words, "12345")).toMatchObject({ scope: { user: "bo" } });
  const link = {
    scope: { agent: "ada", user: "bo" },
    channel: "telegram",
    address: "12345",
    at: "2026-02-18T12:02:00.000Z",
  };
  expect((await bo("GET /agents/ada/links")).body).toEqual({ links: [link], more: false });
  expect((await operator("GET /agents/ada/links?user=bo")).body.links).toEqual([link]);
  expect((await cy("GET /agents/ada/links")).body.links).toEqual([]);
  expect(code(await cy("DELETE /agents/ada/links/telegram/12345"))).toEqual([404, "unknown-link"]);
  expect((await bo("DELETE /agents/ada/links/telegram/12345")).body).toEqual({ unlinked: "12345" });
  expect(code(await bo("DELETE /agents/ada/links/telegram/12345"))).toEqual([404, "unknown-link"]);
  expect(code(await operator("GET /agents/ada/links"))).toEqual([400, "needs-user"]);
  expect(code(await operator("POST /agents/ada/links", { channel: "telegram" }))).toEqual([400, "needs-user"]);
  expect((await operator("POST /agents/ada/links", { channel: "telegram", user: "bo" })).status).toBe(201);
  expect((await bo("POST /agents/ada/links", { channel: "pigeon" })).status).toBe(201);
  expect(code(await bo("POST /agents/ada/links", { channel: "a\npigeon" }))).toEqual([400, "bad-name"]);
  expect(code(await bo("POST /agents/ada/links", { channel: "telegram", user: "cy" }))).toEqual([404, "not-found"]);
});
