import { afterAll, beforeAll, expect, test } from "vitest";
import { signInLink } from "../../../src/operations/users/tokens.ts";
import { type Core, newCore } from "./core-stage.ts";

let core: Core;
beforeAll(async () => {
  core = await newCore({ hosts: "any", limits: { failuresPerMinute: 1_000 } });
});
afterAll(() => core.close());

const own = { origin: "http://localhost", "x-charter-csrf": "1" };
const codeOf = (link: string) => link.split("#")[1] as string;
const handIn = (code: unknown, headers: Record<string, string> = own, url = "/sign-in") =>
  core.ask(url, { json: { code }, headers });
const newCode = async () => codeOf(await signInLink(core.store, "http://localhost/"));

async function signIn(url = "http://localhost/sign-in", origin = "http://localhost"): Promise<string> {
  const answer = await handIn(await newCode(), { origin, "x-charter-csrf": "1" }, url);
  expect(answer.status).toBe(200);
  return answer.headers.get("set-cookie")?.split(";")[0] as string;
}

test("a link keeps its code where no server and no other page sees it", async () => {
  const link = await signInLink(core.store, "https://charter.example.org/");
  expect(link).toMatch(/^https:\/\/charter\.example\.org\/sign-in#charter_[\w-]{43}$/);
});

test("a code is handed in for a cookie, once; with it one is the operator, for thirty days", async () => {
  const code = await newCode();
  const answer = await handIn(code);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { signedIn: true, expiresAt: "2026-03-20T12:00:00.000Z" },
  ]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^charter_session=charter_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(code);
  const who = await core.ask("/api/who", { headers: { cookie: cookie.split(";")[0] as string } });
  expect(await who.json()).toEqual({ kind: "operator", id: expect.any(String), by: "cookie" });
  const again = await handIn(code);
  expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
  expect(await again.json()).toMatchObject({ error: { code: "bad-sign-in" } });
});

