import { expect, test } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { createStore } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";
import { newPlace } from "../homes.ts";

const output = { type: "object", properties: { people: { type: "integer" } }, required: ["people"] };

test("over HTTP a user's JSON Schema gives a value; an answer that does not fit is a problem with the reply", async () => {
  const place = await newPlace("sqlite");
  const store = await createStore(place.open());
  await store.agents.add({ name: "ada", charter: "assistant", model: "openai/gpt-5" });
  const model = scripted(['{"people":3}', "Three.", "About three."]);
  const host = createHost({ store, env: {}, loadModel: async () => model });
  const app = createApi({ host, operator: "olga", routes: allRoutes });
  const { secret } = await store.tokens.create({ name: "bo", kind: "user", user: "bo" });
  const ask = async (body: object) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
    const about = { method: "POST", headers, body: JSON.stringify({ input: "How many?", ...body }) };
    const answer = await app.fetch(new Request("http://localhost/api/agents/ada/turns", about));
    return { status: answer.status, body: await answer.json() };
  };
  try {
    expect(await ask({ output })).toMatchObject({
      status: 200,
      body: { reply: '{"people":3}', output: { people: 3 } },
    });
    expect(await ask({ output })).toMatchObject({
      status: 502,
      body: { error: { code: "bad-output", reply: "About three.", turn: expect.any(String) } },
    });
    expect(await ask({ output: { $ref: "#" } })).toMatchObject({
      status: 400,
      body: { error: { code: "bad-output-schema" } },
    });
    expect((await ask({ output: "text" })).status).toBe(400);
  } finally {
    await store.close();
    await place.remove();
  }
});
