import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { loadNostr, type MemoryKey } from "../../../src/sources/core-memory/memory-key.ts";
import { readMemory } from "../../../src/sources/core-memory/read-memory.ts";
import { sendEvent } from "../../../src/sources/core-memory/relay.ts";
import { eventually } from "../../eventually.ts";
import { newAgent } from "../../relays/agent.ts";
import { startHttpRelay } from "../../relays/http-relay.ts";
import { gives, type NastyScript, startNastyRelay } from "../../relays/nasty-relay.ts";
import { startStrictRelay } from "../../relays/strict-relay.ts";
import { deadAddress } from "../../relays/test-relay.ts";

type Agent = Awaited<ReturnType<typeof newAgent>>;
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Nobody has to be quick here: where a relay never ends, the test does. */
const timeoutMs = 60_000;

async function start<Relay extends { readonly stop: () => Promise<unknown> }>(starting: Promise<Relay>) {
  const relay = await starting;
  stops.push(relay.stop);
  return relay;
}

/** Reads from one nasty relay; its connections are all over when the answer is there. */
async function readFrom(script: NastyScript, agent: Agent) {
  const relay = await start(startNastyRelay(script));
  const found = await readMemory({ ...agent, relays: [relay.url], slug: "core", timeoutMs });
  await eventually(() => relay.open() === 0);
  return { found, relay };
}

/** The same, from one that never ends: time is up as soon as all it says has arrived. */
async function readUntilHeard(script: NastyScript, agent: Agent) {
  const relay = await start(startNastyRelay(script));
  const time = new AbortController();
  const reading = readMemory({ ...agent, relays: [relay.url], slug: "core", timeoutMs, signal: time.signal });
  let isOver = false;
  void reading.then(() => {
    isOver = true;
  });
  await eventually(() => isOver || relay.heard() > 0);
  time.abort();
  const found = await reading;
  await eventually(() => relay.open() === 0);
  return { found, relay };
}

type Told = NonNullable<NastyScript["told"]>;
const onReq =
  (answer: (name: unknown, say: Parameters<Told>[1]) => unknown): Told =>
  ([type, name], say) => {
    if (type === "REQ") answer(name, say);
  };

const never: readonly (readonly [what: string, script: NastyScript, kind: string, reason: string])[] = [
  ["says nothing, not even to the upgrade", { status: 0 }, "late", "It did not finish in time."],
  ["says nothing to a request", {}, "late", "It did not finish in time."],
  [
    "gives another's subscription, and a notice",
    { told: onReq((_, { send }) => send(["EVENT", "x", {}], ["EOSE", "x"], ["NOTICE", "hello"])) },
    "late",
    "It did not finish in time.",
  ],
  [
    "wants a login and sends no challenge",
    { told: onReq((name, { send }) => send(["CLOSED", name, "auth-required: who are you?"])) },
    "refused",
    "It wants a login, and sent no challenge.",
  ],
  [
    "sends a challenge and never says what it thinks of the answer",
    { connected: ({ send }) => send(["AUTH", "prove it"]), told: onReq((name, { send }) => send(["EOSE", name])) },
    "late",
    "It did not finish in time.",
  ],
  [
    "sends what is no message, and nothing else",
    { connected: ({ raw }) => raw("<html>") },
    "nonsense",
    "It sent something that is no message of a relay.",
  ],
];

test.each(never)("a relay that %s is not empty, though it gave nothing", async (_what, script, kind, reason) => {
  const { found, relay } = await readUntilHeard(script, await newAgent());
  expect(found).toMatchObject({ status: "unavailable", relays: [{ relay: relay.url, trouble: { kind, reason } }] });
});

const login =
  (isOk: unknown, reason: unknown): Told =>
  (message, { send }) => {
    const [type, given] = message as [string, { readonly id: string }];
    if (type === "AUTH") send(["OK", given.id, isOk, reason]);
    if (type === "REQ") send(["CLOSED", given, "auth-required: members only"]);
  };
