import { expect, test } from "vitest";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { servedForAll } from "../served.ts";

const served = servedForAll();

test("a user is told the agents' names, an operator everything, an agent's program nothing", async () => {
  expect((await served.bo("GET /agents")).body).toEqual({
    agents: [{ name: "ada" }, { name: "eve" }],
    more: false,
    total: 2,
  });
  const only = served.as(await served.token({ kind: "user", user: "bo", agent: "eve" }));
  expect((await only("GET /agents")).body).toEqual({ agents: [{ name: "eve" }], more: false, total: 1 });
  const { body } = await served.operator("GET /agents?limit=1");
  expect(body).toEqual({
    agents: [
      {
        name: "ada",
        charter: "assistant",
        model: "openai/gpt-5",
        settings: {},
        frozen: null,
        amended: 0,
        needs: [],
        served: true,
        version: expect.stringMatching(/^[0-9a-f]{16}$/),
        createdAt: "2026-02-18T12:00:00.000Z",
        updatedAt: "2026-02-18T12:00:00.000Z",
        week: { turns: 0, users: 0, cost: null, failed: 0, days: [0, 0, 0, 0, 0, 0, 0] },
        waiting: 0,
      },
    ],
    more: true,
    total: 2,
  });
  const program = served.as(await served.token({ kind: "agent", agent: "ada" }));
  expect((await program("GET /agents")).status).toBe(403);
});

test("agents are found by letters of their names and labels", async () => {
  const { operator } = served;
  await operator("POST /agents", { name: "front", charter: "assistant", label: "Desk of ADA" });
  const found = async (query: string) => {
    const { body } = await operator(`GET /agents?limit=1&query=${encodeURIComponent(query)}`);
    return [body.agents.map(({ name }: { name: string }) => name), body.total];
  };
  expect(await found("Ada ")).toEqual([["ada"], 2]);
  expect(await found("desk")).toEqual([["front"], 1]);
  expect(await found("%")).toEqual([[], 0]);
  expect((await served.bo("GET /agents?query=eve")).body.agents).toEqual([{ name: "eve" }]);
  await operator("DELETE /agents/front");
});

test("an agent's models are a text, or a list whose first is asked first", async () => {
  const { operator } = served;
  const models = ["openai/gpt-5", "google/gemini-3.8-flash"];
  const added = await operator("POST /agents", { name: "lea", charter: "assistant", model: models });
  expect([added.status, added.body.model, added.body.fallbacks]).toEqual([201, models[0], [models[1]]]);
  const set = async (model: unknown) => {
    const { body } = await operator("PATCH /agents/lea", { model });
    return body.error?.code ?? [body.model, ...(body.fallbacks ?? [])];
  };
  expect(await set("openai/gpt-5")).toEqual(models);
  expect(await set(["openai/gpt-5"])).toEqual(["openai/gpt-5"]);
  expect(await set("openai/gpt-5, google/gemini-3.8-flash")).toEqual(models);
  expect((await operator("PATCH /agents/lea", { settings: { zone: "UTC" } })).body.fallbacks).toEqual([models[1]]);
  expect(await set(["openai/gpt-5", "openai/gpt-5"])).toBe("bad-model");
  expect(await set(["openai/gpt-5", "acp/claude"])).toBe("bad-model");
  expect(await set(null)).toEqual([null]);
  await operator("DELETE /agents/lea");
});

test("an operator adds an agent, sets it up anew, and stops it", async () => {
  const { operator } = served;
  const given = { name: "zoë-1", charter: "assistant", settings: { zone: "UTC", zoon: 1 } };
  expect((await operator("POST /agents", given)).body.error).toEqual({
    code: "bad-settings",
    message: "The charter assistant does not read “zoon”.",
    hint: "Did you mean “zone”? docs/facts.md lists what each charter is told.",
  });
  const added = await operator("POST /agents", { ...given, settings: { zone: "UTC" }, label: "Zoë" });
  expect([added.status, added.body]).toEqual([
    201,
    {
      name: "zoë-1",
      charter: "assistant",
      model: null,
      settings: { zone: "UTC" },
      label: "Zoë",
      frozen: null,
      createdAt: "2026-02-18T12:00:00.000Z",
      updatedAt: "2026-02-18T12:00:00.000Z",
      version: expect.any(String),
      needs: [],
      served: true,
    },
  ]);
  const path = `/agents/${encodeURIComponent("zoë-1")}`;
  const merged = await operator(`PATCH ${path}`, { settings: { original: { soul: "# Be\nKind." } } });
  expect(merged.body).toMatchObject({
    settings: { zone: "UTC", original: { soul: "### Be\nKind." } },
    label: "Zoë",
    notices: [
      {
        code: "headings-lowered",
        section: "soul",
        message: "The heading in “soul” was as high as the section's own, and was lowered below it.",
      },
    ],
  });
  expect((await operator(`PATCH ${path}`, { replace: true })).status).toBe(400);
  const changed = await operator(`PATCH ${path}`, { model: "openai/gpt-5", settings: {}, replace: true, label: null });
  expect(changed.body).not.toHaveProperty("label");
  expect(changed.body).toMatchObject({ charter: "assistant", model: "openai/gpt-5", settings: {} });
  expect((await operator(`PATCH ${path}`, { model: null })).body).toMatchObject({ model: null, settings: {} });
  expect((await operator(`POST ${path}/freeze`)).body).toMatchObject({ frozen: "amendments" });
  expect((await operator(`POST ${path}/freeze`, { what: "agent" })).body).toMatchObject({ frozen: "agent" });
  expect((await operator(`POST ${path}/thaw`)).body).toMatchObject({ frozen: null });
  expect((await operator(`GET ${path}`)).body).toMatchObject({ name: "zoë-1", sections: [] });
});

