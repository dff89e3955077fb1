import { afterEach, expect, test } from "vitest";
import { caller, mcpCall, newElsewhere } from "./elsewhere.ts";

let stage: Awaited<ReturnType<typeof newElsewhere>>;
afterEach(() => stage.served.close());

async function newStage(about?: Parameters<typeof newElsewhere>[0]) {
  stage = await newElsewhere(about);
  const { served, paid, done } = stage;
  const secret = await served.token({ kind: "agent", agent: "ada", user: "bo" });
  return { ...served, served, paid, done, call: caller(served, secret) };
}

/** Calls one after the other: the tool, and what the call says of itself. The last one pays: it does, or it waits. */
type Call = [tool: string, says?: { session?: string; anew?: true; foreign?: true }];
const [s1, s2] = [{ session: "s1" }, { session: "s2" }];

const rows: [what: string, calls: Call[], last: "pays" | "waits"][] = [
  ["names no session", [["pay"]], "waits"],
  ["names a session", [["pay", s1]], "pays"],
  [
    "read our own words in it",
    [
      ["look_up", s1],
      ["pay", s1],
    ],
    "pays",
  ],
  [
    "read others' words in it",
    [
      ["read_page", s1],
      ["pay", s1],
    ],
    "waits",
  ],
  [
    "read them before our own",
    [
      ["read_page", s1],
      ["look_up", s1],
      ["pay", s1],
    ],
    "waits",
  ],
  [
    "read them in the session before",
    [
      ["read_page", s1],
      ["pay", s2],
    ],
    "waits",
  ],
  [
    "read them two sessions before",
    [
      ["read_page", s1],
      ["look_up", s2],
      ["pay", { session: "s3" }],
    ],
    "waits",
  ],
  [
    "read them elsewhere, and begins anew",
    [
      ["read_page", s1],
      ["pay", { ...s2, anew: true }],
    ],
    "pays",
  ],
  [
    "goes on where it began anew",
    [
      ["read_page", s1],
      ["pay", { ...s2, anew: true }],
      ["pay", s2],
    ],
    "pays",
  ],
  [
    "says anew of a session that is none",
    [
      ["read_page", s1],
      ["pay", { ...s1, anew: true }],
    ],
    "waits",
  ],
  [
    "began another anew, and comes back",
    [
      ["read_page", s1],
      ["look_up", { ...s2, anew: true }],
      ["pay", s1],
    ],
    "waits",
  ],
  [
    "has a clean session beside it",
    [
      ["pay", s2],
      ["read_page", s1],
      ["pay", s2],
    ],
    "pays",
  ],
  ["says that the words are others'", [["pay", { ...s1, foreign: true }]], "waits"],
  [
    "said so before",
    [
      ["look_up", { ...s1, foreign: true }],
      ["pay", s1],
    ],
    "waits",
  ],
  ["read them in no session, and then names one", [["read_page"], ["pay", s1]], "waits"],
  ["read them in no session, amid one", [["pay", s1], ["read_page"], ["pay", s1]], "waits"],
  ["read them in no session, and begins anew", [["read_page"], ["pay", { ...s1, anew: true }]], "pays"],
];
test.for(rows)("a program that %s", async ([, calls, last]) => {
  const { call, paid } = await newStage();
  const answers = [];
  for (const [tool, says] of calls) answers.push(await call(tool, { to: "ida" }, says));
  const pays = calls.filter(([tool]) => tool === "pay").length;
  const { status, body } = answers.at(-1) as (typeof answers)[number];
  if (last === "pays") expect([status, body.tainted, paid.length]).toEqual([200, false, pays]);
  else expect([status, body.tainted, body.held, paid.length]).toEqual([202, true, expect.any(String), pays - 1]);
});

test("another token, another user's and the operator's have sessions of their own", async () => {
  const { served, call, token, paid, operator } = await newStage();
  await call("read_page", {}, s1);
  const others = [{ user: "bo" }, { user: "cy" }].map(({ user }) => token({ kind: "agent", agent: "ada", user }));
  for (const other of others) expect((await caller(served, await other)("pay", { to: "ida" }, s1)).status).toBe(200);
  const pay = (says: object) => operator("POST /agents/ada/tools/pay", { input: { to: "ida" }, user: "bo", ...says });
  await operator("POST /agents/ada/tools/read_page", { user: "bo" });
  expect((await pay({})).status).toBe(200);
  expect(paid).toEqual(["ida", "ida", "ida"]);
  expect((await pay({ foreign: true })).status).toBe(202);
});

test("what a call says of others' words holds while it runs", async () => {
  const { call, done, store } = await newStage();
  const running = call("wait", {}, { ...s1, foreign: true });
  await expect.poll(() => store.turns.count({ state: "running" })).toBe(1);
  expect((await call("pay", { to: "ida" }, s1)).status).toBe(202);
  done.resolve("At last.");
  expect((await running).body).toMatchObject({ output: "At last.", tainted: true });
});

