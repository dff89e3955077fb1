import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, newServed, type Served } from "../served.ts";
import { libreChat, openWebui } from "./chat-pages.ts";
import { post, user } from "./gateway-stage.ts";

let served: Served;
let secret: string;
beforeAll(async () => {
  served = await newServed({ openai: true });
  secret = await served.token({ kind: "user", user: "bo" });
});
afterAll(() => served.close());

describe.each(Object.entries({ "Open WebUI": openWebui, LibreChat: libreChat }))("%s", (_page, requests) => {
  test.each(Object.entries(requests))("%s is answered", async (_what, one) => {
    const { status, headers, body } = await post(served, secret, one.body, one.headers);
    expect(status).toBe(200);
    const said: string = Array.isArray(body)
      ? body.map((chunk: Json) => chunk.choices?.[0]?.delta.content ?? "").join("")
      : body.choices[0].message.content;
    expect(said).toBe("Fine.");
    const turn = await served.store.turns.get(headers.get("x-charter-turn") as string);
    expect([turn.state, turn.scope]).toEqual(["answered", { agent: "ada", user: "bo" }]);
  });
});

test("a limit of tokens reaches the model of an agent that is asked once, and is on record", async () => {
  const { headers } = await post(served, secret, {
    ...{ model: "ada:once", max_completion_tokens: 30 },
    messages: [user("A short title.")],
  });
  expect(served.model.requests.at(-1)?.answerTokens).toBe(30);
  const [step] = await served.store.steps.of(headers.get("x-charter-turn") as string);
  expect(step?.receipt?.answerTokens).toBe(30);
  for (const limit of [0, 1.5, "30", -1]) {
    const more = { model: "ada:once", max_tokens: limit, messages: [user("A title.")] };
    expect((await post(served, secret, more)).body.error.param).toBe("max_tokens");
  }
});
