import { existsSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessPool } from "../../src/delivery/acp/session/process-pool.ts";
import type { OpenPeerResult, Peer } from "../../src/delivery/acp/wire/peer.ts";
import { type AgentScript, type ScriptedAgent, scriptedAgent } from "./agent-script.ts";
import { isAlive } from "./is-alive.ts";
import { acpStage, talkTo } from "./talk.ts";

const echo: AgentScript = { turns: [[{ say: "{input}" }]] };

type Start = { readonly env: Readonly<Record<string, string>>; readonly cwd: string };
const starts = (agent: ScriptedAgent): Start[] =>
  agent.log().flatMap((line) => ("started" in line ? [line.started] : []));

test("a process never serves two users; each has a directory of its own, and nothing of ours", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, echo, { env: { TOKEN: "given" } });
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: "ours", CHARTER_CHAIN_KEY: "ours" };
  const model = agents({ one: agent.entry }, { env }).model("one");
  const places = [
    { user: "ann" },
    { user: "Ann" },
    { user: "operator" },
    { operator: true },
    { operator: true, user: "cy" },
    { user: "ann", agent: "bo" },
  ];
  const talks = places.map((place, index) => talkTo(model, { id: `s${index}`, ...place }));
  await Promise.all(talks.map((talk, index) => talk.say(`word-${index}`)));
  await talks[0]?.say("once more");
  const started = starts(agent);
  expect(started).toHaveLength(6);
  expect(new Set(started.map(({ cwd }) => cwd)).size).toBe(6);
  expect(started.map(({ env: given }) => given)).toEqual(
    started.map(() => ({ PATH: process.env.PATH, TOKEN: "given" })),
  );
  for (const { cwd } of started) expect(statSync(cwd).mode & 0o777).toBe(0o700);
  const byProcess = Map.groupBy(agent.log(), ({ pid }) => pid);
  for (const lines of byProcess.values()) {
    const words = new Set(JSON.stringify(lines).match(/word-\d/g));
    expect(words.size).toBe(1);
  }
});

test("the operator's own turns are taken in the directory that is configured", async () => {
  const { folder, agents } = acpStage();
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const agent = scriptedAgent(folder, echo, { cwd });
  const model = agents({ one: agent.entry }).model("one");
  await talkTo(model, { id: "s1", operator: true }).say("Hello");
  await talkTo(model, { id: "s2", user: "ann" }).say("Hello");
  await talkTo(model, { id: "s3", user: "ann", operator: true }).say("Hello");
  const [own, users, asAnn, ...others] = starts(agent).map((start) => start.cwd);
  expect([own, asAnn, others]).toEqual([realpathSync(cwd), realpathSync(cwd), []]);
  expect(users).toContain("/home/one-");
});

test("a directory that holds something of ours is refused, also behind a link", () => {
  const { folder, agents } = acpStage();
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(join(data, "charter.db"), "");
  symlinkSync(data, join(folder, "link"));
  const problem = (cwd: string, ours: string) => {
    try {
      agents({ one: { command: ["x"], cwd } }, { ours: [ours] }).model("one");
      return undefined;
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  expect([
    problem(data, join(data, "charter.db")),
    problem(join(folder, "link"), join(data, "charter.db")),
    problem(folder, join(folder, "link", "later.db")),
    problem(data, join(folder, "database.db")),
    problem(join(folder, "project"), join(folder, "home", "charter.db")),
  ]).toEqual(["acp-directory", "acp-directory", "acp-directory", undefined, undefined]);
});

test("a name without an entry is a problem that names those there are", () => {
  const { agents } = acpStage();
  expect(() => agents({ one: { command: ["x"] } }).model("toString")).toThrow(
    "There is no agent “toString” for the model “acp/toString”. Configured: “one”.",
  );
});

test("nothing is started before it is asked, and nothing is left when all are closed", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, echo);
  const all = agents({ one: agent.entry });
  const model = all.model("one");
  expect(existsSync(join(folder, "home"))).toBe(false);
  await talkTo(model).say("Hello");
  expect(agent.pids().filter(isAlive)).toHaveLength(1);
  await all.close();
  expect(agent.pids().filter(isAlive)).toEqual([]);
  expect(await talkTo(model).reply("Hello")).toBe("model-aborted");
});

/** A process that is none: it lives until it is ended. */
function fakePeer(): Peer {
  const { promise: ended, resolve } = Promise.withResolvers<{ kind: "ended"; why: string }>();
  let isOver = false;
  return {
    advertised: {} as Peer["advertised"],
    call: async () => ({}),
    notify: () => {},
    attach: () => () => {},
    ended,
    isOver: () => isOver,
    errorTail: () => "",
    end: async () => {
      isOver = true;
      resolve({ kind: "ended", why: "was ended" });
    },
  };
}

const never = new AbortController().signal;

test("who is idle for ten minutes is ended; of too many, the one that was idle for the longest time", async () => {
  let now = 0;
  const sleeps: { readonly ms: number; readonly signal: AbortSignal; readonly wake: () => void }[] = [];
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((wake) => {
      sleeps.push({ ms, signal, wake });
    });
  const pool = createProcessPool({ max: 2, now: () => now++, random: () => 1, sleep });
  const peers = new Map<string, Peer>();
  const use = async (place: string, work = async (_peer: Peer) => "done") => {
    const start = async (): Promise<OpenPeerResult> => {
      const peer = fakePeer();
      peers.set(place, peer);
      return { peer };
    };
    return await pool.use(place, start, never, work);
  };
  const up = () => [...peers].filter(([, peer]) => !peer.isOver()).map(([place]) => place);
  await use("a");
  await use("b");
  await use("a");
  await use("c");
  expect(up()).toEqual(["a", "c"]);
  expect(
    await use("a", async () => await use("c", async () => (await use("d")).kind).then((one) => JSON.stringify(one))),
  ).toEqual({
    kind: "worked",
    result: '{"kind":"worked","result":"full"}',
  });
  const waiting = sleeps.filter(({ signal }) => !signal.aborted);
  expect(waiting.map(({ ms }) => ms)).toEqual([600_000, 600_000, 600_000]);
  for (const { wake } of waiting) wake();
  await Promise.resolve();
  expect(up()).toEqual([]);
});

test("of two that wait for the same process, one that gives up does not take it from the other", async () => {
  const pool = createProcessPool({ now: () => 0, random: () => 1, sleep: () => new Promise(() => {}) });
  const stop = new AbortController();
  let starts = 0;
  const start = async (signal: AbortSignal): Promise<OpenPeerResult> => {
    if (++starts > 1) return { peer: fakePeer() };
    if (!signal.aborted) await new Promise((done) => signal.addEventListener("abort", done));
    return { failure: { why: "was not waited for", aborted: true, tail: "" } };
  };
  const first = pool.use("a", start, stop.signal, async () => "first");
  const second = pool.use("a", start, never, async () => "second");
  stop.abort();
  expect(await Promise.all([first, second])).toEqual([{ kind: "aborted" }, { kind: "worked", result: "second" }]);
  expect(starts).toBe(2);
});
