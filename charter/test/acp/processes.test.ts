import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OpenPeerResult, Peer } from "../../src/delivery/acp/peer.ts";
import { createProcessPool } from "../../src/delivery/acp/process-pool.ts";
import { acpStage } from "./talk.ts";

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
