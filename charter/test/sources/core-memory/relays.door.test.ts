import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemoryKey, type NostrEvent } from "../../../src/sources/core-memory/memory-key.ts";
import { listMemory, readMemory } from "../../../src/sources/core-memory/read-memory.ts";
import { sendEvent } from "../../../src/sources/core-memory/relay.ts";
import { createRelayClient } from "../../../src/sources/core-memory/relay-client.ts";
import { lightNostr } from "../../core-memory/light-nostr.ts";
import { newAgent } from "../../relays/agent.ts";
import { startHttpRelay } from "../../relays/http-relay.ts";
import { startSloppyRelay } from "../../relays/sloppy-relay.ts";
import { startStrictRelay } from "../../relays/strict-relay.ts";
import { deadAddress, type TestRelay } from "../../relays/test-relay.ts";

const kinds = ["strict", "login offered", "login required", "sloppy", "http"] as const;
type Kind = (typeof kinds)[number];
const start: Readonly<Record<Kind, () => Promise<TestRelay>>> = {
  strict: () => startStrictRelay(),
  "login offered": () => startStrictRelay({ login: "offered" }),
  "login required": () => startStrictRelay({ login: "required" }),
  sloppy: () => startSloppyRelay(),
  http: () => startHttpRelay(),
};
const relays = {} as Record<Kind, TestRelay>;
/** A machine may be slow: what is not about time has plenty of it. */
const timeoutMs = 60_000;

beforeAll(async () => {
  await Promise.all(
    kinds.map(async (kind) => {
      relays[kind] = await start[kind]();
    }),
  );
});
afterAll(() => Promise.all(Object.values(relays).map((relay) => relay.stop())));

test.each(kinds)("a memory is empty, written and read again on a relay that is %s", async (kind) => {
  const { key, client } = await newAgent();
  const { url, held } = relays[kind];
  const search = { client, key, relays: [url], slug: "core", timeoutMs };
  const before = await readMemory(search);
  const event = key.makeEvent({ slug: "core", text: "I am Ada.", createdAt: 1_700_000_000 });
  const receipts = await sendEvent({ client, event, relays: [url], timeoutMs });
  const after = await readMemory(search);
  expect({ before, receipts, after }).toEqual({
    before: { status: "empty", relays: [{ relay: url, unusable: 0 }], writeRelays: [url] },
    receipts: [{ relay: url, ok: true }],
    after: {
      status: "present",
      head: { slug: "core", text: "I am Ada.", event, relay: url },
      behind: [],
      relays: [{ relay: url, head: { id: event.id, createdAt: 1_700_000_000 }, unusable: 0 }],
      writeRelays: [url],
    },
  });
  expect((await held()).filter(({ pubkey }) => pubkey === key.agent)).toEqual([event]);
});

test.each(kinds)("the later of two versions stands on a relay that is %s, whichever came last", async (kind) => {
  const { key, client } = await newAgent();
  const { url } = relays[kind];
  const [old, later] = [100, 200].map((createdAt) =>
    key.makeEvent({ slug: "core", text: `at ${createdAt}`, createdAt }),
  );
  for (const event of [later, old]) await sendEvent({ client, event: event as NostrEvent, relays: [url], timeoutMs });
  const found = await readMemory({ client, key, relays: [url], slug: "core", timeoutMs });
  expect(found.status === "present" && found.head.text).toBe("at 200");
});

test.each(kinds)("all memories of one pair are listed by a relay that is %s, and nobody else's", async (kind) => {
  const [ada, bo] = [await newAgent(), await newAgent()];
  const { url } = relays[kind];
  const write = (agent: typeof ada, slug: string, text: string | null, createdAt: number) =>
    sendEvent({
      client: agent.client,
      event: agent.key.makeEvent({ slug, text, createdAt }),
      relays: [url],
      timeoutMs,
    });
  await write(ada, "core", "I am Ada.", 100);
  await write(ada, "mem/people/bo", "Bo likes tea.", 101);
  await write(ada, "mem/old", "Gone soon.", 102);
  await write(ada, "mem/old", null, 103);
  await write(bo, "mem/secret", "Not Ada's.", 104);
  const { heads, truncated, writeRelays } = await listMemory({ ...ada, relays: [url], timeoutMs });
  expect({ heads: heads.map(({ slug, text }) => [slug, text]), truncated, writeRelays }).toEqual({
    heads: [
      ["core", "I am Ada."],
      ["mem/old", null],
      ["mem/people/bo", "Bo likes tea."],
    ],
    truncated: [],
    writeRelays: [url],
  });
});

