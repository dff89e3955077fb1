import { afterAll, beforeAll, expect, test } from "vitest";
import { type Core, newCore } from "./core-stage.ts";

let core: Core;
let time = 0;
beforeAll(async () => {
  core = await newCore({ stopwatch: () => (time += 10) });
});
afterAll(() => core.close());

const metrics = async () => (await core.ask("/metrics", { token: core.tokens.operator })).text();
const linesOf = (text: string, name: string) => text.split("\n").filter((line) => line.startsWith(name));

test("requests are counted by route, never by what was in the address", async () => {
  await core.ask("/api/places/canary-place?query=canary-query", { token: core.tokens.ada });
  await core.ask("/api/places/canary-other", { token: core.tokens.ada });
  await core.ask("/api/canary-nowhere", { token: core.tokens.ada });
  await core.ask("/api/places/canary-place");
  await core.ask("/api/places/canary", { token: core.tokens.ada, method: "CANARY" });
  const text = await metrics();
  expect(linesOf(text, "charter_requests_total")).toEqual([
    'charter_requests_total{method="GET",route="/api/places/:place",status="200"} 2',
    'charter_requests_total{method="GET",route="none",status="404"} 1',
    'charter_requests_total{method="GET",route="/api/places/:place",status="401"} 1',
    'charter_requests_total{method="OTHER",route="none",status="405"} 1',
  ]);
  expect(linesOf(text, "charter_request_seconds_count")).toEqual([
    'charter_request_seconds_count{route="/api/places/:place"} 3',
    'charter_request_seconds_count{route="none"} 2',
  ]);
  expect(linesOf(text, 'charter_request_seconds_bucket{route="none"')).toEqual([
    'charter_request_seconds_bucket{route="none",le="0.005"} 0',
    'charter_request_seconds_bucket{route="none",le="0.02"} 2',
    'charter_request_seconds_bucket{route="none",le="0.1"} 2',
    'charter_request_seconds_bucket{route="none",le="0.5"} 2',
    'charter_request_seconds_bucket{route="none",le="2"} 2',
    'charter_request_seconds_bucket{route="none",le="10"} 2',
    'charter_request_seconds_bucket{route="none",le="+Inf"} 2',
  ]);
  expect(text).not.toContain("canary");
  expect(text.toLowerCase()).not.toContain("ada");
});

test("turns are counted by agent, channel and state, whoever takes them, with what they used", async () => {
  core.model.say("Fine.");
  const turn = { agent: "assistant", user: "ada", input: "canary-input" };
  await core.house.runTurn({ ...turn, channel: "web" });
  await core.house.runTurn({ ...turn, channel: "web" });
  core.model.say({ fault: { code: "model-failed", message: "canary-fault", retry: false } });
  await core.house.runTurn({ ...turn, channel: "telegram" });
  await core.house.runTurn({ ...turn, channel: "canary-channel" }).catch(() => {});
  const text = await metrics();
  expect(linesOf(text, "charter_turns_total")).toEqual([
    'charter_turns_total{agent="assistant",channel="web",state="answered"} 2',
    'charter_turns_total{agent="assistant",channel="telegram",state="failed"} 1',
    'charter_turns_total{agent="assistant",channel="unknown",state="failed"} 1',
  ]);
  expect(linesOf(text, "charter_turn_seconds_count")).toEqual([
    'charter_turn_seconds_count{agent="assistant",channel="web"} 2',
    'charter_turn_seconds_count{agent="assistant",channel="telegram"} 1',
    'charter_turn_seconds_count{agent="assistant",channel="unknown"} 1',
  ]);
  expect(linesOf(text, "charter_model_tokens_total")).toEqual([
    'charter_model_tokens_total{agent="assistant",kind="input"} 2000',
    'charter_model_tokens_total{agent="assistant",kind="read"} 1200',
    'charter_model_tokens_total{agent="assistant",kind="written"} 200',
    'charter_model_tokens_total{agent="assistant",kind="output"} 40',
  ]);
  expect(linesOf(text, "charter_turns_running")).toEqual(["charter_turns_running 0"]);
  expect(text).not.toContain("canary");
});

test("what waits in the store is counted when asked", async () => {
  const stage = await newCore();
  const { store } = stage;
  const scope = { agent: "assistant", user: "ada" };
  const about = { scope, channel: "telegram", address: "canary-chat" };
  for (const id of ["1", "2"]) await store.updates.put({ ...about, id, body: "canary-body" });
  await store.dispatches.add([{ ...about, body: "canary-body" }]);
  const text = await (await stage.ask("/metrics", { token: stage.tokens.operator })).text();
  const labels = '{agent="assistant",channel="telegram"}';
  expect(linesOf(text, "charter_updates_open")).toEqual([`charter_updates_open${labels} 2`]);
  expect(linesOf(text, "charter_dispatches_open")).toEqual([`charter_dispatches_open${labels} 1`]);
  expect(linesOf(text, "charter_runs_open")).toEqual([]);
  expect(text).not.toContain("canary");
  await stage.close();
});

test("what Prometheus reads is well formed, and only the operator reads it", async () => {
  const answer = await core.ask("/metrics", { token: core.tokens.operator });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) charter_\w+ .+|charter_\w+(?:\{(?:\w+="[^"]*",?)+\})? [\d.]+)$/);
  expect((await core.ask("/metrics", { token: core.tokens.agent })).status).toBe(403);
});

test("the log knows who asked for which route, and nothing anyone said", async () => {
  core.lines.length = 0;
  const json = { name: "canary-name", more: "canary-more" };
  await core.ask("/api/greet/canary-place?loud=canary-query", { token: core.tokens.ada, json });
  await core.ask("/api/who", { headers: { authorization: "Bearer canary_token", "user-agent": "canary-agent" } });
  await core.ask("/api/canary%0Apath", { token: core.tokens.ada });
  await core.ask("/sign-in", {
    json: { code: "canary_code" },
    headers: { origin: "http://canary", cookie: "a=canary" },
  });
  const id = (await core.store.tokens.list()).find(({ user }) => user === "ada")?.id;
  const [request, ms] = [expect.stringMatching(/^[\da-f-]{36}$/), 10];
  expect(core.lines).toEqual([
    { request, method: "POST", route: "/api/greet/:place", status: 400, ms, caller: id, code: "bad-request" },
    { request, method: "GET", route: "/api/who", status: 401, ms, code: "wrong-token" },
    { request, method: "GET", route: "none", status: 400, ms, code: "bad-request" },
    { request, method: "POST", route: "/sign-in", status: 403, ms, code: "foreign-page" },
  ]);
});