const challenging = ({ send }: { readonly send: (message: readonly unknown[]) => void }) => send(["AUTH", "prove it"]);
const many = Array.from({ length: 501 }, () => ({}));
const deep = `${"[".repeat(300_000)}${"]".repeat(300_000)}`;

const ends: typeof never = [
  ["answers 401", { status: 401 }, "refused", "It refused the request (HTTP 401)."],
  ["answers 403", { status: 403 }, "refused", "It refused the request (HTTP 403)."],
  ["answers 404", { status: 404 }, "closed", "It answered with HTTP 404."],
  ["sends you elsewhere", { status: 302 }, "closed", "It answered with HTTP 302."],
  ["is out of order", { status: 503 }, "closed", "It answered with HTTP 503."],
  [
    "refuses the login",
    { connected: challenging, told: login(false, "restricted: not you\u001b[31m\n") },
    "refused",
    "It refused the login: restricted: not you [31m",
  ],
  [
    "refuses the login in words that are none",
    { connected: challenging, told: login("yes", { toString: 1 }) },
    "refused",
    "It refused the login: it did not say why",
  ],
  [
    "takes the login and wants another",
    { connected: challenging, told: login(true, "") },
    "refused",
    "It wants a login, though it took the one it was given.",
  ],
  [
    "has nothing for us",
    { told: onReq((name, { send }) => send(["CLOSED", name, "restricted: go away"])) },
    "refused",
    "It ended the request: restricted: go away",
  ],
  [
    "says that it cannot look, and that this is all",
    { told: onReq((name, { send }) => send(["NOTICE", "error: could not query\u0007"], ["EOSE", name])) },
    "refused",
    "It sent a notice in place of an event: error: could not query",
  ],
  [
    "sends what is no message, and that this is all",
    {
      told: onReq((name, { raw, send }) => {
        raw('["EVENT","1",{"id":');
        send(["EOSE", name]);
      }),
    },
    "nonsense",
    "It sent something that is no message of a relay.",
  ],
  [
    "cannot look",
    { told: onReq((name, { send }) => send(["CLOSED", name, { toString: 1 }])) },
    "closed",
    "It ended the request: it did not say why",
  ],
  ["closes at once", { connected: ({ close }) => close() }, "closed", "It closed the connection."],
  [
    "closes and says why",
    { connected: ({ close }) => close(1008, "no\u0007") },
    "closed",
    "It closed the connection: no",
  ],
  ["breaks off", { told: onReq((_, { socket }) => socket().destroy()) }, "closed", "It closed the connection."],
  [
    "sends what is no frame",
    { connected: ({ socket }) => socket().write("HTTP/1.1 200 OK\r\n\r\n") },
    "nonsense",
    "It does not keep to the WebSocket protocol.",
  ],
  ["sends bytes", { connected: ({ raw }) => raw(Buffer.from([1])) }, "nonsense", "It sent something that is no text."],
  [
    "sends what is no message, and closes",
    { connected: ({ raw, close }) => [raw("<html>"), close()] },
    "nonsense",
    "It sent something that is no message of a relay.",
  ],
  [
    "sends a message of 1 MB",
    { told: onReq((name, { send }) => send(["EVENT", name, "x".repeat(1_000_000)])) },
    "cut",
    "It sent a message of more than 1,000,000 bytes.",
  ],
  [
    "sends 4 MB in all",
    { told: onReq((_, { send }) => send(...Array(9).fill(["NOTICE", "x".repeat(500_000)]))) },
    "cut",
    "It sent more than 4,000,000 bytes.",
  ],
  [
    "gives more events than anybody has",
    { told: onReq((name, { send }) => send(...many.map((event) => ["EVENT", name, event]), ["EOSE", name])) },
    "cut",
    "It gave more than 500 events.",
  ],
];

