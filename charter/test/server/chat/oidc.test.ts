import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newServed, type Served } from "../served.ts";
import { askAt, asPage, handIn, own } from "./chat-stage.ts";
import { clientId, issuerAddress as issuer, type Lie, scriptedIssuer } from "./scripted-issuer.ts";

const idp = scriptedIssuer();
let served: Served;
beforeAll(async () => {
  const people = [{ subject: "sub-listed", user: "lia", agent: "ada" }];
  const oidc = { issuer, clientId, clientSecret: "s3cret", people, operators: ["sub-olga"], fetch: idp.fetch };
  served = await newServed({ oidc });
});
afterAll(() => served.close());

type Begun = { readonly url: string; readonly cookie: string };

/** As the page does: it hands in what stands in its address. */
const step = (path: string, asked: { code?: string; query?: string } = {}, cookie?: string) =>
  askAt(served, `POST ${path}`, { ...own, ...(cookie ? { cookie } : {}) }, { code: "", query: "", ...asked });

async function begin(path = "/chat/oidc", asked: { code?: string; query?: string } = {}): Promise<Begun> {
  const answer = await step(path, asked);
  expect(answer.status, answer.text).toBe(200);
  return { url: answer.body.url, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

/** From the first page to what the last one is told. */
async function through(subject: string, begun: Begun, lie: Lie = {}) {
  idp.lies(lie);
  const { returnTo, query } = idp.signsIn(begun.url, subject);
  const answer = await step(new URL(returnTo).pathname, { query }, begun.cookie);
  idp.lies({});
  return answer;
}

const codeIn = (answer: { body: { url: string } }) => answer.body.url.split("#")[1] ?? "";
const invite = async (user: string, agent = "ada") =>
  (await served.store.invitations.create([{ user, agent }], { again: true })).made[0]?.secret ?? "";

/** Everything that signing in could have made. */
const made = async () => ({
  tokens: (await served.store.tokens.list()).length,
  identities: await served.store.identities.list(),
  users: (await served.store.users.list()).map(({ id }) => id),
});

describe("someone whom the list or an invitation names", () => {
  test("comes back with a code of ten minutes, and has the usual session in two halves", async () => {
    const begun = await begin();
    const { origin, pathname, searchParams } = new URL(begun.url);
    expect(`${origin}${pathname}`).toBe("https://id.example.com/authorize");
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "charter",
      response_type: "code",
      scope: "openid",
      redirect_uri: "http://localhost/chat/oidc/return",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const answer = await through("sub-listed", begun);
    expect(answer.body).toEqual({ url: expect.stringMatching(/^\/chat#charter_[\w-]{43}$/) });
    const session = await handIn(served, codeIn(answer));
    expect(session.body).toMatchObject({ user: "lia", agent: "ada" });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const chat = asPage(served, { cookie, half: session.body.half });
    expect((await chat("POST /agents/ada/turns", { input: "Hello." })).status).toBe(200);
    expect((await handIn(served, codeIn(answer))).status).toBe(401);
  });

  test("an invitation binds who signs in from it; from then on they need none", async () => {
    const code = await invite("bo");
    const first = await through("sub-bo", await begin("/chat/invitation", { code }));
    expect((await handIn(served, codeIn(first))).body).toMatchObject({ user: "bo", agent: "ada" });
    expect(await served.store.identities.of({ issuer, subject: "sub-bo" })).toMatchObject([
      { agent: "ada", user: "bo" },
    ]);
    const again = await step("/chat/invitation", { code });
    expect([again.status, again.body.error.code]).toEqual([401, "bad-sign-in"]);
    const later = await through("sub-bo", await begin());
    expect((await handIn(served, codeIn(later))).body).toMatchObject({ user: "bo", agent: "ada" });
  });

  test("who is known to several agents is asked which; who names one gets that one, and no other", async () => {
    for (const agent of ["ada", "eve"])
      await through("sub-di", await begin("/chat/invitation", { code: await invite("di", agent) }));
    expect((await through("sub-di", await begin())).body).toEqual({ agents: ["ada", "eve"] });
    const eve = await through("sub-di", await begin("/chat/oidc", { query: "?agent=eve" }));
    expect((await handIn(served, codeIn(eve))).body).toMatchObject({ user: "di", agent: "eve" });
    const bos = await through("sub-bo", await begin("/chat/oidc", { query: "?agent=eve" }));
    expect(bos.body.error.code).toBe("unknown-person");
    expect((await step("/chat/oidc", { query: "?agent=nobody" })).status).toBe(404);
  });

  test("an operator on the list comes to the studio, and to nothing else", async () => {
    const begun = await begin("/oidc");
    expect(new URL(begun.url).searchParams.get("redirect_uri")).toBe("http://localhost/oidc/return");
    const answer = await through("sub-olga", begun);
    expect(answer.body.url).toMatch(/^\/sign-in#/);
    expect((await handIn(served, codeIn(answer))).status).toBe(401);
    expect((await askAt(served, "POST /sign-in", own, { code: codeIn(answer) })).body).toMatchObject({
      signedIn: true,
    });
    expect((await through("sub-olga", await begin())).body.error.code).toBe("unknown-person");
  });
});

describe("nobody gets through", () => {
  const lies: readonly [what: string, lie: Lie][] = [
    ["of another issuer", { claims: { iss: "https://evil.example.com" } }],
    ["for another audience", { claims: { aud: "another" } }],
    ["with another nonce", { claims: { nonce: "another" } }],
    ["without a nonce", { claims: { nonce: undefined } as never }],
    ["that is over", { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
    ["signed with another key", { foreignKey: true }],
    ["without a subject", { claims: { sub: undefined } as never }],
  ];
  test.each(lies)("with a token %s, whom it names aside", async (_, lie) => {
    const before = await made();
    for (const [path, subject] of [
      ["/chat/oidc", "sub-listed"],
      ["/oidc", "sub-olga"],
    ] as const) {
      const answer = await through(subject, await begin(path), lie);
      expect([answer.status, answer.body.error.code]).toEqual([401, "bad-sign-in"]);
    }
    expect(await made()).toEqual(before);
  });

  test("with a token for an invitation that does not hold; and the invitation stays good", async () => {
    const code = await invite("eli");
    const before = await made();
    for (const [, lie] of lies) await through("sub-eli", await begin("/chat/invitation", { code }), lie);
    expect(await made()).toEqual(before);
    expect((await through("sub-eli", await begin("/chat/invitation", { code }))).status).toBe(200);
  });

  const strangers: readonly [what: string, subject: string, claims: Lie["claims"]][] = [
    ["a user's name as sub", "bo", {}],
    ["a listed user's name as sub", "lia", {}],
    ["an operator's name as sub", "olga", {}],
    ["another spelling of a known sub", "SUB-LISTED", {}],
    ["a user's name as name", "sub-x", { name: "bo", preferred_username: "bo", nickname: "bo" }],
    ["a user's address, unverified", "sub-y", { email: "bo", email_verified: false }],
    ["a user's address, verified", "sub-z", { email: "bo", email_verified: true }],
    ["groups of operators", "sub-g", { groups: ["operators", "sub-olga"], roles: ["operator"] }],
  ];
  test.each(strangers)("with %s: they are told what to do, and nothing is made", async (_, subject, claims = {}) => {
    const before = await made();
    const answer = await through(subject, await begin(), { claims });
    expect([answer.status, answer.body.error]).toEqual([
      403,
      {
        code: "unknown-person",
        message: `You are signed in at https://id.example.com as “${subject}”, and nobody here is known by that.`,
        hint: "If you were invited, open your invitation and sign in from there. If not, ask whoever runs the assistant to invite you.",
      },
    ]);
    expect((await through(subject, await begin("/oidc"), { claims })).body.error.message).toMatch(
      /which is not on the list of operators\.$/,
    );
    expect(await made()).toEqual(before);
  });

  test("a listed user is no operator, and the other way round", async () => {
    expect((await through("sub-listed", await begin("/oidc"))).status).toBe(403);
    expect((await through("sub-olga", await begin("/chat/oidc"))).status).toBe(403);
  });

  test("with another state, another browser's cookie, or none; and the sign-in stays good", async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const { query } = idp.signsIn(mine.url, "sub-listed");
    const wrong = [
      await step("/chat/oidc/return", { query }),
      await step("/chat/oidc/return", { query }, theirs.cookie),
      await step("/chat/oidc/return", { query: query.replace(/state=.*/, "state=another") }, mine.cookie),
      await step("/chat/oidc/return", { query: query.replace(/&state=.*/, "") }, mine.cookie),
      await step("/chat/oidc/return", { query: query.replace(/state=./, "state=é") }, mine.cookie),
    ];
    expect(wrong.map(({ status, body }) => [status, body.error.code])).toEqual(wrong.map(() => [401, "bad-sign-in"]));
    expect((await step("/chat/oidc/return", { query }, mine.cookie)).status).toBe(200);
  });

  test("with a used code: neither the same sign-in again, nor the code in a new one", async () => {
    const begun = await begin();
    const { query } = idp.signsIn(begun.url, "sub-listed");
    expect((await step("/chat/oidc/return", { query }, begun.cookie)).status).toBe(200);
    idp.lies({ codesStayGood: true });
    expect((await step("/chat/oidc/return", { query }, begun.cookie)).status).toBe(401);
    const next = await begin();
    const state = new URL(next.url).searchParams.get("state");
    const used = query.replace(/state=.*/, `state=${state}`);
    expect((await step("/chat/oidc/return", { query: used }, next.cookie)).status).toBe(401);
    idp.lies({});
  });

  test("with an expired state", async () => {
    const begun = await begin();
    const { query } = idp.signsIn(begun.url, "sub-listed");
    served.wait(600);
    const answer = await step("/chat/oidc/return", { query }, begun.cookie);
    expect(answer.body.error.message).toBe(
      "This sign-in was not begun in this browser, has expired or was already used.",
    );
  });

  test("at the other door: a user's sign-in is none at the studio", async () => {
    const begun = await begin("/oidc");
    const { query } = idp.signsIn(begun.url, "sub-olga");
    expect((await step("/chat/oidc/return", { query }, begun.cookie)).status).toBe(401);
    const chat = await begin("/chat/oidc");
    const asked = idp.signsIn(chat.url, "sub-olga");
    expect((await step("/oidc/return", { query: asked.query }, chat.cookie)).status).toBe(401);
  });

  test("from another page, or without one: the cookie is strict, and every step is asked by the page itself", async () => {
    const answer = await step("/chat/oidc");
    expect(answer.headers.get("set-cookie")).toMatch(
      /^charter_oidc=charter_[\w-]{43}; Max-Age=600; Path=\/chat\/oidc; HttpOnly; SameSite=Strict$/,
    );
    const foreign = { ...own, origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };
    for (const path of ["/chat/oidc", "/chat/oidc/return", "/oidc", "/oidc/return", "/chat/invitation"]) {
      const asked = await askAt(served, `POST ${path}`, foreign, { code: "", query: "" });
      expect([path, asked.status]).toEqual([path, 403]);
    }
  });

  test("when the invitation was revoked meanwhile; nobody is bound by it", async () => {
    const begun = await begin("/chat/invitation", { code: await invite("gil") });
    await served.store.invitations.revoke({ user: "gil" });
    expect((await through("sub-gil", begun)).body.error.message).toBe(
      "The invitation was used, revoked or has expired meanwhile.",
    );
    expect(await served.store.identities.of({ issuer, subject: "sub-gil" })).toEqual([]);
  });

  test("when the list says that they are another user there; and the invitation stays good", async () => {
    const code = await invite("fay");
    const before = await made();
    const answer = await through("sub-listed", await begin("/chat/invitation", { code }));
    expect([answer.status, answer.body.error.code]).toEqual([409, "identity-taken"]);
    expect(await made()).toEqual(before);
    expect((await through("sub-fay", await begin("/chat/invitation", { code }))).status).toBe(200);
  });

  test("when the issuer refuses, its word is told and none of its texts", async () => {
    const { cookie, url } = await begin();
    const state = new URL(url).searchParams.get("state");
    const query = `?error=access_denied&error_description=<b>Call+0900</b>&state=${state}`;
    const { error } = (await step("/chat/oidc/return", { query }, cookie)).body;
    expect(error.message).toBe("You are not signed in by https://id.example.com. Its reason: access_denied.");
  });
});

test("return addresses are fixed: nothing that a request says changes them", async () => {
  for (const query of ["?redirect_uri=https://evil.example.com", "?returnTo=//evil.example.com"])
    expect(new URL((await begin("/chat/oidc", { query })).url).searchParams.getAll("redirect_uri")).toEqual([
      "http://localhost/chat/oidc/return",
    ]);
});

test("an issuer that cannot be reached, or is another than it was said to be, is told as that", async () => {
  for (const lie of [{ down: true }, { metadata: { issuer: "https://evil.example.com" } }]) {
    const other = scriptedIssuer();
    other.lies(lie);
    const stage = await newServed({ oidc: { issuer, clientId, fetch: other.fetch } });
    const answer = await askAt(stage, "POST /chat/oidc", own, { code: "", query: "" });
    expect([answer.status, answer.body.error.code]).toEqual([503, "issuer-unreachable"]);
    other.lies({});
    expect((await askAt(stage, "POST /chat/oidc", own, { code: "", query: "" })).status).toBe(200);
    await stage.close();
  }
});

test("whoever came by another name of this server goes on under the one they come back to", async () => {
  const ask = (path: string, asked: object) =>
    served.app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: "POST",
        headers: { ...own, origin: "http://127.0.0.1", "content-type": "application/json" },
        body: JSON.stringify(asked),
      }),
    );
  const moved = await ask("/chat/oidc", { code: "", query: "?agent=ada" });
  expect([await moved.json(), moved.headers.get("set-cookie")]).toEqual([
    { url: "http://localhost/chat/oidc?agent=ada" },
    null,
  ]);
  const code = await invite("hal");
  expect(await (await ask("/chat/invitation", { code, query: "" })).json()).toEqual({
    url: `http://localhost/chat/invitation#${code}`,
  });
});

test("no more than 120 begin in a minute at one address", async () => {
  const stage = await newServed({ oidc: { issuer, clientId, fetch: idp.fetch } });
  const statuses: number[] = [];
  for (let count = 0; count < 121; count++)
    statuses.push((await askAt(stage, "POST /oidc", own, { code: "", query: "" })).status);
  expect(statuses.filter((status) => status === 200).length).toBe(120);
  expect(statuses.at(-1)).toBe(429);
  await stage.close();
});
