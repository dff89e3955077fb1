import { Hono } from "hono";
import { expect, test } from "vitest";
import type { TurnOutcome, Watcher } from "../../../src/agent/turn-interface.ts";
import { Problem } from "../../../src/prompt/problem.ts";
import type { ApiEnv } from "../../../src/server/api.ts";
import { streamTurn, type TurnHandle } from "../../../src/server/turns/turn-stream.ts";

const because: TurnHandle["problemOf"] = (failed) =>
  "thrown" in failed && !(failed.thrown instanceof Problem)
    ? { code: "internal", message: "Something went wrong.", hint: "Tell the operator.", stopped: false }
    : { code: "model-busy", message: "It is busy.", hint: "Wait.", stopped: false };

/** A turn that goes as the test says, streamed through a server that has nothing else. */
function stage(startTimeoutMs?: number) {
  const logged: unknown[] = [];
  const outcome = Promise.withResolvers<TurnOutcome>();
  let on: Watcher = () => {};
  const app = new Hono<ApiEnv>();
  app.onError((error, context) => context.json({ thrown: error.message }, 500));
  app.post("/", (context) => {
    context.set("caller", { kind: "operator", id: "o", by: "token" });
    context.set("hold", () => {});
    context.set("access", { ended: new AbortController().signal, follow: () => {}, close: () => {} });
    context.set("requestId", "request-1");
    return streamTurn(context, {
      renewsSession: false,
      log: (entry) => logged.push(entry),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
      start: (watching) => {
        on = watching.on ?? on;
        return { id: () => "turn-1", outcome: outcome.promise, problemOf: because };
      },
    });
  });
  const began = () => on({ turn: "turn-1", kind: "turn-start", agent: "ada", session: "session-1", input: "hello" });
  return { ask: () => app.request("/", { method: "POST" }), outcome, logged, began };
}

const typesIn = (text: string) => [...text.matchAll(/"type":"([\w-]+)"/g)].map(([, type]) => type);

test("a turn that has to wait for the one before it is answered all the same; what fails then is told in the stream", async () => {
  const { ask, outcome } = stage(1);
  const answer = await ask();
  expect(answer.status).toBe(200);
  outcome.reject(new Problem("session-ended", "It ended.", "Begin anew."));
  const text = await answer.text();
  expect(typesIn(text)).toEqual(["error", "finish"]);
  expect(text).toMatch(/It is busy. Wait.[\s\S]*data: \[DONE\]\n\n$/);
});

test("what fails before the turn began has a status of its own, and no stream", async () => {
  const { ask, outcome, logged } = stage();
  outcome.reject(new Problem("unknown-agent", "There is none.", "Add one."));
  const answer = await ask();
  expect([answer.status, await answer.json(), logged]).toEqual([500, { thrown: "There is none." }, []]);
});

test("what nobody foresaw is in the log by its request and turn, and not in the stream", async () => {
  const { ask, outcome, logged, began } = stage();
  const asked = ask();
  began();
  const answer = await asked;
  outcome.reject(new TypeError("the words of Ada"));
  const text = await answer.text();
  expect(typesIn(text)).toEqual(["start", "error", "finish"]);
  expect(text).not.toContain("Ada");
  expect(logged).toEqual([
    {
      ...{ request: "request-1", turn: "turn-1", status: 500, code: "internal" },
      failure: { name: "TypeError", at: expect.any(Array) },
    },
  ]);
  expect(JSON.stringify(logged)).not.toContain("Ada");
});