/** One whose many events cost little: a relay gives them unseen, and only we look at what they are signed with. */
function lightAgent() {
  const owner = lightNostr.publicKey(lightNostr.newSecret());
  const key = createMemoryKey(lightNostr, lightNostr.newSecret(), owner);
  return { key, client: createRelayClient({ sign: key.sign, clock: () => new Date() }) };
}

test("more memories than a page holds are listed whole, page by page", async () => {
  const { key, client } = lightAgent();
  const relay = relays.strict;
  const slugs = Array.from({ length: 130 }, (_, index) => `mem/n${String(index).padStart(3, "0")}`);
  await relay.put(...slugs.map((slug, index) => key.makeEvent({ slug, text: slug, createdAt: 1000 + (index >> 3) })));
  const { heads, truncated } = await listMemory({ client, key, relays: [relay.url], timeoutMs });
  expect({ slugs: heads.map(({ slug }) => slug), truncated }).toEqual({ slugs, truncated: [] });
});

test("more memories of one second than a page holds are said to be lacking", async () => {
  const { key, client } = lightAgent();
  const relay = relays.strict;
  const slugs = Array.from({ length: 50 }, (_, index) => `mem/n${index}`);
  await relay.put(...slugs.map((slug) => key.makeEvent({ slug, text: slug, createdAt: 1000 })));
  const { heads, truncated } = await listMemory({ client, key, relays: [relay.url], timeoutMs });
  expect({ count: heads.length, truncated }).toEqual({ count: 40, truncated: [relay.url] });
});

test("a relay is asked once for a memory; where it offers a login and gives nothing, once more after it", async () => {
  const { key, client } = await newAgent();
  const timesAsked = async () => {
    const before = kinds.map((kind) => relays[kind].asked());
    await readMemory({ client, key, relays: kinds.map((kind) => relays[kind].url), slug: "core", timeoutMs });
    return Object.fromEntries(kinds.map((kind, index) => [kind, relays[kind].asked() - (before[index] as number)]));
  };
  const empty = await timesAsked();
  const event = key.makeEvent({ slug: "core", text: "Here.", createdAt: 1 });
  for (const kind of kinds) await relays[kind].put(event);
  const once = { strict: 1, "login offered": 1, "login required": 1, sloppy: 1, http: 1 };
  expect({ empty, present: await timesAsked() }).toEqual({ empty: { ...once, "login offered": 2 }, present: once });
});

test("a relay that cannot be reached may be the one that has it: the others have nothing, which is not enough", async () => {
  const { key, client } = await newAgent();
  const dead = await deadAddress();
  const trouble = { kind: "unreachable", reason: "No connection: nothing listens there (ECONNREFUSED)." };
  const both = await readMemory({ client, key, relays: [dead, relays.strict.url], slug: "core", timeoutMs });
  const alone = await readMemory({ client, key, relays: [dead], slug: "core", timeoutMs });
  const overHttp = await readMemory({ client, key, relays: [await deadAddress("http")], slug: "core", timeoutMs });
  expect({ both, alone, overHttp: overHttp.relays[0]?.trouble }).toEqual({
    both: {
      status: "unavailable",
      reason: `${dead} could not be reached`,
      signed: false,
      blank: true,
      relays: [
        { relay: dead, trouble, unusable: 0 },
        { relay: relays.strict.url, unusable: 0 },
      ],
      writeRelays: [dead, relays.strict.url],
    },
    alone: {
      status: "unavailable",
      reason: `${dead} could not be reached`,
      signed: false,
      blank: false,
      relays: [{ relay: dead, trouble, unusable: 0 }],
      writeRelays: [dead],
    },
    overHttp: trouble,
  });
});

