import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { createStore } from "../../src/store/index.ts";
import { calls, scripted } from "../agent/model.ts";
import { newPlace } from "../homes.ts";

/** Over HTTP the context of a turn is the operator's, or a claim of the user's JSON Web Token. */

const secret = "a secret of 32 bytes, for tests.";

async function stage(claim: string | undefined) {
  const place = await newPlace("sqlite");
  const store = await createStore(place.open());
  await store.agents.add({ name: "ada", charter: "assistant", model: "openai/gpt-5" });
  const seen: unknown[] = [];
  const look = defineTool({
    ...{ name: "look", summary: "Looks", input: z.object({}) },
    trusted: true,
    harmless: true,
    run: (_, { context }) => `${seen.push(context)}`,
  });
  const model = scripted(Array.from({ length: 20 }, (_, at) => (at % 2 ? "Done." : calls(["look"]))));
  const host = createHost({ store, env: {}, tools: [look], loadModel: async () => model });
  const app = createApi({
    host,
    operator: "olga",
    routes: allRoutes,
    jwt: { secret, ...(claim ? { context: claim } : {}) },
  });
  const ask = async (token: string, body: object) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const answer = await app.fetch(
      new Request("http://localhost/api/agents/ada/turns", { method: "POST", headers, body: JSON.stringify(body) }),
    );
    return { status: answer.status, body: (await answer.json()) as { error?: { code: string; message: string } } };
  };
  const jwt = (claims: Record<string, unknown>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .setSubject("bo")
      .setExpirationTime("1m")
      .sign(new TextEncoder().encode(secret));
  const token = async (kind: "operator" | "user") =>
    (await store.tokens.create(kind === "user" ? { name: kind, kind, user: "bo" } : { name: kind, kind })).secret;
  const close = async () => {
    await store.close();
    await place.remove();
  };
  return { seen, ask, jwt, token, close };
}

test("an operator gives it in the body; a user is refused, with either kind of token and in either shape", async () => {
  const { seen, ask, jwt, token, close } = await stage("charter_context");
  const context = { tenant: "acme", plan: "paid" };
  expect((await ask(await token("operator"), { input: "Go.", user: "bo", context })).status).toBe(200);
  expect(seen).toEqual([context]);
  const chat = { id: "c", messages: [{ role: "user", parts: [{ type: "text", text: "Go." }] }], context };
  for (const secretOf of [await token("user"), await jwt({}), await jwt({ charter_context: { plan: "free" } })])
    for (const body of [{ input: "Go.", context }, { input: "Go.", context: null }, chat])
      expect(await ask(secretOf, body)).toMatchObject({
        status: 403,
        body: { error: { code: "not-allowed", message: "This token does not allow giving a turn its context." } },
      });
  expect(seen).toEqual([context]);
  await close();
});

test("a user's is the claim that the configuration names, and no other", async () => {
  const { seen, ask, jwt, token, close } = await stage("charter_context");
  await ask(await jwt({ charter_context: { plan: "free" }, context: { plan: "paid" } }), { input: "Go." });
  await ask(await jwt({ context: { plan: "paid" } }), { input: "Go." });
  await ask(await token("user"), { input: "Go." });
  expect(seen).toEqual([{ plan: "free" }, undefined, undefined]);
  const long = await ask(await token("operator"), { input: "Go.", context: "x".repeat(20_000) });
  expect([long.status, long.body.error?.code]).toEqual([400, "bad-context"]);
  await close();
});

test("where no claim is named, none is taken; nor is what every object has", async () => {
  const none = await stage(undefined);
  await none.ask(await none.jwt({ context: { plan: "paid" }, charter_context: 1 }), { input: "Go." });
  expect(none.seen).toEqual([undefined]);
  await none.close();
  const odd = await stage("constructor");
  await odd.ask(await odd.jwt({}), { input: "Go." });
  expect(odd.seen).toEqual([undefined]);
  await odd.close();
});
