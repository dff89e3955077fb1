import { afterEach, describe, expect, test } from "vitest";
import type { Config } from "../../../src/server/config.ts";
import { createStore } from "../../../src/store/index.ts";
import { type Line, scripted } from "../../agent/model.ts";
import { eventually } from "../../eventually.ts";
import { newPlace, type Place } from "../../homes.ts";
import { signedBody, walletOf } from "../../server/inbox/wallet.ts";
import { openService, type Service } from "../opened.ts";

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** An empty database with the sovereign “sol”, whose next turn by itself is five minutes away. */
async function placeWithSol(): Promise<Place> {
  const place = await newPlace("sqlite");
  opened.push(place.remove);
  const store = await createStore(place.open());
  await store.agents.add({ name: "sol", charter: "sovereign" });
  await store.automata.record("sol", [], { ownTurnAt: new Date().toISOString() });
  await store.close();
  return place;
}

/** All of Charter in one process, in which “sol” lives by itself and anyone may sign. */
async function openLife(place: Place, lines: readonly Line[], config: Partial<Config> = {}): Promise<Service> {
  const service = await openService(place, {
    model: scripted(lines),
    duties: { http: true, automata: true },
    config: { automaton: { agent: "sol" }, inbox: { signed: true }, ...config },
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= service.close();
    return closed;
  };
  opened.push(close);
  return { ...service, close };
}

const soon = () => Math.floor(Date.now() / 1000) + 300;

describe("an agent that lives by itself, over HTTP", () => {
  test("answers what a token and what an address wrote, each to who wrote it", async () => {
    const service = await openLife(await placeWithSol(), ["Until six."]);
    const shop = service.as(await service.token({ kind: "inbox", agent: "sol", name: "shop" }));
    const path = "/api/agents/sol/inbox";
    expect((await shop(`POST ${path}`, { sender: "bo", body: "Are you open?", id: "m1" })).status).toBe(201);
    const ann = walletOf(1);
    const body = signedBody(ann, { service: service.url, agent: "sol", id: "m2", expires: soon() });
    const { status, body: posted } = await service.as(undefined)(`POST ${path}`, body);
    expect([status, posted.sender]).toEqual([201, ann.address.toLowerCase()]);
    const signer = service.as(posted.secret);
    const answered = async (ask: typeof shop, id: string) =>
      (await ask(`GET ${path}/${id}`)).body.status === "answered";
    await eventually(async () => (await answered(shop, "m1")) && (await answered(signer, "m2")));
    const replies = [(await shop(`GET ${path}/m1`)).body.reply, (await signer(`GET ${path}/m2`)).body.reply];
    expect(replies.map(({ to, body: words }) => [to, words])).toEqual([
      ["shop/bo", "Until six."],
      [ann.address.toLowerCase(), "Until six."],
    ]);
    const operator = service.as(await service.token({ kind: "operator" }));
    const { body: life } = await operator("GET /api/agents/sol/snapshot");
    expect([life.waiting, life.tier, life.balances.unknown]).toEqual([0, "Normal", "never-granted"]);
    expect(life.conversations.map(({ counterpart }: { counterpart: string }) => counterpart).toSorted()).toEqual(
      [ann.address.toLowerCase(), "shop/bo"].toSorted(),
    );
    expect(life.transitions.at(-1)).toMatchObject({ from: "Bootstrapping" });
    expect(life.runner).toMatch(/:\d+$/);
    const metrics = (await operator("GET /metrics")).text;
    expect(metrics).toContain('charter_turns_total{agent="sol",channel="automaton",state="answered"}');
  });

  test("is waited for by a shutdown: the turn it is in ends, and its reply is kept", async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const place = await placeWithSol();
    const service = await openLife(place, [
      async () => {
        begun.resolve();
        await gate.promise;
        return "Just in time.";
      },
    ]);
    await service.store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Are you open?", id: "m1" });
    await begun.promise;
    let over = false;
    const closing = service.close().then(() => {
      over = true;
    });
    // Whoever is told to end takes no more requests before it waits for what runs.
    await eventually(() =>
      fetch(service.url).then(
        () => false,
        () => true,
      ),
    );
    expect(over).toBe(false);
    gate.resolve();
    await closing;
    const store = await createStore(place.open());
    const { status } = await store.inbox.get("sol", "m1");
    const inCharge = (await store.automata.find("sol"))?.runner;
    await store.close();
    expect([status, inCharge]).toEqual(["answered", null]);
  });
});