test("the agent's own list says where it writes, and relays on it are asked, too", async () => {
  const { key, client } = await newAgent();
  const [configured, listed, readOnly] = [relays.strict, relays.sloppy, relays["login offered"]];
  const list = key.sign({
    kind: 10002,
    created_at: 500,
    tags: [
      ["r", listed.url.replace("ws:", "WS:")],
      ["r", `${listed.url}/`, "write"],
      ["r", readOnly.url, "read"],
      ["r", "https://relay.example.org"],
      ["r", "ws://name:password@relay.example.org"],
      ["r", "nonsense"],
      ["r"],
    ],
    content: "",
  });
  const event = key.makeEvent({ slug: "core", text: "Only on the listed one.", createdAt: 600 });
  await configured.put(list);
  await listed.put(event);
  const asked = readOnly.asked();
  const found = await readMemory({ client, key, relays: [configured.url], slug: "core", timeoutMs });
  expect(found).toEqual({
    status: "present",
    head: { slug: "core", text: "Only on the listed one.", event, relay: listed.url },
    behind: [],
    relays: [
      { relay: configured.url, unusable: 0 },
      { relay: listed.url, head: { id: event.id, createdAt: 600 }, unusable: 0 },
    ],
    writeRelays: [listed.url.replace("ws:", "WS:")],
  });
  expect(readOnly.asked()).toBe(asked);
});

test("the newest of several lists says where to write; while the relay it names is down, no other's nothing counts", async () => {
  const { key, client } = await newAgent();
  const dead = await deadAddress();
  const [older, newer] = [
    key.sign({ kind: 10002, created_at: 1, tags: [["r", relays.sloppy.url]], content: "" }),
    key.sign({ kind: 10002, created_at: 2, tags: [["r", dead]], content: "" }),
  ];
  await relays["login required"].put(older);
  await relays.strict.put(newer);
  const configured = [relays["login required"].url, relays.strict.url];
  const found = await readMemory({ client, key, relays: configured, slug: "core", timeoutMs });
  expect(found).toMatchObject({
    status: "unavailable",
    reason: `${dead} could not be reached`,
    signed: false,
    blank: false,
    writeRelays: [dead],
  });
  expect(found.relays.map(({ relay }) => relay)).toEqual(expect.arrayContaining([...configured, dead]));
});

test("another's list, or one with a wrong signature, is not followed, and makes an answer doubtful", async () => {
  const [ada, eve] = [await newAgent(), await newAgent()];
  const tags = [["r", "ws://eve.example"]];
  const forged = { ...eve.key.sign({ kind: 10002, created_at: 9, tags, content: "" }), pubkey: ada.key.agent };
  await relays.sloppy.put(forged);
  const found = await readMemory({ ...ada, relays: [relays.sloppy.url], slug: "core", timeoutMs });
  expect(found).toEqual({
    status: "unavailable",
    reason: `${relays.sloppy.url} gave an event that cannot be used: it is of another kind`,
    signed: false,
    blank: false,
    relays: [{ relay: relays.sloppy.url, unusable: 1, fault: "it is of another kind" }],
    writeRelays: [relays.sloppy.url],
  });
});

test("an HTTP relay that does not know the agent has refused, and a word of success may still be a no", async () => {
  const { key, client } = await newAgent();
  const stranger = await startHttpRelay({ allowed: [] });
  const denying = await startHttpRelay({
    instead: { status: 200, body: '{"accepted":false,"message":"blocked: no"}' },
  });
  const found = await readMemory({ client, key, relays: [stranger.url], slug: "core", timeoutMs });
  const event = key.makeEvent({ slug: "core", text: "Hello.", createdAt: 1 });
  const receipts = await sendEvent({ client, event, relays: [stranger.url, denying.url], timeoutMs });
  await Promise.all([stranger.stop(), denying.stop()]);
  expect({ trouble: found.relays[0]?.trouble, receipts }).toEqual({
    trouble: { kind: "refused", reason: "It refused the request (HTTP 403)." },
    receipts: [
      { relay: stranger.url, ok: false, reason: "It refused the request (HTTP 403)." },
      { relay: denying.url, ok: false, reason: "blocked: no" },
    ],
  });
});
