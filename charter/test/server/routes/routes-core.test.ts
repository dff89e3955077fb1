import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "../../cli.ts";
import { newAgent } from "../../relays/agent.ts";
import { startStrictRelay } from "../../relays/strict-relay.ts";
import { deadAddress, type TestRelay } from "../../relays/test-relay.ts";
import { newServed, type Served } from "../served.ts";

/** A core memory over HTTP: the tests follow one another. */
let served: Served;
let relay: TestRelay;
let dead: string;
let folder: Folder;
let agent: Awaited<ReturnType<typeof newAgent>>;
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  [relay, dead, agent] = await Promise.all([startStrictRelay(), deadAddress(), newAgent()]);
  folder = createFolder();
  const file = join(folder.path, "rex.key");
  writeFileSync(file, agent.nsec);
  chmodSync(file, 0o600);
  served = await newServed({ keys: { rex: { file } }, now: new Date(now * 1000) });
  const memory = { relays: [relay.url, dead], owner: agent.owner, key: "rex" };
  await served.operator("POST /agents", { name: "rex", charter: "resident", settings: { memory } });
  // One of its relays never answers: that there was nothing on it is the operator's word.
  await (await served.house.coreMemory("rex"))?.noteBirth();
  await served.operator("POST /agents", {
    name: "keyless",
    charter: "resident",
    settings: { memory: { ...memory, key: "other" } },
  });
});
afterAll(async () => {
  await served.close();
  await relay.stop();
  folder.remove();
});

const unreachable = () => ({
  relay: dead,
  status: "unreachable",
  head: null,
  lagSeconds: null,
  reason: expect.stringContaining("nothing listens there"),
});
const rewrite = (content: string, more: object = {}) =>
  served.operator("POST /agents/rex/proposals", {
    section: "core",
    operation: { kind: "rewrite", content },
    ...more,
  });

test("nothing was ever written", async () => {
  const { status, body } = await served.operator("GET /agents/rex/core");
  expect([status, body]).toEqual([
    200,
    {
      agent: "rex",
      status: "empty",
      reason: null,
      text: null,
      revision: 0,
      npub: agent.key.npub,
      head: null,
      relays: [{ relay: relay.url, status: "nothing", head: null, lagSeconds: null, reason: null }, unreachable()],
      waiting: [],
      conflicts: [],
      notices: [],
    },
  ]);
});

test("a proposal is published, and says who took it", async () => {
  const { status, body } = await rewrite("You are Rex.", { revision: 0 });
  const [held] = await relay.held();
  expect([status, body]).toMatchObject([
    201,
    {
      verdict: "accepted",
      revision: 1,
      publication: {
        id: held?.id,
        state: "published",
        taken: [relay.url],
        missed: [{ place: dead, reason: expect.stringContaining("nothing listens there") }],
      },
    },
  ]);
  expect((await served.operator("GET /agents/rex/core")).body).toMatchObject({
    status: "present",
    text: "You are Rex.",
    revision: 1,
    head: { id: held?.id, createdAt: held?.created_at, relay: relay.url, author: agent.key.npub },
    relays: [{ status: "newest", lagSeconds: 0 }, { status: "unreachable" }],
  });
  expect((await served.operator("POST /agents/rex/core/publish")).body).toMatchObject({
    publication: { id: held?.id, state: "published", taken: [relay.url], missed: [{ place: dead }] },
  });
});

test("a revision that is not the newest is refused with both texts, and nothing is published", async () => {
  const before = await relay.held();
  const { status, body } = await rewrite("You are Max.", { revision: 0 });
  expect([status, body.error.code]).toEqual([409, "stale"]);
  expect(await relay.held()).toEqual(before);
});

test("a key that is not there is the reason, and a core memory that was never set up is said to be none", async () => {
  expect((await served.operator("GET /agents/keyless/core")).body).toMatchObject({
    status: "unavailable",
    reason: "There is no key “other” in the configuration.",
    npub: null,
    relays: [],
    notices: [{ code: "key-missing", section: "core" }],
  });
  const { status, body } = await served.operator("GET /agents/ada/core");
  expect([status, body.error.code]).toEqual([422, "no-core-memory"]);
});
