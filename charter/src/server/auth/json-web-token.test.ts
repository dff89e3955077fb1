import { createHmac } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, expect, test } from "vitest";
import { createJwtCheck, type Jwt } from "./json-web-token.ts";

const secret = "a secret that is shared, 32 bytes";
const key = new TextEncoder().encode(secret);
const now = new Date("2026-02-18T12:00:00Z");
const seconds = now.getTime() / 1000;
const clock = () => now;

type Signing = { readonly claims?: JWTPayload; readonly key?: Uint8Array; readonly alg?: string };

function signed({ claims = {}, key: by = key, alg = "HS256" }: Signing = {}): Promise<string> {
  return new SignJWT({ sub: "ada", exp: seconds + 60, ...claims }).setProtectedHeader({ alg }).sign(by);
}

/** By hand, as nobody who means well would. */
function forged(header: object, claims: object, by?: string | Uint8Array, hash = "sha256"): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const words = `${encode(header)}.${encode(claims)}`;
  return `${words}.${by === undefined ? "" : createHmac(hash, by).update(words).digest("base64url")}`;
}

const check = (token: string, jwt: Partial<Jwt> = {}) => createJwtCheck({ secret, ...jwt }, clock)(token);
const sound = { sub: "ada", exp: seconds + 60 };

const adaUntil = (second: number) => ({ user: "ada", until: second * 1000 });
const ada = adaUntil(seconds + 65);

test("a token's subject is the user", async () => {
  expect(await check(await signed())).toEqual(ada);
  expect(await check(forged({ alg: "HS256", typ: "JWT" }, sound, secret))).toEqual(ada);
});

const over: [what: string, claims: JWTPayload][] = [
  ["over", { exp: seconds - 6 }],
  ["over since long ago", { exp: 0 }],
  ["not valid yet", { nbf: seconds + 6 }],
  ["without an end", { exp: undefined as never }],
  ["with an end that is no number", { exp: "never" as never }],
  ["nobody's", { sub: undefined as never }],
  ["of someone who is no word", { sub: 7 as never }],
  ["of someone without a name", { sub: "" }],
  ["of someone whose name cannot be one", { sub: "ada\nbob" }],
  ["of someone whose name never ends", { sub: "a".repeat(300) }],
];
for (const [what, claims] of over)
  test(`a token that is ${what} does not hold, and is no guess`, async () => {
    expect(await check(await signed({ claims }))).toBe("over");
  });

test("clocks may be a little apart", async () => {
  expect(await check(await signed({ claims: { exp: seconds - 4, nbf: seconds + 4 } }))).toEqual(adaUntil(seconds + 1));
});

test("issuer and audience have to be those that were named, where they were", async () => {
  const named = { issuer: "https://id.example", audience: "charter" };
  const claims = { iss: "https://id.example", aud: ["other", "charter"] };
  expect(await check(await signed({ claims }), named)).toEqual(ada);
  expect(await check(await signed(), named)).toBe("over");
  expect(await check(await signed({ claims: { ...claims, iss: "https://evil.example" } }), named)).toBe("over");
  expect(await check(await signed({ claims: { ...claims, aud: "other" } }), named)).toBe("over");
});

const forgeries: [what: string, token: () => string | Promise<string>][] = [
  ["signed with another secret", () => signed({ key: new TextEncoder().encode("another secret, of 32 bytes too!") })],
  ["signed by nobody", () => forged({ alg: "none" }, sound)],
  ["signed by nobody, in capitals", () => forged({ alg: "NONE" }, sound)],
  ["without a signature", async () => (await signed()).replace(/[^.]*$/, "")],
  [
    "that was changed afterwards",
    async () => (await signed()).replace(/\.[^.]*\./, forged({}, { ...sound, sub: "bob" }).replace(/^[^.]*/, "")),
  ],
  ["in an algorithm nobody agreed on", () => forged({ alg: "HS512" }, sound, secret, "sha512")],
  [
    "that wants something done nobody understands",
    () => forged({ alg: "HS256", crit: ["b64"], b64: false }, sound, secret),
  ],
  ["that is none", () => "a.b.c"],
  ["of five parts", () => "a.b.c.d.e"],
  ["whose claims are no object", () => forged({ alg: "HS256" }, [] as object, secret)],
];
for (const [what, token] of forgeries)
  test(`a token ${what} is nobody's`, async () => {
    expect(await check(await token())).toBeUndefined();
  });

const unusable: [what: string, jwt: Jwt][] = [
  ["a short secret", { secret: "too short" }],
  ["neither", {}],
  ["both", { secret, jwks: "https://id.example/keys" }],
  ["keys without TLS", { jwks: "http://id.example/keys" }],
  ["keys from a file", { jwks: "file:///etc/keys" }],
  ["keys from nowhere", { jwks: "keys" }],
];
for (const [what, jwt] of unusable)
  test(`${what} is no way to check tokens, and is said before any comes`, () => {
    expect(() => createJwtCheck(jwt, clock)).toThrow(expect.objectContaining({ code: "bad-jwt" }));
  });

