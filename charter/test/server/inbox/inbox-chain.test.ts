import { afterEach, describe, expect, test } from "vitest";
import { homes } from "../../homes.ts";
import { chainPost, postByChain } from "../../store/chain-post.ts";
import { newServed, type Served } from "../served.ts";
import { signedBody, walletOf } from "./wallet.ts";

/** Whoever has posted on a chain polls the reply by HTTP: a signature of the same message opens it. */

const service = "https://charter.example.org";
const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
const contract = `0x${"c0".repeat(20)}`;
const [ann, eve] = [walletOf(1), walletOf(2)];

let served: Served;
afterEach(() => served.close());

describe.each(homes)("on %s", (home) => {
  test("who posted on a chain gets the secret of the reply by signing the message, and nobody else does", async () => {
    served = await newServed({ home, signedFor: service });
    await served.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
    const place = { agent: "sol", chain: 31337, contract };
    const post = chainPost({ sender: ann.address.toLowerCase(), body: "Are you open?" });
    const id = await postByChain(served.store, place, post, "Until six.");
    const nobody = served.as(undefined);
    const signed = (by: typeof ann, about: { id?: string; body?: string } = {}) =>
      signedBody(by, { service, agent: "sol", expires, id, body: "Are you open?", ...about });

    const { status, body: posted } = await nobody("POST /agents/sol/inbox", signed(ann));
    expect([status, posted.id, posted.status]).toEqual([200, id, "answered"]);
    const read = await served.as(posted.secret)(`GET /agents/sol/inbox/${id}`);
    expect([read.status, read.body.reply.body]).toEqual([200, "Until six."]);

    const codes = async (body: object) => (await nobody("POST /agents/sol/inbox", body)).body.error?.code;
    expect([
      await codes(signed(eve)),
      await codes(signed(ann, { body: "Other words." })),
      await codes(signed(ann, { id: id.replace(/:0$/, ":1") })),
    ]).toEqual(["not-found", "not-found", "not-found"]);
    expect((await nobody(`GET /agents/sol/inbox/${id}`)).status).toBe(401);
    // A secret of one message opens no other.
    const { body: own } = await nobody("POST /agents/sol/inbox", signed(eve, { id: "mine" }));
    expect((await served.as(own.secret)(`GET /agents/sol/inbox/${id}`)).status).toBe(401);
    expect(await served.store.inbox.list("sol")).toHaveLength(1);
  });
});