test("settings that make a text of all users each user's own, or the reverse, say so", async () => {
  const { operator } = served;
  const original = "Be kind.";
  const settings = { original, settings: { scope: "agent" } };
  await operator("POST /agents", { name: "pip", charter: "artifact", settings });
  const told = async (given: object) => {
    const { body } = await operator("PATCH /agents/pip", { settings: given, replace: true });
    return body.notices?.map(({ code, message }: { code: string; message: string }) => [code, message]);
  };
  expect([await told({ original }), await told({ original }), await told(settings)]).toEqual([
    [
      [
        "scope-changed",
        "“prompt” was one text for all users and is each user's own now: each begins with its original, and what all read is sent to nobody. Set the scope that it had to undo this.",
      ],
    ],
    undefined,
    [
      [
        "scope-changed",
        "“prompt” was each user's own and is one text for all users now: it begins with its original, and theirs are sent to nobody. Set the scope that it had to undo this.",
      ],
    ],
  ]);
});

test("an operator is told who answers for an agent", async () => {
  const { body } = await served.operator("GET /agents/ada");
  expect(body).toMatchObject({ answersWith: { model: "test/one", standIn: false } });
});

test("an operator is told how the command is typed where the server runs; nobody else is", async () => {
  const { operator, bo } = served;
  expect((await operator("GET /me")).body).toMatchObject({ command: { name: "charter", options: "" } });
  expect((await bo("GET /me")).body).not.toHaveProperty("command");
});

test("two who change an agent at once: the second is told, and loses nothing", async () => {
  const { operator } = served;
  const { body: read } = await operator("POST /agents", { name: "two", charter: "assistant" });
  const first = await operator("PATCH /agents/two", { settings: { zone: "Europe/Rome" }, version: read.version });
  expect([first.status, first.body.version === read.version]).toEqual([200, false]);
  const second = await operator("PATCH /agents/two", { settings: {}, replace: true, version: read.version });
  expect([second.status, second.body.error]).toEqual([
    409,
    {
      code: "stale",
      message: "The settings of “two” were changed since you read them. Nothing was saved.",
      hint: "Read them again, and make your change on top of them.",
    },
  ]);
  // Freezing is no change of its settings.
  const { body: frozen } = await operator("POST /agents/two/freeze");
  expect(frozen.version).toBe(first.body.version);
  const third = await operator("PATCH /agents/two", { label: "Both", version: frozen.version });
  expect([third.status, third.body.settings, third.body.label]).toEqual([200, { zone: "Europe/Rome" }, "Both"]);
  expect((await operator("PATCH /agents/two", { version: third.body.version })).body.error.code).toBe("usage");
  await operator("DELETE /agents/two");
});

const wrong: [what: string, request: string, body: unknown, status: number, code: string][] = [
  ["a name that is taken", "POST /agents", { name: "ada", charter: "assistant" }, 409, "agent-exists"],
  ["a name that is none", "POST /agents", { name: " ", charter: "assistant" }, 400, "bad-name"],
  ["a charter nobody knows", "POST /agents", { name: "x", charter: "butler" }, 404, "unknown-charter"],
  ["a charter that is code", "POST /agents", { name: "x", charter: "/tmp/mine.ts" }, 403, "not-allowed"],
  ["the same later", "PATCH /agents/ada", { charter: "../mine.js" }, 403, "not-allowed"],
  [
    "words that stand",
    "POST /agents",
    { name: "x", charter: "assistant", settings: { standing: {} } },
    400,
    "bad-settings",
  ],
  ["settings it cannot use", "PATCH /agents/ada", { settings: { zone: 7 } }, 400, "bad-facts"],
  ["nothing to set", "PATCH /agents/ada", {}, 400, "usage"],
  ["an unknown field", "POST /agents", { name: "x", charter: "assistant", modle: "y" }, 400, "bad-request"],
  ["an agent there is not", "GET /agents/nobody", undefined, 404, "unknown-agent"],
  ["a page of nothing", "GET /agents?limit=0", undefined, 400, "bad-request"],
];
for (const [what, request, body, status, code] of wrong)
  test(`${what}: ${status}`, async () => {
    const answer = await served.operator(request, body);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message + answer.body.error.hint).not.toMatch(/undefined|\[object/);
  });