test("what is on record says so: the turn is tainted, a note is foreign, and a person reads why", async () => {
  const { call, store, operator } = await newStage();
  await call("save_memory", { content: "Mallory is a friend." });
  const { body } = await call("pay", { to: "mallory" });
  const notes = await store.memory.list({ agent: "ada", user: "bo" });
  expect(notes).toMatchObject([{ text: "Mallory is a friend.", tainted: true }]);
  expect(await store.turns.get(body.turn)).toMatchObject({ state: "answered", tainted: true });
  const { question } = (await operator(`GET /approvals/${body.held}`)).body;
  expect(question.sentence).toBe(
    "The agent wants to use “pay” with to: mallory. You are asked because the program that asked for it did not say in which conversation, so it may have read text of others.",
  );
});

test("a call that waited is made once, when it is approved and asked for again", async () => {
  const { call, bo, cy, paid, token, served } = await newStage();
  await call("read_page", {}, s1);
  const first = await call("pay", { to: "ida" }, s1);
  const { held } = first.body;
  const goOn = (more: object = s1) => call("pay", undefined, { held, ...more });
  expect(await goOn()).toMatchObject({ status: 202, body: { held, turn: first.body.turn, failed: false } });
  expect((await goOn({})).body.error.code).toBe("unknown-call");
  expect((await call("look_up", undefined, { held, ...s1 })).body.error.code).toBe("unknown-call");
  const others = caller(served, await token({ kind: "agent", agent: "ada", user: "cy" }));
  expect((await others("pay", undefined, { held, ...s1 })).status).toBe(404);
  expect((await cy(`POST /approvals/${held}/approve`, {})).status).toBe(404);
  await bo(`POST /approvals/${held}/approve`, {});
  const made = await Promise.all([goOn(), goOn()]);
  expect(paid).toEqual(["ida"]);
  expect(made.map(({ status }) => status)).toContain(200);
  expect(await goOn()).toMatchObject({ status: 200, body: { output: "Paid 1.", failed: false, tainted: true } });
  // What it brought belongs to the session, which stays tainted.
  expect((await call("pay", { to: "ida" }, s1)).status).toBe(202);
});

test("a call that was rejected says so, and what says nothing together is refused", async () => {
  const { call, bo, paid } = await newStage();
  const { held } = (await call("pay", { to: "ida" })).body;
  await bo(`POST /approvals/${held}/reject`, { reason: "Not Ida." });
  const { status, body } = await call("pay", undefined, { held });
  expect([status, body.failed, JSON.parse(body.output)]).toEqual([
    200,
    true,
    { verdict: "refused", because: "Not Ida." },
  ]);
  expect(paid).toEqual([]);
  const wrong: [unknown, object][] = [
    [{ to: "ida" }, { held }],
    [undefined, { held, foreign: true }],
    [undefined, { anew: true }],
    [undefined, { session: " " }],
  ];
  for (const [input, more] of wrong) expect((await call("pay", input, more)).body.error.code).toBe("bad-request");
});

test("a change of the prompt waits under its own id, and is made with the approval", async () => {
  const { call, bo } = await newStage();
  const change = (words: string, says?: object) => call("update_instructions", { instructions: words }, says);
  const { status, body } = await change("Answer in verse.");
  expect([status, JSON.parse(body.output).verdict]).toEqual([202, "held"]);
  const goOn = () => call("update_instructions", undefined, { held: body.held });
  expect((await goOn()).status).toBe(202);
  await bo(`POST /approvals/${body.held}/approve`, {});
  const { status: now, body: made } = await goOn();
  expect([now, JSON.parse(made.output)]).toEqual([200, { verdict: "accepted", revision: 1 }]);
  expect((await change("Sing.", s1)).status).toBe(202);
  expect((await change("Hum.", { session: "s2", anew: true })).status).toBe(200);
});

test.for([
  ["a user's token, in their own section", { kind: "user", user: "bo" }, "ada", "instructions"],
  ["an operator's token, in a user's section", { kind: "operator" }, "ada", "instructions"],
  ["an operator's token, in a section that all users read", { kind: "operator" }, "sol", "decisions"],
] as const)(
  "over MCP, what a model proposes waits, unless it is trusted: with %s",
  async ([, token, agent, section]) => {
    for (const trusted of [true, false]) {
      const { served, store, operator } = await newStage({ mcpServer: { trusted } });
      await store.agents.add({ name: "sol", charter: "sovereign" });
      const user = agent === "ada" ? "?user=bo" : "";
      const text = async () => (await operator(`GET /agents/${agent}/sections/${section}${user}`)).body.text;
      const proposal = { agent, section, operation: { kind: "append", content: "Mallory is a friend." } };
      const about = token.kind === "operator" && user !== "" ? { user: "bo" } : {};
      const made = await mcpCall(served, await served.token(token), "sections_propose", { ...proposal, ...about });
      expect([trusted, made.verdict]).toEqual([trusted, trusted ? "accepted" : "held"]);
      expect((await text()).includes("Mallory")).toBe(trusted);
      if (trusted) await served.close();
      else {
        const because =
          "A person must approve this change, because a model proposed it over MCP, and what else that has read is not known here.";
        expect(made.refusals).toContainEqual({ guard: "needs-approval", because });
        await operator(`POST /approvals/${made.held}/approve`, {});
        expect(await text()).toContain("Mallory is a friend.");
      }
    }
  },
);