const url = "https://id.example/keys";
let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let other: typeof pair;
beforeAll(async () => {
  pair = await generateKeyPair("RS256", { extractable: true });
  other = await generateKeyPair("RS256", { extractable: true });
});

type Publisher = { answer: () => Promise<Response>; asked: number };

async function published(...keys: readonly (typeof pair)[]): Promise<Publisher> {
  const all = await Promise.all(
    keys.map(async ({ publicKey }, at) => ({ ...(await exportJWK(publicKey)), kid: `${at}` })),
  );
  return { asked: 0, answer: async () => Response.json({ keys: all }) };
}

function checkBy(publisher: Publisher, at: () => Date = clock) {
  const fetch = async () => {
    publisher.asked++;
    return publisher.answer();
  };
  return createJwtCheck({ jwks: url, fetch: fetch as never }, at);
}

function signedBy({ privateKey }: typeof pair, kid = "0", claims: JWTPayload = {}): Promise<string> {
  return new SignJWT({ ...sound, ...claims }).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
}

test("published keys are fetched once, and check every token", async () => {
  const publisher = await published(pair, other);
  const check = checkBy(publisher);
  expect(await Promise.all([check(await signedBy(pair)), check(await signedBy(other, "1"))])).toEqual([ada, ada]);
  expect(await check(await signedBy(pair, "0", { exp: seconds - 60 }))).toBe("over");
  expect(await check(await signedBy(other, "0"))).toBeUndefined();
  expect(publisher.asked).toBe(1);
});

test("a key that is published must not be taken for a secret to sign with", async () => {
  const publisher = await published(pair);
  const check = checkBy(publisher);
  const spki = await exportSPKI(pair.publicKey);
  const modulus = (await exportJWK(pair.publicKey)).n as string;
  for (const by of [spki, spki.trim(), modulus])
    expect(await check(forged({ alg: "HS256", kid: "0" }, sound, by))).toBeUndefined();
  expect(await check(forged({ alg: "none", kid: "0" }, sound))).toBeUndefined();
});

test("a token that brings its own key, or says where one is, is nobody's", async () => {
  const publisher = await published(pair);
  const check = checkBy(publisher);
  const jwk = await exportJWK(other.publicKey);
  const header = { alg: "RS256", kid: "mine", jwk, jku: "https://evil.example/keys", x5u: "https://evil.example/x" };
  const token = await new SignJWT(sound).setProtectedHeader(header as never).sign(other.privateKey);
  expect(await check(token)).toBeUndefined();
  expect(publisher.asked).toBe(1);
});

test("a secret among published keys is not used", async () => {
  const publisher = await published(pair);
  publisher.answer = async () =>
    Response.json({ keys: [{ kty: "oct", kid: "0", alg: "HS256", k: Buffer.from(secret).toString("base64url") }] });
  expect(await checkBy(publisher)(forged({ alg: "HS256", kid: "0" }, sound, secret))).toBeUndefined();
});

const outages: [what: string, answer: () => Promise<Response>][] = [
  ["cannot be reached", () => Promise.reject(new TypeError("fetch failed"))],
  ["takes too long", () => Promise.reject(Object.assign(new Error("late"), { name: "TimeoutError" }))],
  ["answers with a fault", async () => new Response("down", { status: 502 })],
  [
    "sends us elsewhere",
    async () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
  ],
  ["answers with no JSON", async () => new Response("<html>")],
  ["answers with no keys", async () => Response.json({ keys: "none" })],
];
for (const [what, answer] of outages)
  test(`who publishes the keys ${what}: that says nothing about a token, and is not asked again at once`, async () => {
    const publisher = await published(pair);
    const sound = publisher.answer;
    let time = now.getTime();
    const check = checkBy(publisher, () => new Date(time));
    const token = await signedBy(pair);
    publisher.answer = answer;
    const unreachable = expect.objectContaining({ code: "keys-unreachable" });
    await expect(check(token)).rejects.toEqual(unreachable);
    await expect(check(token)).rejects.toEqual(unreachable);
    expect(publisher.asked).toBe(1);
    publisher.answer = sound;
    time += 2_000;
    expect(await check(token)).toEqual(ada);
  });

test("while keys cannot be fetched, those that are known still count", async () => {
  const publisher = await published(pair);
  let time = now.getTime();
  const check = checkBy(publisher, () => new Date(time));
  const token = await signedBy(pair, "0", { exp: seconds + 3600 });
  expect(await check(token)).toEqual(adaUntil(seconds + 3605));
  publisher.answer = () => Promise.reject(new TypeError("fetch failed"));
  time += 1_000;
  expect(await check(await signedBy(other, "unknown"))).toBeUndefined();
  expect(await check(token)).toEqual(adaUntil(seconds + 3605));
});