test.each(ends)("a relay that %s is not empty, though it gave nothing usable", async (_what, script, kind, reason) => {
  const { found, relay } = await readFrom(script, await newAgent());
  expect(found).toMatchObject({ status: "unavailable", relays: [{ relay: relay.url, trouble: { kind, reason } }] });
});

test.each(ends.slice(0, 1))("a relay that %s leaves it open what an empty one beside it means", async (_, script) => {
  const [agent, empty, nasty] = [
    await newAgent(),
    await start(startStrictRelay()),
    await start(startNastyRelay(script)),
  ];
  const relays = [empty.url, nasty.url];
  const found = await readMemory({ ...agent, relays, slug: "core", timeoutMs });
  expect(found).toMatchObject({ status: "unavailable", reason: `${nasty.url} refused to answer`, signed: false });
});

/** Events that are signed by the agent, and say what no memory says. */
async function signed(key: MemoryKey, content: string) {
  const tags = [
    ["d", key.dTag("core")],
    ["p", key.owner],
  ];
  return key.sign({ kind: 30174, created_at: 100, tags, content });
}

test("what is another's, cannot be decrypted, or says a name twice is not used, and makes nothing empty", async () => {
  const nostr = await loadNostr();
  const [agent, eve] = [await newAgent(), await newAgent()];
  const shared = nostr.conversationKey(nostr.secretOf(agent.nsec), agent.owner);
  const twice = await signed(agent.key, nostr.encrypt('{"slug":"core","profile":"a","profile":"b"}', shared));
  const garbled = await signed(agent.key, "A".repeat(200));
  const others = eve.key.makeEvent({ slug: "core", text: "I am Eve.", createdAt: 100 });
  const forged = { ...agent.key.makeEvent({ slug: "core", text: "Hm.", createdAt: 100 }), created_at: 101 };
  const faults = [];
  for (const event of [twice, garbled, others, forged, null, "event"]) {
    const { found } = await readFrom(gives(event), agent);
    faults.push([found.status, found.status === "unavailable" && found.signed, found.relays[0]?.fault]);
  }
  expect(faults).toEqual([
    ["unavailable", true, "in its content, a name occurs twice in one object"],
    ["unavailable", true, "its content cannot be decrypted"],
    ["unavailable", false, "it is another author's"],
    ["unavailable", false, "its signature is wrong"],
    ["unavailable", false, "it is no event"],
    ["unavailable", false, "it is no event"],
  ]);
});

test("JSON as deep as a message can be is no event, however often it comes", async () => {
  const script = {
    told: onReq((name, { raw, send }) => [
      raw(`["EVENT","${name}",${deep}]`),
      raw(`["EVENT","${name}",${deep}]`),
      send(["EOSE", name]),
    ]),
  };
  const { found } = await readFrom(script, await newAgent());
  expect(found).toMatchObject({ status: "unavailable", relays: [{ unusable: 2, fault: "it is no event" }] });
});

test("a relay that replays an old head is overruled by one that has the new, and one from the future stands", async () => {
  const agent = await newAgent();
  const [old, now, future] = [100, 200, 9_999_999_999].map((createdAt) =>
    agent.key.makeEvent({ slug: "core", text: `at ${createdAt}`, createdAt }),
  );
  const [replaying, honest, ahead] = await Promise.all([
    start(startNastyRelay(gives(old))),
    start(startNastyRelay(gives(now, old))),
    start(startNastyRelay(gives(future))),
  ]);
  const read = async (...relays: readonly { readonly url: string }[]) => {
    const search = { ...agent, relays: relays.map(({ url }) => url), slug: "core", timeoutMs };
    const found = await readMemory(search);
    return found.status === "present" && [found.head.text, found.head.relay];
  };
  expect([await read(replaying), await read(replaying, honest), await read(ahead, honest)]).toEqual([
    ["at 100", replaying.url],
    ["at 200", honest.url],
    ["at 9999999999", ahead.url],
  ]);
});