test("of two who hand in one code at once, one is let in", async () => {
  const code = await newCode();
  const answers = await Promise.all(Array.from({ length: 8 }, () => handIn(code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
});

test("a code is over after ten minutes, a session after thirty days", async () => {
  const stage = await newCore();
  const ask = (code: string) => stage.ask("/sign-in", { json: { code }, headers: own });
  const [first, second] = [codeOf(await signInLink(stage.store, "x")), codeOf(await signInLink(stage.store, "x"))];
  stage.wait(599);
  const answer = await ask(first);
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] as string;
  stage.wait(1);
  expect((await ask(second)).status).toBe(401);
  stage.wait(30 * 86_400 - 2);
  expect((await stage.ask("/api/who", { headers: { cookie } })).status).toBe(200);
  stage.wait(1);
  expect((await stage.ask("/api/who", { headers: { cookie } })).status).toBe(401);
  await stage.close();
});

test("nothing but a code signs in: no token, nothing made up", async () => {
  for (const code of [core.tokens.operator, core.tokens.ada, "", "charter_x", 7, null, { $ne: "" }, "a".repeat(500)])
    expect([code, (await handIn(code)).status]).toEqual([code, 401]);
  expect((await core.ask("/api/who", { token: core.tokens.operator })).status).toBe(200);
});

test("signing out ends the session, not only the cookie", async () => {
  const cookie = await signIn();
  const answer = await core.ask("/sign-out", { method: "POST", headers: { ...own, cookie } });
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([
    200,
    "charter_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict",
  ]);
  expect((await core.ask("/api/who", { headers: { cookie } })).status).toBe(401);
});

test("signing out with a token takes nothing back", async () => {
  expect((await core.ask("/sign-out", { method: "POST", token: core.tokens.ada })).status).toBe(200);
  expect((await core.ask("/api/who", { token: core.tokens.ada })).status).toBe(200);
});

test("where there is TLS, also at a proxy's, the cookie never goes without", async () => {
  const direct = await handIn(
    await newCode(),
    { origin: "https://charter.example.org", "x-charter-csrf": "1" },
    "https://charter.example.org/sign-in",
  );
  expect(direct.headers.get("set-cookie")).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
  const proxied = await handIn(
    await newCode(),
    { origin: "https://charter.example.org", "x-charter-csrf": "1" },
    "http://charter.example.org/sign-in",
  );
  expect(proxied.headers.get("set-cookie")).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

test("two servers of one machine keep their cookies apart", async () => {
  const [one, two] = [
    await signIn("http://localhost:4747/sign-in", "http://localhost:4747"),
    await signIn("http://localhost:4848/sign-in", "http://localhost:4848"),
  ];
  expect([one.split("=")[0], two.split("=")[0]]).toEqual(["charter_session_4747", "charter_session_4848"]);
  const cookie = `theme=dark; ${two}; ${one}`;
  expect((await core.ask("http://localhost:4747/api/who", { headers: { cookie } })).status).toBe(200);
  expect((await core.ask("http://localhost:4849/api/who", { headers: { cookie } })).status).toBe(401);
});

test("a header is meant: where it is wrong, the cookie is not tried", async () => {
  const headers = { cookie: await signIn() };
  expect((await core.ask("/api/who", { headers, token: "charter_wrong" })).status).toBe(401);
  expect(await (await core.ask("/api/who", { headers, token: core.tokens.ada })).json()).toMatchObject({ user: "ada" });
});

/** What a browser, or something that is none, says of the page that asks. */
const pages: [what: string, headers: Record<string, string>, reads: number, writes: number][] = [
  ["our own page", { origin: "http://localhost", "sec-fetch-site": "same-origin", "x-charter-csrf": "1" }, 200, 200],
  ["our own page, in an older browser", { origin: "http://localhost", "x-charter-csrf": "1" }, 200, 200],
  ["our own page, without an origin", { "sec-fetch-site": "same-origin", "x-charter-csrf": "1" }, 200, 200],
  ["our own page, without its header", { origin: "http://localhost", "sec-fetch-site": "same-origin" }, 200, 403],
  ["our own page, with another value", { origin: "http://localhost", "x-charter-csrf": "yes" }, 200, 403],
  ["someone who typed the address", { "sec-fetch-site": "none", "x-charter-csrf": "1" }, 200, 403],
  ["nobody says", { "x-charter-csrf": "1" }, 200, 403],
  [
    "another site's page",
    { origin: "https://evil.example", "sec-fetch-site": "cross-site", "x-charter-csrf": "1" },
    403,
    403,
  ],
  ["another site's page, in an older browser", { origin: "https://evil.example", "x-charter-csrf": "1" }, 403, 403],
  [
    "another port's page",
    { origin: "http://localhost:9999", "sec-fetch-site": "same-site", "x-charter-csrf": "1" },
    403,
    403,
  ],
  ["another port's picture", { "sec-fetch-site": "same-site" }, 403, 403],
  ["another scheme's page", { origin: "ftp://localhost", "x-charter-csrf": "1" }, 403, 403],
  ["a page in a box", { origin: "null", "sec-fetch-site": "cross-site", "x-charter-csrf": "1" }, 403, 403],
  [
    "a page that lies with one header",
    { origin: "https://evil.example", "sec-fetch-site": "same-origin", "x-charter-csrf": "1" },
    403,
    403,
  ],
  [
    "a page that lies with the other",
    { origin: "http://localhost", "sec-fetch-site": "cross-site", "x-charter-csrf": "1" },
    403,
    403,
  ],
  ["a page whose name begins like ours", { origin: "http://localhost.evil.example", "x-charter-csrf": "1" }, 403, 403],
  ["a page that names us before an @", { origin: "http://localhost@evil.example", "x-charter-csrf": "1" }, 403, 403],
];
for (const [what, headers, reads, writes] of pages)
  test(`with the operator's cookie, ${what} may read: ${reads === 200}, and write: ${writes === 200}`, async () => {
    const cookie = await signIn();
    const read = await core.ask("/api/who", { headers: { ...headers, cookie } });
    const write = await core.ask("/api/any", { method: "POST", body: "x", headers: { ...headers, cookie } });
    expect([read.status, write.status]).toEqual([reads, writes]);
    if (write.status === 403) expect(await write.json()).toMatchObject({ error: { code: "foreign-page" } });
    // With a token in the header none of that matters: no page has it by accident.
    const { status } = await core.ask("/api/any", { method: "POST", body: "x", headers, token: core.tokens.operator });
    expect(status).toBe(200);
  });

test("another site's page cannot sign anyone in", async () => {
  const code = await newCode();
  for (const headers of [
    { origin: "https://evil.example", "x-charter-csrf": "1" },
    { origin: "http://localhost" },
    { "x-charter-csrf": "1" },
  ] as Record<string, string>[])
    expect((await handIn(code, headers)).status).toBe(403);
  expect((await handIn(code)).status).toBe(200);
});
