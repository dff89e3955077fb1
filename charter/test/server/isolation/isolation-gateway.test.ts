import { expect, test } from "vitest";
import { callers } from "../who-may.ts";
import { askWith, canary, secrets, served, stageIsolation } from "./isolation-stage.ts";

stageIsolation();

const own = { "the user's": 200, "JWT of the user": 200, "operator's": 200, "another user's": 200 };
const none = { "no token": 401, malformed: 401, expired: 401, revoked: 401, "expired JWT": 401 };
const never = { "another agent's": 403, "the agent's": 403, "the inbox's": 403, "another inbox's": 403 };
const expected: Readonly<Record<string, number>> = {
  ...{ ...own, ...none, ...never },
  "the user's, for another agent": 404,
  "the gateway's": 400,
};

const asking = (secret: string | undefined, more: Record<string, string> = {}) =>
  askWith({ ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }), ...more }, [
    "POST",
    "/v1/chat/completions",
    {
      model: "ada",
      user: "bo",
      messages: [
        { role: "user", content: "Keep this." },
        { role: "assistant", content: "Fine." },
        { role: "user", content: "What did I say before?" },
      ],
    },
  ]);

test("a turn over /v1 is for whoever the token says, whatever is shown", async () => {
  await served.bo("POST /agents/ada/turns", { input: canary });
  const answers: [string, number][] = [];
  for (const caller of callers) {
    const before = served.model.requests.length;
    const { status } = await asking(secrets.get(caller));
    answers.push([caller, status]);
    const sent = JSON.stringify(served.model.requests.slice(before));
    const isBo = caller === "the user's" || caller === "JWT of the user";
    if (!isBo) expect([caller, sent.includes(canary)]).toEqual([caller, false]);
  }
  expect(answers).toEqual(callers.map((caller) => [caller, expected[caller]]));
});

test("a page's token takes turns for whom its header names, and nothing else", async () => {
  const secret = secrets.get("the gateway's");
  const { status } = await asking(secret, { "x-user-id": "dora" });
  expect(status).toBe(200);
  const [turn] = await served.store.turns.list({ agent: "ada", user: "dora" });
  expect(turn?.scope).toEqual({ agent: "ada", user: "dora" });
  for (const [user, wanted] of [
    ["counterpart:shop/bo", 400],
    [" ", 400],
    ["x".repeat(5000), 400],
  ] as const)
    expect([user.slice(0, 20), (await asking(secret, { "x-user-id": user })).status]).toEqual([
      user.slice(0, 20),
      wanted,
    ]);
  const others = await askWith({ authorization: `Bearer ${secret}`, "x-user-id": "bo" }, [
    "GET",
    "/api/agents/ada/turns",
  ]);
  expect(others.status).toBe(403);
  const mcp = await askWith({ authorization: `Bearer ${secret}`, "x-user-id": "bo" }, ["POST", "/mcp", {}]);
  expect(mcp.status).toBe(403);
});

test("one page's token that is for one agent opens no other", async () => {
  const secret = await served.token({ kind: "gateway", agent: "eve" });
  expect((await asking(secret, { "x-user-id": "dora" })).status).toBe(404);
  const models = await askWith({ authorization: `Bearer ${secret}`, "x-user-id": "dora" }, ["GET", "/v1/models"]);
  expect(JSON.parse(models.text).data.map(({ id }: { id: string }) => id)).toEqual(["eve"]);
});