test("an end that comes twice is one end, and what comes after it is not part of the answer", async () => {
  const agent = await newAgent();
  const event = agent.key.makeEvent({ slug: "core", text: "Too late.", createdAt: 100 });
  const script = { told: onReq((name, { send }) => send(["EOSE", name], ["EOSE", name], ["EVENT", name, event])) };
  const { found, relay } = await readFrom(script, agent);
  expect(found).toEqual({ status: "empty", relays: [{ relay: relay.url, unusable: 0 }], writeRelays: [relay.url] });
});

test("a relay that offers a login does not keep waiting whoever it gave the memory, but whoever it gave nothing", async () => {
  const agent = await newAgent();
  const event = agent.key.makeEvent({ slug: "core", text: "For all.", createdAt: 100 });
  const list = agent.key.sign({ kind: 10002, created_at: 1, tags: [], content: "" });
  const script = (...events: readonly unknown[]): NastyScript => ({ connected: challenging, ...gives(...events) });
  const given = await readFrom(script(list, event), agent);
  const held = await readUntilHeard(script(list), agent);
  expect([given.found, held.found]).toMatchObject([
    { status: "present", head: { text: "For all." }, relays: [{ unusable: 0 }] },
    { status: "unavailable", relays: [{ trouble: { kind: "late" } }] },
  ]);
});

test("a relay that gives the memory and no end is late, and the memory is there all the same", async () => {
  const agent = await newAgent();
  const event = agent.key.makeEvent({ slug: "core", text: "Here.", createdAt: 100 });
  const { found } = await readUntilHeard({ told: onReq((name, { send }) => send(["EVENT", name, event])) }, agent);
  expect(found).toMatchObject({ status: "present", head: { text: "Here." }, relays: [{ trouble: { kind: "late" } }] });
});

test("a memory that is there waits for a slow relay, which may have a newer one", async () => {
  const agent = await newAgent();
  const [old, newer] = [100, 200].map((createdAt) =>
    agent.key.makeEvent({ slug: "core", text: `at ${createdAt}`, createdAt }),
  );
  const slow: (() => void)[] = [];
  const quick = await start(startNastyRelay(gives(old)));
  const late = await start(
    startNastyRelay({
      told: onReq((name, { send }) => void slow.push(() => send(["EVENT", name, newer], ["EOSE", name]))),
    }),
  );
  const reading = readMemory({ ...agent, relays: [quick.url, late.url], slug: "core", timeoutMs });
  await eventually(() => slow.length === 1 && quick.open() === 0);
  slow[0]?.();
  expect(await reading).toMatchObject({ status: "present", head: { text: "at 200", relay: late.url } });
});

test("a connection that is dropped before the upgrade was answered was a relay's, not nobody's", async () => {
  const { key, client } = await newAgent();
  const found = [];
  for (const drop of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.end("no HTTP\r\n\r\n")]) {
    const server = createServer((socket) => socket.once("data", () => drop(socket)));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as { readonly port: number };
    const relays = [`ws://127.0.0.1:${port}`, `http://127.0.0.1:${port}`, `wss://127.0.0.1:${port}`];
    const { relays: reports } = await readMemory({ client, key, relays, slug: "core", timeoutMs });
    found.push(reports.map(({ trouble }) => trouble?.kind));
    await new Promise((closed) => server.close(closed));
  }
  expect(found).toEqual([
    ["closed", "closed", "closed"],
    ["nonsense", "nonsense", "closed"],
  ]);
});

