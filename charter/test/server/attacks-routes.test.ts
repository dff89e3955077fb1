import { EventEmitter } from "node:events";
import { afterEach, expect, test } from "vitest";
import { allRoutes } from "../../src/server/app.ts";
import { base, type Core, newCore } from "./core/core-stage.ts";

let core: Core;
afterEach(() => core.close());

const told = async (answer: Response) => (await answer.json()) as { error?: { code: string; message: string } };

test("a list of nothing but mistakes is not gone through one by one", async () => {
  core = await newCore({ routes: allRoutes });
  const send = (messages: string) =>
    core.ask("/api/agents/assistant/turns", {
      token: core.tokens.ada,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"id":"x","messages":[${messages}]}`,
    });
  const endless = await send(`${"1,".repeat(500_000)}1`);
  expect([endless.status, (await told(endless)).error]).toEqual([
    413,
    { code: "too-large", message: "The body has more than 50,000 values.", hint: "Send fewer at once." },
  ]);
  const hidden = await send(`{"role":"user","parts":[${"1,".repeat(200_000)}1]}`);
  expect(hidden.status).toBe(413);
  const long = await send(`${"1,".repeat(40_000)}1`);
  const text = await long.text();
  expect([long.status, text.length < 20_000]).toEqual([400, true]);
  expect(JSON.parse(text).error.invalid).toHaveLength(50);
  expect(JSON.parse(text).error.message).toContain("and 39,951 more");
});

test("commas in words are no values", async () => {
  core = await newCore({ routes: allRoutes });
  const json = { input: `${',[{\\"'.repeat(6_000)}` };
  expect((await core.ask("/api/agents/assistant/turns", { token: core.tokens.ada, json })).status).toBe(200);
});

for (const accept of ["text/event-stream", "application/json"])
  test(`who hangs up on a turn that runs has no room for another, as ${accept}`, async () => {
    core = await newCore({ routes: allRoutes, limits: { concurrentRequests: { user: 1 } } });
    const finish = Promise.withResolvers<string>();
    core.model.say(() => finish.promise);
    const outgoing = Object.assign(new EventEmitter(), { destroyed: false });
    const json = { input: "hello", session: "new" };
    const headers = { accept, authorization: `Bearer ${core.tokens.ada}`, "content-type": "application/json" };
    const request = () =>
      new Request(`${base}/api/agents/assistant/turns`, { method: "POST", headers, body: JSON.stringify(json) });
    const asked = core.app.fetch(request(), { outgoing } as never);
    await expect.poll(() => core.model.requests.length).toBe(1);
    if (accept === "text/event-stream") await (await asked).body?.cancel();
    outgoing.emit("close");
    expect([(await core.app.fetch(request())).status, core.house.runningTurns()]).toEqual([429, 1]);
    finish.resolve("Fine.");
    await asked;
    await expect.poll(() => core.house.runningTurns()).toBe(0);
    expect((await core.app.fetch(request())).status).toBe(200);
  });

test("a key is known by the words it was sent in, to its sender alone; an empty one is none", async () => {
  core = await newCore({ routes: allRoutes });
  const propose = async (token: string, content: string, key: string) => {
    const json = { section: "instructions", operation: { kind: "append", content } };
    const answer = await core.ask("/api/agents/assistant/proposals", {
      token,
      json,
      headers: { "idempotency-key": key },
    });
    return [answer.status, (await told(answer)).error?.message];
  };
  const { ada, bob } = core.tokens;
  expect(await propose(ada, "- One.", "k")).toEqual([201, undefined]);
  expect(await propose(bob, "- Two.", "k")).toEqual([201, undefined]);
  expect(await propose(ada, "- Two.", "k")).toEqual([409, "This Idempotency-Key was used for another proposal."]);
  expect((await propose(ada, "- Three.", ""))[0]).toBe(400);
});

test("what an operator has set up wrong is theirs to read about; to others the service has a fault", async () => {
  core = await newCore();
  const ask = async (code: string, token: string) => {
    const answer = await core.ask(`/api/problem/${code}`, { token });
    return [answer.status, (await told(answer)).error?.message];
  };
  for (const code of ["bad-facts", "bad-settings", "unknown-charter", "unknown-model", "unknown-tokenizer"]) {
    const [status, words] = await ask(code, core.tokens.operator);
    expect([Number(status) < 500, words]).toEqual([true, "At db.internal:5432 it went wrong."]);
    for (const token of [core.tokens.ada, core.tokens.agent])
      expect(await ask(code, token)).toEqual([500, "The service cannot answer this now."]);
  }
});
