import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignedMessage } from "../../../src/server/index.ts";
import { counterpartKey } from "../../../src/store/scope.ts";
import { type Ask, newServed, type Served } from "../served.ts";
import { answerWaiting } from "./answer-waiting.ts";
import { signedBody, walletOf } from "./wallet.ts";

const service = "https://charter.example.org";
const start = Date.UTC(2026, 1, 18, 12) / 1000;
const path = "POST /agents/sol/inbox";

/** Someone at a wallet, who has no token. */
const ann = walletOf(1);
const annName = ann.address.toLowerCase();

let time = start;

/** A signed message of Ann's that holds for five minutes. */
const annSigns = (about: Partial<SignedMessage> = {}) =>
  signedBody(ann, { service, agent: "sol", expires: time + 300, ...about });

async function withSol(): Promise<Served> {
  const served = await newServed({ signedFor: service });
  for (const name of ["sol", "luna"])
    await served.store.agents.add({ name, charter: "sovereign", model: "openai/gpt-5" });
  time = start;
  return served;
}

describe("a signed message", () => {
  let served: Served;
  let nobody: Ask;
  beforeAll(async () => {
    served = await withSol();
    nobody = served.as(undefined);
  });
  afterAll(() => served.close());

  const wait = (seconds: number) => {
    served.wait(seconds);
    time += seconds;
  };
  const codes = async (body: object, agent = "sol") => {
    const { status, body: answer } = await nobody(`POST /agents/${agent}/inbox`, body);
    return `${status} ${answer.error?.code ?? answer.status}`;
  };

  test("is answered to whoever has its secret, and to nobody else", async () => {
    const body = annSigns({ id: "first" });
    const { status, body: posted } = await nobody(path, body);
    const { secret, created, ...facts } = posted;
    expect([status, created, facts]).toEqual([
      201,
      true,
      {
        ...{ id: "first", agent: "sol", sender: annName, body: "Is the shop open?" },
        ...{ at: new Date(time * 1000).toISOString(), status: "waiting" },
      },
    ]);
    const reader = served.as(secret);
    expect((await reader("GET /agents/sol/inbox/first")).body).toEqual({ ...facts, reply: null });
    await answerWaiting(served.store, "sol", "Until six.");
    const looked = (await served.operator(`GET /agents/sol/inbox/${annName}%2Ffirst`)).body;
    expect([looked.sender, looked.lane, looked.reply.sentAt]).toEqual([annName, "signed-new", null]);
    const { body: read } = await reader("GET /agents/sol/inbox/first");
    expect([read.status, read.reply.body, read.reply.to]).toEqual(["answered", "Until six.", annName]);
    expect((await served.operator(`GET /agents/sol/inbox/${annName}%2Ffirst`)).body.reply.sentAt).toBe(
      read.reply.sentAt,
    );

    await nobody(path, annSigns({ id: "second" }));
    expect((await served.operator(`GET /agents/sol/inbox/${annName}%2Fsecond`)).body.lane).toBe("signed");
    const asked: [string, Ask, string][] = [
      ["without the secret", nobody, "GET /agents/sol/inbox/first"],
      ["with another", served.as(`${secret}x`), "GET /agents/sol/inbox/first"],
      ["another message", reader, "GET /agents/sol/inbox/second"],
      ["another agent", reader, "GET /agents/luna/inbox/first"],
      ["all messages", reader, "GET /agents/sol/inbox"],
      ["all replies", reader, "GET /agents/sol/outbox"],
      ["who it is", reader, "GET /me"],
      ["another message, to post", reader, path],
    ];
    const url = "http://localhost/api/agents/sol/inbox/first";
    const withSecret = (method: string) =>
      served.app.fetch(new Request(url, { method, headers: { authorization: `Bearer ${secret}` } }));
    expect([(await withSecret("HEAD")).status, (await withSecret("DELETE")).status]).toEqual([200, 401]);
    for (const [what, ask, request] of asked)
      expect([what, (await ask(request, request === path ? { sender: "x", body: "y" } : undefined)).status]).toEqual([
        what,
        401,
      ]);
  });

  test("is the same message when it is sent again, before and after it was answered: no second secret, no second reply", async () => {
    const body = annSigns({ id: "again" });
    const { secret } = (await nobody(path, body)).body;
    const again = await nobody(path, body);
    expect([again.status, again.body.status, "secret" in again.body]).toEqual([200, "waiting", false]);
    await answerWaiting(served.store, "sol", "Once.");
    const later = await nobody(path, body);
    expect([later.status, later.body.status, "secret" in later.body]).toEqual([200, "answered", false]);
    expect((await served.as(secret)("GET /agents/sol/inbox/again")).body.reply.body).toBe("Once.");
  });

  test("that is signed again, later, has a new secret; the old one opens nothing any more", async () => {
    const first = (await nobody(path, annSigns({ id: "lost" }))).body.secret;
    wait(1);
    const { status, body } = await nobody(path, annSigns({ id: "lost" }));
    expect([status, typeof body.secret]).toEqual([200, "string"]);
    expect((await served.as(first)("GET /agents/sol/inbox/lost")).status).toBe(401);
    expect((await served.as(body.secret)("GET /agents/sol/inbox/lost")).status).toBe(200);
  });

  test("keeps its id: other words are refused; another signer's of that id is another, and each reads their own", async () => {
    const { secret } = (await nobody(path, annSigns({ id: "mine" }))).body;
    expect(await codes(annSigns({ id: "mine", body: "Something else." }))).toBe("409 message-exists");
    const bob = walletOf(2);
    const signed = signedBody(bob, { service, agent: "sol", id: "mine", expires: time + 300 });
    const { status, body } = await nobody(path, signed);
    expect([status, body.id, body.sender]).toEqual([201, "mine", bob.address.toLowerCase()]);
    const sender = async (opened: string) => (await served.as(opened)("GET /agents/sol/inbox/mine")).body.sender;
    expect([await sender(secret), await sender(body.secret)]).toEqual([annName, bob.address.toLowerCase()]);
    const swapped = secret.replace(annName, bob.address.toLowerCase());
    expect((await served.as(swapped)("GET /agents/sol/inbox/mine")).status).toBe(401);
    await answerWaiting(served.store, "sol", "Each for itself.");
  });

  test("for another agent, service, chain, id, body or expiry, or by another, is refused with the reason", async () => {
    const sound = annSigns();
    const refused: [string, object, string][] = [
      ["service", annSigns({ service: "https://charter.example.com" }), "sol"],
      ["a page of the service", annSigns({ service: `${service}/` }), "sol"],
      ["chain", annSigns({ chain: 1 }), "sol"],
      ["agent", annSigns(), "luna"],
      ["id", { ...sound, id: "another" }, "sol"],
      ["body", { ...sound, body: "Is the shop closed?" }, "sol"],
      ["expiry", { ...sound, expires: sound.expires + 1 }, "sol"],
      ["sender", { ...sound, sender: walletOf(2).address }, "sol"],
    ];
    for (const [what, body, agent] of refused) {
      const answer = await nobody(`POST /agents/${agent}/inbox`, body);
      expect([what, answer.status, answer.body.error.code]).toEqual([what, 400, "bad-signature"]);
      expect(answer.body.error.message).toContain(`not for this message: service ${service}, agent “${agent}”`);
    }
    expect((await served.operator("GET /agents/luna/inbox")).body.messages).toEqual([]);
  });

  test("is refused when it expired, holds too long, is malleated or is a contract wallet's", async () => {
    const { signature, ...words } = annSigns({ id: "unsound" });
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
    const malleated = `${signature.slice(0, 66)}${high}${signature.endsWith("1b") ? "1c" : "1b"}`;
    expect(await codes(annSigns({ expires: time }))).toBe("400 bad-expiry");
    expect(await codes(annSigns({ expires: time + 601 }))).toBe("400 bad-expiry");
    expect(await codes({ ...words, signature: malleated })).toBe("400 bad-signature");
    expect(await codes({ ...words, signature: `${signature}${"00".repeat(127)}` })).toBe("400 bad-signature");
    expect(await codes({ ...words, signature: "0x" })).toBe("400 bad-signature");
    expect((await served.operator(`GET /agents/sol/inbox/${annName}%2Funsound`)).status).toBe(404);
  });

  test("that misses something is told what, and one without a signature that there is no token", async () => {
    const { expires: _, ...words } = annSigns();
    const { status, body } = await nobody(path, words);
    expect([status, body.error.invalid]).toEqual([400, [{ at: "body.expires", reason: "is missing" }]]);
    expect(await codes({ sender: ann.address, body: "Hello.", id: "x" })).toBe("401 no-token");
    expect(await codes(annSigns({ agent: "ada" }), "ada")).toBe("404 not-found");
    expect(await codes(annSigns({ agent: "nobody" }), "nobody")).toBe("404 not-found");
    expect((await served.operator("POST /agents/ada/inbox", { sender: "x", body: "y" })).body.error.code).toBe(
      "no-inbox",
    );
    for (const never of [9e15, 253_402_300_800, -1, 0.5]) {
      expect(await codes({ ...annSigns(), expires: never })).toBe("400 bad-request");
      const { status } = await served.operator(path, { sender: "x", body: "y", expires: never });
      expect([never, status]).toEqual([never, 400]);
    }
    expect((await served.operator(path, annSigns())).body.error.code).toBe("usage");
    expect(await codes({ ...annSigns(), signature: "0".repeat(40_000) })).toBe("413 too-large");
  });

  test("cannot be sent again after `retain` let go of it, nor after its sender was erased", async () => {
    const letGo = { receipts: 0, events: 0, deliveries: 0 };
    const kept = annSigns({ id: "kept" });
    await nobody(path, kept);
    await answerWaiting(served.store, "sol", "Gone soon.");
    await served.store.retain(letGo);
    expect(await codes(kept)).toBe("200 answered");
    wait(3 * 86_400);
    await served.store.retain(letGo);
    expect((await served.operator(`GET /agents/sol/inbox/${annName}%2Fkept`)).status).toBe(404);
    expect(await codes(kept)).toBe("400 bad-expiry");
    const erased = annSigns({ id: "erased" });
    await nobody(path, erased);
    await served.store.erase({ user: counterpartKey(annName) });
    expect(await codes(erased)).toBe("409 message-exists");
    await served.store.retain(letGo);
    expect(await codes(erased)).toBe("409 message-exists");
    expect((await served.operator("GET /agents/sol/inbox")).body.messages).toEqual([]);
  });
});