test("asleep, its messages wait; woken over HTTP, it answers them", async () => {
  const service = await openLife(await placeWithSol(), ["Good morning."]);
  const operator = service.as(await service.token({ kind: "operator" }));
  await operator("POST /api/agents/sol/automaton/sleep", {});
  await service.store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Are you awake?", id: "m1" });
  const state = async () => (await operator("GET /api/agents/sol/snapshot")).body.state;
  await eventually(async () => (await state()) === "Sleeping");
  expect((await service.store.inbox.get("sol", "m1")).status).toBe("waiting");
  const metrics = (await operator("GET /metrics")).text;
  expect(metrics).toContain('charter_messages_open{agent="sol",channel="inbox"} 1');
  await operator("POST /api/agents/sol/automaton/wake");
  await eventually(async () => (await service.store.inbox.get("sol", "m1")).status === "answered");
});

test("a signature names the whole address of the service: what is behind another path is another service", async () => {
  const url = "https://charter.example.org/a/";
  const service = await openLife(await placeWithSol(), ["Yes."], { url, host: "0.0.0.0" });
  const post = async (named: string) => {
    const body = signedBody(walletOf(1), { service: named, agent: "sol", expires: soon() });
    return (await service.as(undefined)("POST /api/agents/sol/inbox", body)).status;
  };
  const origin = "https://charter.example.org";
  expect([await post(`${origin}/b`), await post(origin), await post(`${origin}/a`)]).toEqual([400, 400, 201]);
});

const wrong: [what: string, config: Partial<Config>, problem: string][] = [
  [
    "an agent nobody knows",
    { automaton: { agent: "nobody" } },
    "unknown-agent: “automaton.agent” names “nobody”, and there is no such agent.",
  ],
  [
    "a charter without an inbox",
    { automaton: { agent: "ada" } },
    "bad-config: The charter of “ada” has no inbox, and so no life of its own.",
  ],
  [
    "no counterparts",
    { automaton: { agent: "sol", counterparts: 0 } },
    "bad-config: The setting “automaton.counterparts” in the config of openCharter is no whole number from 1 to 5.",
  ],
  [
    "six counterparts",
    { automaton: { agent: "sol", counterparts: 6 } },
    "bad-config: The setting “automaton.counterparts” in the config of openCharter is no whole number from 1 to 5.",
  ],
  [
    "half a second",
    { automaton: { agent: "sol", every: 0.5 } },
    "bad-config: The setting “automaton.every” in the config of openCharter is no number of seconds from 1 up.",
  ],
  ["the same twice", { automaton: [{ agent: "sol" }, { agent: "sol" }] }, "bad-config: “sol” is named twice."],
  [
    "a chain that is none",
    { inbox: { signed: true, chain: 0 } },
    "bad-config: The setting “inbox.chain” in the config of openCharter is no number of a chain.",
  ],
  [
    "a word for yes",
    { inbox: { signed: "no" as never } },
    "bad-config: The setting “inbox.signed” in the config of openCharter is neither true nor false.",
  ],
  ["no object", { inbox: true as never }, "bad-config: The setting “inbox” in the config of openCharter is no object."],
  [
    "a misspelled name",
    { inbox: { singed: true } as never },
    "bad-config: The config of openCharter sets “inbox.singed”, which is not a setting. Those are signed, chain.",
  ],
  [
    "another one",
    { automaton: { agent: "sol", evry: 5 } as never },
    "bad-config: The config of openCharter sets “automaton.evry”, which is not a setting. Those are agent, every, counterparts, chain.",
  ],
  [
    "no agent",
    { automaton: { every: 5 } as never },
    "bad-config: The setting “automaton” in the config of openCharter has no agent.",
  ],
  [
    "all addresses, by no name",
    { inbox: { signed: true }, host: "0.0.0.0" },
    "bad-config: Messages may be signed, but the server's public address is not set: signatures name it.",
  ],
];
test("what is wrong in the config is said before anything starts", async () => {
  const place = await placeWithSol();
  for (const [what, config, problem] of wrong) {
    const said = await openLife(place, ["Hi."], config).then(
      () => "it started",
      ({ code, message }) => `${code}: ${message}`,
    );
    expect([what, said]).toEqual([what, problem]);
  }
});