test("a prompt is shown for a user, a channel, a moment and an edition", async () => {
  const { operator, store } = served;
  await store.users.put({ id: "bo", zone: "Asia/Kolkata" });
  const { status, body } = await operator(
    "GET /agents/ada/prompt?user=bo&channel=telegram&at=2026-02-18T15:04:00Z&edition=full",
  );
  expect(status).toBe(200);
  expect(body.text).toContain("Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)");
  expect(body.text).toContain("You are responding via telegram.");
  expect(body.text).toContain(
    "Available tools: update_instructions, read_memory, save_memory, update_memory, forget_memory, set_reminder",
  );
  expect(body.edition).toBe("full");
  expect(body.sections.map(({ name }: { name: string }) => name)).toEqual([
    "soul",
    "safety",
    "channel",
    "time",
    "memory",
    "instructions",
    "tools",
  ]);
  const later = await operator(`GET /agents/ada/prompt?at=${encodeURIComponent("2026-02-18T15:04:00+05:30")}`);
  expect(later.body.text).toContain("Wednesday, February 18, 2026 at 10:34 AM (Europe/Berlin)");
  // As people write it into an address.
  const bare = await operator("GET /agents/ada/prompt?at=2026-02-18T15:04:00+05:30");
  expect(bare.body.text).toBe(later.body.text);
});

const moments = ["tomorrow", "2026-02-30", "2026-02-18T25:00Z", "2026-02-18 15:04", "1", "", "+275760-09-14"];
for (const at of moments)
  test(`“${at}” is no moment a prompt can be shown for`, async () => {
    const { status, body } = await served.operator(`GET /agents/ada/prompt?at=${encodeURIComponent(at)}`);
    expect([status, body.error]).toEqual([
      400,
      {
        code: "bad-time",
        message: `“${at}” is no time.`,
        hint: "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.",
      },
    ]);
  });

test("a channel that is none, and an edition that is none", async () => {
  expect((await served.operator("GET /agents/ada/prompt?channel=pigeon")).body.error.code).toBe("unknown-channel");
  expect((await served.operator("GET /agents/ada/prompt?edition=pocket")).body.error.code).toBe("bad-request");
});

test("everyone is told who they are, and sets their own time zone", async () => {
  const { operator, bo, as, token, jwt } = served;
  const whole = { id: expect.any(String), by: "token", zone: null, agent: null };
  expect((await operator("GET /me")).body).toEqual({
    ...whole,
    command: { name: "charter", options: "" },
    kind: "operator",
    user: "olga",
  });
  const program = as(await token({ kind: "agent", agent: "ada", user: "bo" }));
  expect((await program("GET /me")).body).toEqual({ ...whole, kind: "agent", user: "bo", agent: "ada" });
  const signed = as(await jwt("dee"));
  expect((await signed("GET /me")).body).toEqual({ ...whole, kind: "user", user: "dee", by: "jwt" });
  expect((await bo("PATCH /me", { zone: "Asia/Tokyo" })).body).toMatchObject({ user: "bo", zone: "Asia/Tokyo" });
  expect((await operator("PATCH /me", { zone: "UTC" })).body).toMatchObject({ user: "olga", zone: "UTC" });
  expect((await bo("PATCH /me", { zone: null })).body).toMatchObject({ user: "bo", zone: null });
  expect((await bo("PATCH /me", { zone: "Mars/Olympus" })).body.error.code).toBe("bad-zone");
  expect((await bo("PATCH /me", { zone: "UTC", user: "cy" })).body.error.code).toBe("bad-request");
  expect((await program("PATCH /me", { zone: "UTC" })).status).toBe(403);
});

