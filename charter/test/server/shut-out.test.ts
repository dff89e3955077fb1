import { SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signInLink } from "../../src/operations/users/tokens.ts";
import { allRoutes } from "../../src/server/app.ts";
import { eventually } from "../eventually.ts";
import { type Core, newCore } from "./core/core-stage.ts";

const turns = "/api/agents/assistant/turns";
const secret = "a secret of 32 bytes, for tests.";
const wrongToken = {
  code: "wrong-token",
  message: "The token is unknown, has expired or was revoked.",
  hint: "Ask the operator for a new one.",
};
const closed = `event: closed\ndata: ${JSON.stringify(wrongToken)}\n\n`;

let core: Core;
let beats: Set<() => void>;
/** What the model says when it is asked, once it is told to go on. */
let goOn: (words: string) => void;
afterEach(() => core.close());

async function start(): Promise<void> {
  beats = new Set();
  const every = (_ms: number, work: () => void) => {
    beats.add(work);
    return () => beats.delete(work);
  };
  core = await newCore({ routes: allRoutes, jwt: { secret }, every });
}

const shutOut = () => core.lines.filter(({ kind }) => kind === "access-ended").map(({ code }) => code);
/** It is looked when the test says so, not by a clock, until so many are out. */
const look = async (count = 1) => {
  await eventually(() => {
    for (const beat of beats) beat();
    return shutOut().length >= count;
  });
};
const idOf = async (kind: string) => (await core.store.tokens.list()).find((one) => one.kind === kind)?.id as string;
const revokeElsewhere = async (kind: string) => (await core.another()).tokens.revoke(await idOf(kind));
const follow = async (headers: Record<string, string> = { authorization: `Bearer ${core.tokens.operator}` }) => {
  const answer = await core.ask("/api/events", { headers });
  expect(answer.status).toBe(200);
  return answer;
};
const asModelIsAsked = (times: number) => eventually(() => core.model.requests.length === times);
const turnsInTheEnd = async () => {
  await eventually(async () => (await core.store.turns.list()).every(({ state }) => state !== "running"));
  return core.store.turns.list();
};
const chunksOf = (text: string) => [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
const tell = { headers: { accept: "text/event-stream" }, json: { input: "A story." } };

// A stream that does not end is not waited for long.
beforeEach(async () => {
  await start();
  const answer = Promise.withResolvers<string>();
  goOn = answer.resolve;
  core.model.say((_request, { onText }) => {
    onText?.("Once ");
    return answer.promise;
  });
});

test("a token that another process takes back ends the events it follows, and does not come back", async () => {
  const reader = (await follow()).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe(": here\n\n");
  await core.store.agents.freeze("assistant", "amendments");
  expect(await next()).toMatch(/^id: \d+\nevent: agent-frozen\n/);
  await revokeElsewhere("operator");
  await look();
  expect([await next(), (await reader.read()).done]).toEqual([closed, true]);
  expect((await core.ask("/api/events", { token: core.tokens.operator })).status).toBe(401);
  // Where nothing is open, nothing is asked.
  for (const beat of beats) beat();
  expect(beats.size).toBe(0);
});

test("what waits for a reader who does not read is taken away with the token", async () => {
  const answer = await follow();
  for (let count = 0; count < 3; count++) await core.store.agents.freeze("assistant", "amendments");
  await revokeElsewhere("operator");
  await look();
  expect(await answer.text()).toBe(closed);
});

test("a user's turn is told no further when their token is taken back; the turn goes on", async () => {
  const answer = await core.ask(turns, { token: core.tokens.ada, ...tell });
  await asModelIsAsked(1);
  await revokeElsewhere("user");
  await look();
  goOn("Once upon a time.");
  const [turn] = await turnsInTheEnd();
  expect(chunksOf(await answer.text())).toEqual([
    { type: "data-closed", data: { ...wrongToken, turn: turn?.id }, transient: true },
    { type: "error", errorText: `${wrongToken.message} ${wrongToken.hint}` },
  ]);
  expect(turn).toMatchObject({ state: "answered", reply: "Once upon a time." });
});

test("who waits for a turn as JSON waits no longer, and what waits behind it is not begun", async () => {
  const first = core.ask(turns, { token: core.tokens.ada, json: { input: "A story." } });
  await asModelIsAsked(1);
  const second = core.ask(turns, { token: core.tokens.ada, json: { input: "Another." } });
  const third = core.ask(turns, { token: core.tokens.ada, ...tell });
  await eventually(() => core.house.runningTurns() === 3);
  await revokeElsewhere("user");
  await look(3);
  for (const answer of await Promise.all([first, second, third]))
    expect([answer.status, await answer.json()]).toEqual([401, { error: wrongToken }]);
  goOn("Once upon a time.");
  await eventually(() => core.house.runningTurns() === 0);
  expect(await core.store.turns.list()).toMatchObject([{ state: "answered", reply: "Once upon a time." }]);
});

test("someone who is erased hears no more, by a token, a JSON Web Token or an operator's", async () => {
  const { operator, ada } = core.tokens;
  const signed = await jwtOf("ada", 600);
  const asked = [ada, signed, operator].map((token, at) =>
    core.ask(turns, { token, ...tell, json: { input: `${at}`, session: "new", ...(at === 2 && { user: "ada" }) } }),
  );
  const answers = await Promise.all(asked);
  await asModelIsAsked(3);
  await (await core.another()).erase({ user: "ada" });
  await look(3);
  expect(shutOut().sort()).toEqual(["erased", "erased", "wrong-token"]);
  goOn("Once upon a time.");
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(texts.join("")).not.toContain("Once");
  expect((await core.ask("/api/me", { token: operator })).status).toBe(200);
});

test("with one agent alone: their token holds, and the turn is told no further", async () => {
  const answer = await core.ask(turns, { token: core.tokens.ada, ...tell });
  await asModelIsAsked(1);
  await core.store.erase({ user: "ada", agent: "assistant" });
  await look();
  expect(chunksOf(await answer.text())[0]).toMatchObject({ type: "data-closed", data: { code: "erased" } });
  expect((await core.ask("/api/me", { token: core.tokens.ada })).status).toBe(200);
  goOn("Once upon a time.");
});

test("a token that is over ends what is open, and so does a JSON Web Token", async () => {
  const { secret: hour } = await core.store.tokens.create({
    ...{ name: "hour", kind: "operator", expiresAt: new Date(core.now().getTime() + 3_600_000).toISOString() },
  });
  const [events, answer] = [
    await follow({ authorization: `Bearer ${hour}` }),
    await core.ask(turns, { token: await jwtOf("cy", 3_595), ...tell }),
  ];
  await asModelIsAsked(1);
  core.wait(3_599);
  for (const beat of beats) beat();
  core.wait(1);
  await look(2);
  expect(await events.text()).toBe(closed);
  expect(chunksOf(await answer.text())[0]).toMatchObject({ type: "data-closed", data: wrongToken });
  goOn("Once upon a time.");
});

describe("of one process", () => {
  beforeEach(start);

  test("who signs out in one window is out in all of them", async () => {
    const own = { origin: "http://localhost", "x-charter-csrf": "1" };
    const code = (await signInLink(core.store, "http://localhost/")).split("#")[1];
    const signedIn = await core.ask("/sign-in", { json: { code }, headers: own });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] as string;
    const answer = await follow({ cookie, "sec-fetch-site": "same-origin" });
    expect((await core.ask("/sign-out", { method: "POST", headers: { ...own, cookie } })).status).toBe(200);
    await look();
    expect(await answer.text()).toBe(closed);
  });

  test("a request whose token is taken back while its body comes is not looked at", async () => {
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = controller;
      },
    });
    const headers = { "content-type": "application/json" };
    const asked = core.ask("/api/agents/assistant/memory", {
      ...{ token: core.tokens.ada, method: "POST", headers, body, duplex: "half" },
    } as never);
    await eventually(() => beats.size > 0);
    await core.store.tokens.revoke(await idOf("user"));
    await look();
    send?.enqueue(new TextEncoder().encode('{"words": "A late word."}'));
    send?.close();
    expect((await asked).status).toBe(401);
    expect((await core.store.memory.search({ agent: "assistant", user: "ada" }, "late")).notes).toEqual([]);
  });
});

function jwtOf(user: string, seconds: number): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setExpirationTime(core.now().getTime() / 1000 + seconds)
    .sign(new TextEncoder().encode(secret));
}
