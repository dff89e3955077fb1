import { describe, expect, test } from "vitest";
import { signInLink } from "../../../src/operations/users/tokens.ts";
import { newServed, servedForAll } from "../served.ts";
import { askAt, asPage, codeFor, handIn, headersOf, own, signIn } from "./chat-stage.ts";

const served = servedForAll();

const bo = { user: "bo", agent: "ada" };
const me = (headers: Record<string, string>) => askAt(served, "GET /chat/api/me", headers);
const outOfThere = [401, "signed-out"];
const told = async (headers: Record<string, string>) => {
  const { status, body } = await me(headers);
  return [status, body.error?.code];
};

test("a link keeps its code where no server and no other page sees it", async () => {
  expect(await signInLink(served.store, "https://charter.example.org/", bo)).toMatch(
    /^https:\/\/charter\.example\.org\/chat#charter_[\w-]{43}$/,
  );
});

test("a code is handed in once, for a cookie and a second half; with both one is that user with that agent", async () => {
  const code = await codeFor(served, bo);
  const answer = await handIn(served, code);
  expect([answer.status, answer.body]).toEqual([
    200,
    { half: expect.stringMatching(/^[\w-]{43}$/), ...bo, expiresAt: "2026-03-20T12:00:00.000Z" },
  ]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^charter_chat=charter_[\w-]{43}; Max-Age=2592000; Path=\/chat; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(answer.body.half);
  const chat = { cookie: cookie.split(";")[0] as string, half: answer.body.half };
  const who = await me(headersOf(chat));
  expect([who.status, who.body, who.headers.get("cache-control")]).toEqual([
    200,
    { id: expect.any(String), kind: "user", by: "chat-cookie", ...bo, zone: null },
    "no-store",
  ]);
  const again = await handIn(served, code);
  expect([again.status, again.body.error.code, again.headers.get("set-cookie")]).toEqual([401, "bad-sign-in", null]);
});

test("over TLS the cookie never goes without", async () => {
  const code = await codeFor(served, bo);
  const { headers } = await handIn(served, code, { origin: "https://localhost", "x-charter-csrf": "1" });
  expect(headers.get("set-cookie")).toMatch(/; Path=\/chat; HttpOnly; Secure; SameSite=Strict$/);
});

test("of eight who hand in one code at once, one is let in", async () => {
  const code = await codeFor(served, bo);
  const answers = await Promise.all(Array.from({ length: 8 }, () => handIn(served, code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
});

test("a stolen cookie is nothing, nor is the half alone, nor halves of two sessions", async () => {
  const [chat, other] = [await signIn(served, bo), await signIn(served, { user: "cy", agent: "ada" })];
  const { cookie, half } = chat;
  for (const headers of [
    { ...own, cookie },
    { ...own, cookie, "x-charter-half": "" },
    { ...own, cookie, "x-charter-half": other.half },
    { ...own, cookie, "x-charter-half": `${half}.` },
    { ...own, "x-charter-half": half },
    { ...own, cookie: other.cookie, "x-charter-half": half },
    { ...own, cookie: `charter_chat=${half}`, "x-charter-half": cookie.split("=")[1] as string },
    { ...own, authorization: `Bearer ${cookie.split("=")[1]}.${half}` },
    {},
  ] as Record<string, string>[])
    expect([headers, await told(headers)]).toEqual([headers, outOfThere]);
  expect((await me(headersOf(chat))).status).toBe(200);
});

test("nothing that opens the API opens this door, and what opens this door opens nothing else", async () => {
  const chat = await signIn(served, bo);
  const operator = await served.token({ kind: "operator" });
  const user = await served.token({ kind: "user", user: "bo" });
  for (const secret of [operator, user, await served.jwt("bo")]) {
    expect(await told({ ...own, authorization: `Bearer ${secret}` })).toEqual(outOfThere);
    for (const name of ["charter_session", "charter_chat"])
      for (const half of [{}, { "x-charter-half": chat.half }] as Record<string, string>[])
        expect(await told({ ...own, ...half, cookie: `${name}=${secret}` })).toEqual(outOfThere);
  }
  const secret = chat.cookie.split("=")[1] as string;
  const elsewhere: Record<string, string>[] = [
    headersOf(chat),
    { ...headersOf(chat), cookie: `charter_session=${secret}` },
    { ...headersOf(chat), cookie: `charter_session=${secret}.${chat.half}` },
    { authorization: `Bearer ${secret}` },
    { authorization: `Bearer ${secret}.${chat.half}` },
  ];
  for (const headers of elsewhere)
    for (const path of ["/api/me", "/api/agents/ada/memory", "/openapi.json", "/metrics"])
      expect([path, (await askAt(served, `GET ${path}`, headers)).status]).toEqual([path, 401]);
  expect((await askAt(served, "POST /sign-out", headersOf(chat))).status).toBe(401);
  expect((await me(headersOf(chat))).status).toBe(200);
});

test("an operator's code does not work here, nor a user's at the studio; neither is used up by it", async () => {
  const code = await codeFor(served, bo);
  const operators = (await signInLink(served.store, "http://localhost")).split("#")[1] as string;
  const atStudio = (given: string) => askAt(served, "POST /sign-in", own, { code: given });
  expect([(await handIn(served, operators)).status, (await atStudio(code)).status]).toEqual([401, 401]);
  expect([(await handIn(served, code)).status, (await atStudio(operators)).status]).toEqual([200, 200]);
});

test("nothing but a code signs in", async () => {
  const token = await served.token({ kind: "user", user: "bo", agent: "ada" });
  for (const code of [token, await served.jwt("bo"), "", "charter_x", 7, null, { $ne: "" }, "a".repeat(500)])
    expect([code, (await handIn(served, code)).status]).toEqual([code, 401]);
});

test("a code is over after ten minutes, a session after thirty days", async () => {
  const stage = await newServed();
  const [first, second] = [await codeFor(stage, bo), await codeFor(stage, bo)];
  stage.wait(599);
  const answer = await handIn(stage, first);
  const headers = headersOf({
    cookie: answer.headers.get("set-cookie")?.split(";")[0] as string,
    half: answer.body.half,
  });
  stage.wait(1);
  expect((await handIn(stage, second)).status).toBe(401);
  stage.wait(30 * 86_400 - 2);
  expect((await askAt(stage, "GET /chat/api/me", headers)).status).toBe(200);
  stage.wait(1);
  expect((await askAt(stage, "GET /chat/api/me", headers)).status).toBe(401);
  await stage.close();
});

test("who guesses codes has to wait, and so do guesses of sessions", async () => {
  const stage = await newServed({ limits: { failuresPerMinute: 3 } });
  const chat = await signIn(stage, bo);
  const code = await codeFor(stage, bo);
  for (const guess of ["charter_a", "charter_b", "charter_c"]) expect((await handIn(stage, guess)).status).toBe(401);
  const later = await handIn(stage, code);
  expect([later.status, later.body.error.code, later.headers.get("retry-after")]).toEqual([429, "rate-limited", "20"]);
  const guessed = { ...own, cookie: "charter_chat=charter_x", "x-charter-half": "y" };
  expect((await askAt(stage, "GET /chat/api/me", guessed)).status).toBe(429);
  stage.wait(20);
  expect((await handIn(stage, code)).status).toBe(200);
  expect((await askAt(stage, "GET /chat/api/me", headersOf(chat))).status).toBe(200);
  await stage.close();
});

describe("other pages", () => {
  const foreign: [what: string, headers: Record<string, string>][] = [
    ["another site's page", { origin: "https://evil.example", "sec-fetch-site": "cross-site", "x-charter-csrf": "1" }],
    ["another port's page", { origin: "http://localhost:9", "sec-fetch-site": "same-site", "x-charter-csrf": "1" }],
    ["a page in a box", { origin: "null", "sec-fetch-site": "cross-site", "x-charter-csrf": "1" }],
  ];
  for (const [what, headers] of foreign)
    test(`${what} neither signs anyone in nor reads nor writes with a session`, async () => {
      const code = await codeFor(served, bo);
      expect((await handIn(served, code, headers)).status).toBe(403);
      expect((await handIn(served, code)).status).toBe(200);
      const { cookie, half } = await signIn(served, bo);
      const asked = { ...headers, cookie, "x-charter-half": half };
      expect(await told(asked)).toEqual([403, "foreign-page"]);
      expect((await askAt(served, "PATCH /chat/api/me", asked, { zone: "Europe/Rome" })).status).toBe(403);
      expect((await askAt(served, "POST /chat/sign-out", asked)).status).toBe(403);
      expect((await served.store.users.find("bo"))?.zone ?? null).toBe(null);
    });
});

describe("the end of a session", () => {
  test("signing out ends this one; another link ends none", async () => {
    const [first, second] = [await signIn(served, bo), await signIn(served, bo)];
    expect((await me(headersOf(first))).status).toBe(200);
    const answer = await askAt(served, "POST /chat/sign-out", headersOf(first), {});
    expect([answer.status, answer.body, answer.headers.get("set-cookie")]).toEqual([
      200,
      { signedIn: false },
      "charter_chat=; Max-Age=0; Path=/chat; HttpOnly; SameSite=Strict",
    ]);
    expect([(await me(headersOf(first))).status, (await me(headersOf(second))).status]).toEqual([401, 200]);
  });

  test("a user ends all of theirs at once, and nobody else's; a body of another shape ends none", async () => {
    const chats = [await signIn(served, bo), await signIn(served, bo), await signIn(served, { ...bo, user: "cy" })];
    const [mine] = chats as [(typeof chats)[0]];
    expect((await askAt(served, "POST /chat/sign-out", headersOf(mine), { everywher: true })).status).toBe(400);
    const code = await codeFor(served, bo);
    expect((await askAt(served, "POST /chat/sign-out", headersOf(mine), { everywhere: true })).status).toBe(200);
    const statuses = await Promise.all(chats.map(async (chat) => (await me(headersOf(chat))).status));
    expect([statuses, (await handIn(served, code)).status]).toEqual([[401, 401, 200], 401]);
  });

  test("the operator sees a session among the tokens, without its words, and revokes it", async () => {
    const chat = await signIn(served, { user: "dee", agent: "ada" });
    const { body } = await served.operator("GET /tokens?limit=1000");
    const listed = body.tokens.filter(({ user }: { user: string }) => user === "dee");
    // The code that led there is listed till the next one is made.
    expect(listed.map(({ kind, agent }: { kind: string; agent: string }) => `${kind} ${agent}`)).toEqual([
      "sign-in ada",
      "chat ada",
    ]);
    expect(JSON.stringify(body)).not.toContain(chat.half);
    expect((await served.operator(`DELETE /tokens/${listed[1].id}`)).status).toBe(200);
    expect(await told(headersOf(chat))).toEqual(outOfThere);
  });

  test("it ends with the erasure of its user, also by a link that was not used yet, and with its agent", async () => {
    const [eli, fay] = [
      { user: "eli", agent: "ada" },
      { user: "fay", agent: "one" },
    ];
    await served.store.agents.add({ name: "one", charter: "assistant" });
    const [first, second] = [await signIn(served, eli), await signIn(served, fay)];
    const codes = [await codeFor(served, eli), await codeFor(served, fay)];
    await served.operator("DELETE /users/eli");
    await served.operator("DELETE /agents/one");
    for (const chat of [first, second]) expect(await told(headersOf(chat))).toEqual(outOfThere);
    for (const code of codes) expect((await handIn(served, code)).status).toBe(401);
  });
});

test("a session is of one agent: of the others it is told as of none", async () => {
  const ask = asPage(served, await signIn(served, bo));
  const { body } = await ask("GET /agents");
  expect(body.agents).toEqual([{ name: "ada" }]);
  const [eve, nowhere] = [await ask("GET /agents/eve/memory"), await ask("GET /agents/nowhere/memory")];
  expect([eve.status, nowhere.status]).toEqual([404, 404]);
  expect(JSON.stringify(eve.body)).toBe(JSON.stringify(nowhere.body).replaceAll("nowhere", "eve"));
});

test("users and agents with hostile names sign in as just themselves", async () => {
  const names = ["../../x", "a/b", "bo%00", "o'; drop table tokens; --", "<img src=x onerror=alert(1)>", "БО", "1.e"];
  for (const user of names) {
    const chat = await signIn(served, { user, agent: "ada" });
    const { body, headers } = await me(headersOf(chat));
    expect([body.user, headers.get("content-type")]).toEqual([user, "application/json"]);
  }
  await expect(codeFor(served, { user: "a\nb", agent: "ada" })).rejects.toMatchObject({ code: "bad-name" });
});