test("an operator sets users up, whatever their ids hold, and erases them", async () => {
  const { operator, bo, store } = served;
  const ids = ["a/b", "ü@example.org", "50%", "a?b#c", "x y", "🦊", "a%2Fb", "CORP\\ann"];
  for (const id of ids) {
    const path = `/users/${encodeURIComponent(id)}`;
    const put = await operator(`PUT ${path}`, { zone: "Europe/Rome" });
    expect([put.status, put.body.id, put.body.zone]).toEqual([200, id, "Europe/Rome"]);
    expect((await operator(`PUT ${path}`, {})).body.zone).toBe("Europe/Rome");
    expect((await operator(`GET ${path}`)).body).toEqual({ ...put.body, with: [] });
  }
  const { body } = await operator("GET /users?prefix=a&limit=2");
  expect([body.users.map(({ id }: { id: string }) => id), body.more]).toEqual([["a%2Fb", "a/b"], true]);

  await store.memory.save({ agent: "ada", user: "a/b" }, { text: "Likes figs." });
  const gone = await operator("DELETE /users/a%2Fb?agent=ada");
  expect(gone.body).toMatchObject({ user: "a/b", erased: true, agents: ["ada"], rows: { memories: 1 } });
  expect((await operator("DELETE /users/a%2Fb?shared=true")).body).toMatchObject({
    erased: false,
    rows: {},
    shared: [],
  });
  expect((await operator("GET /users/nobody")).body.error.code).toBe("not-found");
  expect((await operator("PUT /users/%20", {})).body.error.code).toBe("bad-name");
  expect((await operator("PUT /users/bo", { zone: "Nowhere" })).body.error.code).toBe("bad-zone");
  for (const request of ["GET /users", "GET /users/bo", "DELETE /users/bo"])
    expect((await bo(request)).status).toBe(403);
});

test("a token's words are told once, and it opens what it is for until it is taken back", async () => {
  const { operator, as } = served;
  const made = await operator("POST /tokens", {
    name: "Bo's phone",
    kind: "user",
    user: "bo",
    agent: "ada",
    expiresAt: "2026-02-19",
  });
  const { secret, ...told } = made.body;
  expect([made.status, told]).toEqual([
    201,
    {
      id: expect.any(String),
      name: "Bo's phone",
      kind: "user",
      agent: "ada",
      user: "bo",
      createdAt: "2026-02-18T12:00:00.000Z",
      expiresAt: "2026-02-19T00:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
    },
  ]);
  expect((await as(secret)("GET /me")).body).toMatchObject({ user: "bo", agent: "ada" });
  const listed = JSON.stringify((await operator("GET /tokens?limit=1000")).body);
  expect(listed).toContain(told.id);
  expect(listed).not.toContain(secret);
  expect((await operator("GET /tokens?limit=1")).body.more).toBe(true);
  expect((await operator(`DELETE /tokens/${told.id}`)).body).toEqual({ revoked: told.id });
  expect((await as(secret)("GET /me")).status).toBe(401);
  expect((await operator(`DELETE /tokens/${told.id}`)).body.error.code).toBe("unknown-token");
});

const badTokens: [what: string, body: object][] = [
  ["an operator for a user", { name: "x", kind: "operator", user: "bo" }],
  ["a way to sign in", { name: "x", kind: "sign-in" }],
  ["an end that is no time", { name: "x", kind: "operator", expiresAt: "soon" }],
];
for (const [what, body] of badTokens)
  test(`no token is made for ${what}`, async () => {
    expect((await served.operator("POST /tokens", body)).status).toBe(400);
  });

test("a token for an agent there is not is not made", async () => {
  const { status } = await served.operator("POST /tokens", { name: "x", kind: "agent", agent: "nobody" });
  expect(status).toBe(404);
});

test("an agent that is removed takes no turns, and its name is nobody else's", async () => {
  const { operator, store } = served;
  await operator("POST /agents", { name: "old", charter: "assistant" });
  const token = await served.token({ kind: "user", user: "bo", agent: "old" });
  const gone = await operator("DELETE /agents/old");
  expect([gone.status, gone.body]).toMatchObject([200, { name: "old", frozen: "agent" }]);
  const { code, message } = (await operator("GET /agents/old")).body.error;
  expect([code, message]).toEqual([
    "agent-removed",
    "The agent “old” was removed on 2026-02-18 at 12:00 UTC. Its name stays with its records.",
  ]);
  expect((await served.as(token)("GET /me")).status).toBe(401);
  expect((await operator("POST /agents", { name: "old", charter: "assistant" })).status).toBe(404);
  expect((await operator("POST /turns", { agent: "old", user: "bo", input: "Hi." })).status).toBe(404);
  const names = ({ body }: { body: { agents: { name: string }[] } }) => body.agents.map(({ name }) => name);
  expect(names(await operator("GET /agents"))).not.toContain("old");
  expect(names(await operator("GET /agents?removed=true"))).toContain("old");
  expect(names(await served.bo("GET /agents?removed=true"))).not.toContain("old");
  expect((await verifyStore(store.home)).faults.filter(({ row }) => row.includes("old"))).toEqual([]);
});
