import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterpartKey } from "../../../src/store/scope.ts";
import { type Ask, type Json, newServed, type Served } from "../served.ts";
import { answerWaiting } from "./answer-waiting.ts";

describe("a token that posts to one agent's inbox", () => {
  let served: Served;
  let shopSecret: string;
  let shop: Ask;
  let mall: Ask;
  beforeAll(async () => {
    served = await newServed();
    for (const name of ["sol", "luna"])
      await served.store.agents.add({ name, charter: "sovereign", model: "openai/gpt-5" });
    shopSecret = await served.token({ kind: "inbox", agent: "sol", name: "shop" });
    shop = served.as(shopSecret);
    mall = served.as(await served.token({ kind: "inbox", agent: "sol", name: "mall" }));
  });
  afterAll(() => served.close());

  test("says who writes, and they are called after it; the reply is for it to read", async () => {
    const { status, body: posted } = await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hello.", id: "m1" });
    expect([status, posted]).toEqual([
      201,
      {
        ...{ id: "m1", agent: "sol", sender: "shop/bo", body: "Hello.", at: "2026-02-18T12:00:00.000Z" },
        ...{ status: "waiting", created: true },
      },
    ]);
    expect((await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hello.", id: "m1" })).status).toBe(200);
    expect((await served.operator("GET /agents/sol/inbox/shop%2Fm1")).body.lane).toBe("token:shop");
    await answerWaiting(served.store, "sol", "Hello, Bo.");
    const { body: read } = await shop("GET /agents/sol/inbox/m1");
    expect([read.status, read.reply.body, "turn" in read, "failures" in read, "turn" in read.reply]).toEqual([
      ...["answered", "Hello, Bo."],
      ...[false, false, false],
    ]);
    const { body: replies } = await shop("GET /agents/sol/outbox");
    expect(replies.replies.map(({ to, message, body }: Json) => [to, message, body])).toEqual([
      ["shop/bo", "m1", "Hello, Bo."],
    ]);
    const { body: whole } = await served.operator("GET /agents/sol/inbox/shop%2Fm1");
    expect([whole.id, whole.reply.message]).toEqual(["shop/m1", "shop/m1"]);
  });

  test("reads nothing that another posted: neither the message nor that there is one", async () => {
    await shop("POST /agents/sol/inbox", { sender: "bo", body: "A secret.", id: "m2" });
    const [theirs, nowhere] = [await mall("GET /agents/sol/inbox/m2"), await mall("GET /agents/sol/inbox/m0")];
    expect([theirs.status, theirs.body.error.message.replace("m2", "m0")]).toEqual([404, nowhere.body.error.message]);
    expect((await mall("GET /agents/sol/inbox/shop%2Fm2")).status).toBe(404);
    expect((await mall("GET /agents/sol/outbox")).body.replies).toEqual([]);
    expect((await mall("POST /agents/luna/inbox", { sender: "bo", body: "Hi." })).status).toBe(404);
  });

  test("has ids of its own: nobody learns another's by posting, nor takes one before them", async () => {
    const post = async (ask: Ask, sender: string) => {
      const { status, body } = await ask("POST /agents/sol/inbox", { sender, body: `From ${sender}.`, id: "order-18" });
      return [status, body.id, body.sender];
    };
    expect(await post(mall, "mia")).toEqual([201, "order-18", "mall/mia"]);
    expect(await post(shop, "bo")).toEqual([201, "order-18", "shop/bo"]);
    expect(await post(served.operator, "olga")).toEqual([201, "operator/order-18", "operator/olga"]);
    expect((await shop("GET /agents/sol/inbox/order-18")).body.body).toBe("From bo.");
    expect((await mall("GET /agents/sol/inbox/order-18")).body.body).toBe("From mia.");
    const { body: made } = await shop("POST /agents/sol/inbox", { sender: "bo", body: "No id." });
    expect((await served.operator(`GET /agents/sol/inbox/shop%2F${made.id}`)).body.body).toBe("No id.");
    await answerWaiting(served.store, "sol", "All right.");
  });

  test.each([".", "..", "", " x", "x".repeat(129)])("cannot call a message %j", async (id) => {
    const { status, body } = await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hi.", id });
    expect([status, body.error.code]).toEqual([400, "bad-name"]);
  });

  test("opens nothing else: no other address, no other method", async () => {
    const secret = await served.token({ kind: "inbox", agent: "sol", name: "kiosk" });
    const ask = async (method: string, path: string) => {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}` },
      });
      return (await served.app.fetch(request)).status;
    };
    const others = [
      "/docs",
      "/openapi.json",
      "/metrics",
      "/api/nowhere",
      "/api/agents/sol/inbox/",
      "/api/agents/sol%2Finbox",
    ];
    for (const path of others) expect([path, await ask("GET", path)]).toEqual([path, 403]);
    expect(await ask("POST", "/sign-out")).toBe(403);
    for (const method of ["PUT", "DELETE", "PATCH"])
      expect([method, await ask(method, "/api/agents/sol/inbox")]).toEqual([method, 403]);
    expect(await ask("POST", "/api/agents/sol/inbox/m1/retry")).toBe(403);
    expect([await ask("DELETE", "/api/agents/sol/inbox/m1"), await ask("PUT", "/api/agents/sol/outbox")]).toEqual([
      403, 403,
    ]);
  });

  test("opens nothing at all once it is revoked, and its name is free again", async () => {
    const { id, secret } = await served.store.tokens.create({ name: "stall", kind: "inbox", agent: "sol" });
    const stall = served.as(secret);
    expect((await stall("GET /agents/sol/outbox")).status).toBe(200);
    const again = { name: "stall", kind: "inbox", agent: "sol" };
    expect((await served.operator("POST /tokens", again)).body.error.code).toBe("bad-token");
    await served.operator(`DELETE /tokens/${id}`);
    expect((await stall("GET /agents/sol/outbox")).status).toBe(401);
    expect((await served.operator("POST /tokens", again)).status).toBe(201);
  });

  const names = ["operator", "a/b", "counterpart:x", "", "x".repeat(65), "ü", `0x${"aB".repeat(20)}`];
  test.each(names)("cannot be called %j", async (name) => {
    expect((await served.operator("POST /tokens", { name, kind: "inbox", agent: "sol" })).status).toBe(400);
  });

  test("senders have names as others do; an operator's are called after the operator", async () => {
    const post = async (sender: string) => (await shop("POST /agents/sol/inbox", { sender, body: "Hi." })).status;
    expect([await post(""), await post(" bo"), await post("b\no"), await post("x".repeat(200))]).toEqual([
      ...[400, 400, 400, 400],
    ]);
    const { body } = await served.operator("POST /agents/sol/inbox", { sender: "bo", body: "Hi." });
    expect([body.sender, body.lane]).toEqual(["operator/bo", "operator"]);
  });

  test("a hundred messages of one sender may wait, then 429; others still write", async () => {
    for (let at = 0; at < 100; at++)
      expect((await shop("POST /agents/sol/inbox", { sender: "flo", body: "Hi.", id: `f${at}` })).status).toBe(201);
    const { status, body } = await shop("POST /agents/sol/inbox", { sender: "flo", body: "Hi." });
    expect([status, body.error.code]).toEqual([429, "inbox-full"]);
    expect((await shop("POST /agents/sol/inbox", { sender: "flo", body: "Hi.", id: "f0" })).status).toBe(200);
    expect((await shop("POST /agents/sol/inbox", { sender: "ida", body: "Hi." })).status).toBe(201);
    await answerWaiting(served.store, "sol", "Enough.");
  });

  test("a name that begins with “counterpart:” is no user's: in a token, a body or an address", async () => {
    const name = counterpartKey("shop/bo");
    const user = { user: name };
    const refused = [
      await served.operator("POST /tokens", { name: "x", kind: "user", ...user }),
      await served.operator("POST /tokens", { name: "x", kind: "agent", agent: "sol", ...user }),
      await served.operator("POST /agents/sol/turns", { input: "Hi.", ...user }),
      await served.operator("POST /agents/sol/memory", { text: "Hi.", ...user }),
      await served.operator("POST /agents/sol/schedules", { title: "x", input: "x", cron: "0 8 * * *", ...user }),
      await served.operator("POST /agents/sol/links", { channel: "telegram", ...user }),
      await served.operator("POST /agents/sol/tools/save_memory", { input: {}, ...user }),
      await served.operator(`PUT /users/${encodeURIComponent(name)}`, {}),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(Array(8).fill("400 bad-name"));
    expect((await served.as(await served.jwt(name))("GET /me")).status).toBe(401);
  });

  test("looking at the headers alone marks no reply as read", async () => {
    await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hello?", id: "headers" });
    await answerWaiting(served.store, "sol", "Yes?");
    for (const path of ["inbox/headers", "outbox"])
      await served.app.fetch(
        new Request(`http://localhost/api/agents/sol/${path}`, {
          method: "HEAD",
          headers: { authorization: `Bearer ${shopSecret}` },
        }),
      );
    const reply = async () => (await served.operator("GET /agents/sol/inbox/shop%2Fheaders")).body.reply;
    expect((await reply()).sentAt).toBe(null);
    await shop("GET /agents/sol/outbox");
    expect((await reply()).sentAt).toBe("2026-02-18T12:00:00.000Z");
  });
});
