import { expect, test } from "vitest";
import { newServed, servedForAll } from "../served.ts";
import { askAt, asPage, handIn, own } from "./chat-stage.ts";

const served = servedForAll();

/** As the page of an invitation does, when its button is pressed. */
const accept = (code: string, headers: Record<string, string> = own) =>
  askAt(served, "POST /chat/invitation", headers, { code, query: "" });

test("fifty people are invited in one request, and each is with the agent after two steps", async () => {
  const people = Array.from({ length: 50 }, (_, place) => ({ user: `person ${place + 1}` }));
  const { status, body } = await served.operator("POST /agents/ada/invitations", { people, days: 14 });
  expect([status, body.invitations.length, body.already]).toEqual([201, 50, []]);
  expect(body.invitations[0]).toEqual({
    id: expect.any(String),
    agent: "ada",
    user: "person 1",
    state: "open",
    createdAt: "2026-02-18T12:00:00.000Z",
    expiresAt: "2026-03-04T12:00:00.000Z",
    usedAt: null,
    revokedAt: null,
    url: expect.stringMatching(/^http:\/\/localhost\/chat\/invitation#charter_[\w-]{43}$/),
  });
  for (const { url, user } of body.invitations as { url: string; user: string }[]) {
    const accepted = await accept(new URL(url).hash.slice(1));
    expect(accepted.body).toEqual({ url: expect.stringMatching(/^\/chat#charter_[\w-]{43}$/) });
    const session = await handIn(served, accepted.body.url.split("#")[1]);
    expect(session.body).toMatchObject({ user, agent: "ada" });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const said = await asPage(served, { cookie, half: session.body.half })("POST /agents/ada/turns", {
      input: "Hello.",
    });
    expect(said.status).toBe(200);
  }
  const listed = await served.operator("GET /invitations?limit=100");
  expect(new Set(listed.body.invitations.map(({ state }: { state: string }) => state))).toEqual(new Set(["used"]));
  expect((await served.operator("GET /users?prefix=person")).body.total).toBe(50);

  const again = await served.operator("POST /agents/ada/invitations", { people: [...people, { user: "late" }] });
  expect([again.body.invitations.length, again.body.already.length]).toEqual([1, 50]);
});

test("used, revoked, expired or made up, it lets nobody in, and nothing tells them apart", async () => {
  const invite = async (user: string) => {
    const { body } = await served.operator("POST /agents/eve/invitations", { people: [{ user }], days: 1 });
    return { id: body.invitations[0].id as string, code: new URL(body.invitations[0].url).hash.slice(1) };
  };
  const [used, revoked, expired] = [await invite("u"), await invite("r"), await invite("e")];
  expect((await accept(used.code)).status).toBe(200);
  expect((await served.operator(`DELETE /invitations/${revoked.id}`)).body.invitations).toMatchObject([
    { user: "r", state: "revoked" },
  ]);
  expect((await served.operator(`DELETE /invitations/${revoked.id}`)).status).toBe(404);
  served.wait(86_400);
  const answers = await Promise.all(
    [used.code, revoked.code, expired.code, "charter_guess", ""].map((one) => accept(one)),
  );
  const told = answers.map(({ status, body }) => [status, body.error.code, body.error.message]);
  const no = [401, "bad-sign-in", "The invitation is unknown, has expired or was already used."];
  expect(told).toEqual(answers.map(() => no));
});

test("it is no code and no token, and a code is no invitation", async () => {
  const { body } = await served.operator("POST /agents/ada/invitations", { people: [{ user: "ann" }] });
  const code = new URL(body.invitations[0].url).hash.slice(1);
  expect((await handIn(served, code)).status).toBe(401);
  expect((await askAt(served, "POST /sign-in", own, { code })).status).toBe(401);
  expect((await served.as(code)("GET /me")).status).toBe(401);
  const link = await served.operator("POST /agents/ada/sign-in-links", { user: "ann" });
  expect((await accept(new URL(link.body.url).hash.slice(1))).status).toBe(401);
  const foreign = { ...own, origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };
  expect((await accept(code, foreign)).status).toBe(403);
  expect((await accept(code)).status).toBe(200);
});

test("looking at its page uses nothing up; without an issuer there is none to sign in at", async () => {
  const { status, text, headers } = await askAt(served, "GET /chat/invitation");
  expect([status, headers.get("content-security-policy")]).toEqual([200, expect.stringContaining("script-src 'self'")]);
  expect(text).toContain('<button type="button" id="go">');
  expect((await askAt(served, "GET /chat/oidc")).status).toBe(401);
  expect(text).not.toContain("data-issuer");
});

test("guesses are counted with those of codes and tokens", async () => {
  const strict = await newServed({ limits: { failuresPerMinute: 3 } });
  const statuses: number[] = [];
  for (const code of ["charter_1", "charter_2", "charter_3", "charter_4"])
    statuses.push((await askAt(strict, "POST /chat/invitation", own, { code, query: "" })).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  await strict.close();
});
