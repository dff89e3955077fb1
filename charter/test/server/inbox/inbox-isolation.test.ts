import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterpartKey } from "../../../src/store/scope.ts";
import { newServed, type Served } from "../served.ts";
import { answerWaiting } from "./answer-waiting.ts";
import { signedBody, walletOf } from "./wallet.ts";

const service = "https://charter.example.org";
const ann = walletOf(1);
const address = ann.address.toLowerCase();

/** Six with names as alike as can be, and a word of each that nobody else ever reads. */
const people = {
  "the user bo": { user: "bo", word: "canary-one" },
  "the user shop/bo": { user: "shop/bo", word: "canary-two" },
  "the user 0x…": { user: address, word: "canary-three" },
  "the shop's bo": { user: counterpartKey("shop/bo"), word: "canary-four" },
  "the address, proven": { user: counterpartKey(address), word: "canary-five" },
  "the address, as the shop says": { user: counterpartKey(`shop/${address}`), word: "canary-six" },
} as const;
type Who = keyof typeof people;
const everyone = Object.keys(people) as Who[];
const wordsIn = (text: string) => everyone.filter((who) => text.includes(people[who].word));

describe("users and counterparts of the same name", () => {
  let served: Served;
  const secrets = new Map<Who | "shop" | "operator", string>();
  let signedId: string;

  beforeAll(async () => {
    served = await newServed({ signedFor: service });
    const { store, house, token } = served;
    await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
    for (const who of everyone) {
      const { user, word } = people[who];
      const scope = { agent: "sol", user };
      await store.memory.save(scope, { text: `A note of ${word}.` });
      const isCounterpart = user.startsWith("counterpart:");
      await house.runTurn({
        ...{ ...scope, channel: "web", input: `Remember ${word}.` },
        ...(isCounterpart ? { counterpart: true } : {}),
      });
      if (!isCounterpart) secrets.set(who, await token({ kind: "user", user }));
    }
    const shop = await token({ kind: "inbox", agent: "sol", name: "shop" });
    secrets.set("shop", shop);
    secrets.set("operator", await token({ kind: "operator" }));
    const post = (sender: string, word: string) =>
      served.as(shop)("POST /agents/sol/inbox", { sender, body: `I am ${word}.`, id: word });
    await post("bo", people["the shop's bo"].word);
    await post(address, people["the address, as the shop says"].word);
    const { word } = people["the address, proven"];
    const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
    const signed = signedBody(ann, { service, agent: "sol", expires, id: word, body: `I am ${word}.` });
    const posted = await served.as(undefined)("POST /agents/sol/inbox", signed);
    signedId = posted.body.id;
    secrets.set("the address, proven", posted.body.secret);
    await answerWaiting(store, "sol", ({ body }) => `Yes: ${body}`);
  });
  afterAll(() => served.close());

  const lists = ["memory", "turns", "sections", "schedules", "runs", "links"];
  test.each(everyone.slice(0, 3))("%s reads their own words alone, in every list there is", async (who) => {
    const ask = served.as(secrets.get(who));
    for (const list of lists) {
      const { status, body } = await ask(`GET /agents/sol/${list}`);
      const own = list === "memory" || list === "turns" ? [who] : [];
      expect([list, status, wordsIn(JSON.stringify(body))]).toEqual([list, 200, own]);
      for (const other of everyone.filter((one) => one !== who)) {
        const named = await ask(`GET /agents/sol/${list}?user=${encodeURIComponent(people[other].user)}`);
        expect([list, other, named.status]).toEqual([list, other, 404]);
      }
    }
    expect((await ask("GET /agents/sol/inbox")).status).toBe(403);
    expect((await ask(`GET /agents/sol/inbox/${people["the shop's bo"].word}`)).status).toBe(403);
    expect((await ask("GET /agents/sol/conversations")).status).toBe(403);
  });

  test("the token reads what it posted, the signer their own, and neither the other's", async () => {
    const shop = served.as(secrets.get("shop"));
    const bySigner = served.as(secrets.get("the address, proven"));
    const asserted: Who[] = ["the shop's bo", "the address, as the shop says"];
    for (const who of asserted) {
      const { body } = await shop(`GET /agents/sol/inbox/${people[who].word}`);
      expect([body.status, wordsIn(JSON.stringify(body))]).toEqual(["answered", [who]]);
      expect((await bySigner(`GET /agents/sol/inbox/${people[who].word}`)).status).toBe(401);
    }
    expect(wordsIn(JSON.stringify((await shop("GET /agents/sol/outbox")).body))).toEqual(asserted);
    expect((await shop(`GET /agents/sol/inbox/${signedId}`)).status).toBe(404);
    const own = await bySigner(`GET /agents/sol/inbox/${signedId}`);
    expect(wordsIn(JSON.stringify(own.body))).toEqual(["the address, proven"]);
  });

  test.each(everyone)("an operator finds under the name of %s no word of another", async (who) => {
    const ask = served.as(secrets.get("operator"));
    const user = encodeURIComponent(people[who].user);
    for (const list of ["memory", "turns"])
      expect(wordsIn(JSON.stringify((await ask(`GET /agents/sol/${list}?user=${user}`)).body))).toEqual([who]);
    const kept = await served.store.export({ user: people[who].user });
    expect(wordsIn(JSON.stringify(kept))).toEqual([who]);
  });

  test("a conversation is the counterpart's by its whole name", async () => {
    const ask = served.as(secrets.get("operator"));
    for (const who of everyone.slice(3)) {
      const name = people[who].user.replace("counterpart:", "");
      const { body } = await ask(`GET /agents/sol/conversations/${encodeURIComponent(name)}`);
      expect(wordsIn(JSON.stringify(body))).toEqual([who]);
    }
    expect((await ask("GET /agents/sol/conversations/bo")).status).toBe(404);
  });

  test("erasing one takes every word of theirs, and none of another's", async () => {
    const ask = served.as(secrets.get("operator"));
    const { store } = served;
    const left = async () => {
      const all = await Promise.all(everyone.map((who) => store.export({ user: people[who].user })));
      const inbox = await Promise.all(
        (["waiting", "answered"] as const).map((status) => store.inbox.list("sol", status)),
      );
      const replies = await store.inbox.listReplies("sol");
      return wordsIn(JSON.stringify([all, inbox, replies, await store.conversations.list("sol")]));
    };
    for (const [at, who] of everyone.entries()) {
      await ask(`DELETE /users/${encodeURIComponent(people[who].user)}`);
      expect(await left()).toEqual(everyone.slice(at + 1));
    }
  });
});