test.each([
  ["no list", { status: 200, body: '{"events":[]}' }, "nonsense", "It answered with something that is no list."],
  ["no JSON", { status: 200, body: "<html>" }, "nonsense", "It answered with something that is no list."],
  ["a refusal", { status: 401 }, "refused", "It refused the request (HTTP 401)."],
  ["another address", { status: 307, headers: { location: "/q" } }, "closed", "It answered with HTTP 307."],
  ["a failure", { status: 500 }, "closed", "It answered with HTTP 500."],
  ["5 MB", { status: 200, body: " ".repeat(5_000_000) }, "cut", "It answered with more than 4,000,000 bytes."],
  ["501 events", { status: 200, body: JSON.stringify(many) }, "cut", "It gave more than 500 events."],
  [
    "half a list",
    { status: 200, body: "[", headers: { "content-length": "9" } },
    "closed",
    "It closed the connection.",
  ],
])("an HTTP relay that answers with %s is not empty", async (_what, instead, kind, reason) => {
  const agent = await newAgent();
  const { url, asked } = await start(startHttpRelay({ instead }));
  const found = await readMemory({ ...agent, relays: [url], slug: "core", timeoutMs });
  expect(found).toMatchObject({ status: "unavailable", relays: [{ relay: url, trouble: { kind, reason } }] });
  expect(asked()).toBe(1);
});

test("what a relay says of an event it was sent is told in its own words, and silence is no yes", async () => {
  const { key, client } = await newAgent();
  const event = key.makeEvent({ slug: "core", text: "Hello.", createdAt: 100 });
  const scripts: readonly NastyScript[] = [
    { told: (_, { send }) => send(["OK", "another", true, ""], ["OK", event.id, false, "replaced: have a newer one"]) },
    { told: (_, { send }) => send(["OK", event.id, false, "duplicate: have it"]) },
    { told: (_, { send }) => send(["OK", event.id, "true", ""]) },
    { connected: challenging, told: ([type], { send }) => send(["OK", type === "EVENT" ? event.id : "?", true, ""]) },
    { status: 403 },
  ];
  const relays = await Promise.all(scripts.map((script) => start(startNastyRelay(script))));
  const receipts = await sendEvent({ client, event, relays: relays.map(({ url }) => url), timeoutMs });
  const silent = await start(startNastyRelay({}));
  receipts.push(...(await sendEvent({ client, event, relays: [silent.url], timeoutMs: 50 })));
  expect(receipts.map((receipt) => (receipt.ok ? true : receipt.reason))).toEqual([
    "replaced: have a newer one",
    true,
    "it did not say why",
    true,
    "It refused the request (HTTP 403).",
    "It did not finish in time.",
  ]);
});

test("an address with a password is refused, and one with a query is shown without it", async () => {
  const { key, client } = await newAgent();
  const relay = await start(startNastyRelay(gives()));
  const relays = ["ws://ada:secret@127.0.0.1:9", "file:///etc/passwd", `${relay.url}/?token=secret`];
  const found = await readMemory({ client, key, relays, slug: "core", timeoutMs });
  const receipts = await sendEvent({
    client,
    event: key.makeEvent({ slug: "core", text: "Hi.", createdAt: 1 }),
    relays: relays.slice(0, 2),
  });
  expect(found.relays.map((report) => [report.relay, report.trouble?.kind])).toEqual([
    ["an address that is no relay's", "refused"],
    ["an address that is no relay's", "refused"],
    [relay.url, undefined],
  ]);
  expect(JSON.stringify([found.relays, receipts])).not.toMatch(/secret|passwd/);
});

test.each(["ws", "http"])("who is asked when the time is up already is late, over %s", async (scheme) => {
  const agent = await newAgent();
  const relay = await deadAddress(scheme);
  const found = await readMemory({ ...agent, relays: [relay], slug: "core", signal: AbortSignal.abort() });
  expect(found).toMatchObject({ status: "unavailable", relays: [{ trouble: { kind: "late" } }] });
});

test("three seconds, or as long as was said, are all there is: silence is late, and never an end", async () => {
  const agent = await newAgent();
  const silent = await start(startNastyRelay({}));
  const found = await readMemory({ ...agent, relays: [silent.url], slug: "core", timeoutMs: 50 });
  expect(found).toEqual({
    status: "unavailable",
    reason: `${silent.url} did not finish in time`,
    signed: false,
    blank: false,
    relays: [{ relay: silent.url, trouble: { kind: "late", reason: "It did not finish in time." }, unusable: 0 }],
    writeRelays: [silent.url],
  });
});
