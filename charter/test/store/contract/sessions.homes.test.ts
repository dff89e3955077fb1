import { expect, test } from "vitest";
import type { Baseline } from "../../../src/delivery/baseline.ts";
import { deliver } from "../../../src/delivery/deliver.ts";
import type { Message } from "../../../src/delivery/model.ts";
import { receiverOf } from "../../../src/delivery/receiver.ts";
import { assemble, defineCharter, fromText, gather, receiptOf } from "../../../src/index.ts";
import type { Session } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { charter } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

/** A session as the newest is found: without its baseline. */
const found = ({ baseline: _, ...session }: Session) => session;

onEveryHome("sessions", (given) => {
  test("a session is opened, used, found again and ended", async () => {
    const agent = await given.agent();
    const { sessions } = given.store;
    const scope = { agent, user: "bo" };
    const startedAt = given.clock.text();
    const first = await sessions.open({ scope, receiver: "model-1", baseline: { digests: ["a"], at: 1 } });
    expect(first).toEqual({
      id: expect.any(String),
      scope,
      channel: null,
      receiver: "model-1",
      because: null,
      baseline: { digests: ["a"], at: 1 },
      startedAt,
      lastAt: startedAt,
      endedAt: null,
    });
    const second = await sessions.open({ scope, receiver: "model-2", because: "idle" });
    expect([second.baseline, second.because]).toEqual([null, "idle"]);
    expect(await sessions.latest(scope)).toEqual(found(second));
    given.clock.move(1000);
    const touch = async (baseline?: unknown) => {
      const { id } = await given.store.turns.open({ scope, input: "Go on.", session: first.id });
      await given.store.turns.close(id, { reply: "Yes.", session: { touch: true, baseline } });
      return sessions.get(first.id);
    };
    const touched = await touch();
    expect(touched).toEqual({ ...first, lastAt: given.clock.text() });
    expect(await sessions.latest(scope)).toEqual(found(touched));
    const moved = await touch(["new"]);
    expect(moved).toEqual({ ...touched, baseline: ["new"] });
    expect(await sessions.end(first.id)).toEqual({ ...moved, endedAt: given.clock.text() });
    expect(await sessions.latest(scope)).toEqual(found(second));
    expect(await sessions.latest({ agent, user: "cy" })).toBeUndefined();
    expect(await sessions.latest({ agent })).toBeUndefined();
    const chat = await sessions.open({ scope, receiver: "model-1", channel: "telegram" });
    expect(await sessions.latest(scope, "telegram")).toEqual(found(chat));
    expect(await sessions.latest(scope, "web")).toEqual(found(second));
    expect(await sessions.latest(scope, null)).toEqual(found(second));
    expect(await sessions.latest(scope)).toEqual(found(chat));
    const unknown = "unknown-session: There is no session “nope”. Check the id.";
    expect(await problemOf(sessions.get("nope"))).toBe(unknown);
    expect(await problemOf(sessions.end("nope"))).toBe(unknown);
  });

  test("another model takes a session over with the step that sends it there", async () => {
    const agent = await given.agent();
    const { sessions, turns } = given.store;
    const scope = { agent, user: "bo" };
    const { id } = await sessions.open({ scope, receiver: "model-1", baseline: ["one"], channel: "web" });
    const turn = await turns.open({ scope, input: "Go on.", session: id });
    const prompt = assemble(charter, await gather(charter, { now: "2026-02-18T00:00:00Z", tools: [], standing: {} }));
    const step = receiptOf(charter, prompt, { sha256 });
    const session = { touch: true, baseline: ["two"], receiver: "model-2", standsInFor: "model-1" } as const;
    await turns.recordStep(turn.id, { ...step, session });
    const taken = await sessions.latest(scope, "web");
    const { baseline } = await sessions.get(id);
    expect([taken?.id, taken?.receiver, taken?.standsInFor, baseline]).toEqual([id, "model-2", "model-1", ["two"]]);
    expect((await sessions.list({ agent })).map((one) => one.standsInFor)).toEqual(["model-1"]);
    await turns.close(turn.id, { reply: "Gladly.", session: { touch: true } });
    expect((await sessions.get(id)).receiver).toBe("model-2");
  });

  test("turns that name a session of their own share it; its taint is known, and what came since beside it", async () => {
    const agent = await given.agent();
    const { sessions, turns } = given.store;
    const [scope, session, beside] = [{ agent, user: "bo" }, `calls of ${agent}`, `other calls of ${agent}`];
    const open = async (more = {}) => {
      given.clock.move(1000);
      return turns.open({ scope, input: "pay {}", ownSession: "m", session, ...more });
    };
    const taint = (of = scope) => turns.taintOf(of, session, beside);
    expect(await taint()).toEqual({ isNew: true, tainted: false, beside: false });
    await sessions.open({ scope, receiver: "m", id: beside, ended: true });
    expect(await taint()).toEqual({ isNew: true, tainted: false, beside: true });
    expect(await taint({ agent, user: "cy" })).toEqual({ isNew: true, tainted: false, beside: false });
    const first = await open();
    expect(await taint()).toEqual({ isNew: false, tainted: false, beside: false });
    await open({ session: beside });
    expect(await taint()).toEqual({ isNew: false, tainted: false, beside: true });
    expect((await open({ tainted: true })).tainted).toBe(true);
    const last = await open();
    expect(await taint()).toEqual({ isNew: false, tainted: true, beside: false });
    const { startedAt, lastAt, endedAt } = await sessions.get(session);
    expect([startedAt, lastAt, endedAt]).toEqual([first.startedAt, last.startedAt, first.startedAt]);
    expect(await sessions.list({ agent })).toEqual([]);
  });

  test("a baseline comes back as it was, each text from its receipt; once that is let go, the session opens anew", async () => {
    const agent = await given.agent();
    const { sessions, turns, retain } = given.store;
    const scope = { agent, user: "bo" };
    const { id } = await sessions.open({ scope, receiver: "m" });
    const law = (name: string, line: string) =>
      ({ name, words: `## ${name}\n${line.repeat(40)}`, mutability: "fixed" }) as const;
    const feed = {
      name: "feed",
      mutability: "live",
      stability: "state",
      trust: "foreign",
      sources: [() => fromText(news)],
    } as const;
    const own = {
      name: "own",
      stability: "state",
      mutability: "live",
      trust: "own",
      sources: [() => fromText(`Own: ${news}`)],
    } as const;
    const told = defineCharter({
      name: "told",
      layers: [
        { name: "law", mutability: "live", sections: [law("One", "Be kind. "), law("Two", "Be brief. "), feed, own] },
      ],
    });
    let news = "";
    let baseline: Baseline | null = null;
    let past: readonly Message[] = [];
    for (const [at, line] of ["Rain over Rome. ", "Sun over Rome. ", "Wind. "].entries()) {
      news = line.repeat(at === 2 ? 1 : 30);
      const prompt = assemble(told, await gather(told, { now: given.clock.text(), tools: [], standing: {} }));
      const turn = await turns.open({ scope, input: "Go on.", session: id });
      const added = [{ role: "user", text: "Go on." }] as const;
      const delivery = deliver({
        ...{ charter: told, prompt, receiver: receiverOf("anthropic/claude-sonnet-5-5"), baseline, added },
        ...{ past, turn: turn.id, secret: "secret", sha256 },
      });
      past = [...delivery.history, { role: "assistant", text: "Gladly.", calls: [] }];
      baseline = JSON.parse(JSON.stringify(delivery.baseline)) as Baseline;
      const { placements } = delivery;
      await turns.recordStep(turn.id, {
        ...receiptOf(told, prompt, { sha256, placements }),
        session: { touch: true, baseline },
      });
      expect((await sessions.get(id)).baseline).toEqual(baseline);
      await turns.close(turn.id, { reply: "Gladly.", session: { touch: true } });
      expect((await (await given.another()).sessions.get(id)).baseline).toEqual(baseline);
    }
    given.clock.move(3 * 86_400_000);
    await retain({ receipts: 1 });
    expect((await sessions.get(id)).baseline).toEqual({ ...baseline, words: [], updates: [] });
  });

  test("sessions are listed by their last use, with their turns and the first words", async () => {
    const agent = await given.agent();
    const { sessions, turns } = given.store;
    const at = (user: string) => ({ agent, user });
    const old = await sessions.open({ scope: at("bo"), receiver: "m", channel: "web" });
    const long = "Tell me of Rome. ".repeat(40);
    await turns.open({ scope: at("bo"), input: long, session: old.id });
    given.clock.move(1000);
    await turns.open({ scope: at("bo"), input: "And Turin?", session: old.id });
    const chat = await sessions.open({ scope: at("bo"), receiver: "m", channel: "telegram", because: "new" });
    given.clock.move(1000);
    const other = await sessions.open({ scope: at("cy"), receiver: "m", channel: "web" });
    const ended = await sessions.end((await sessions.open({ scope: at("cy"), receiver: "m" })).id);
    await turns.open({ scope: at("bo"), input: "Alone.", ownSession: "m" });
    const ids = async (about: object) => (await sessions.list({ agent, ...about })).map(({ id }) => id);
    expect(await ids({})).toEqual([other.id, chat.id, old.id]);
    given.clock.move(1000);
    const later = await sessions.open({ scope: at("cy"), receiver: "m" });
    given.clock.move(1000);
    await sessions.end(later.id);
    expect(await ids({ user: "cy" })).toEqual([later.id, other.id]);
    expect(await ids({ user: "cy", open: true })).toEqual([other.id]);
    expect(await ids({ channel: "web" })).toEqual([other.id, old.id]);
    expect(await ids({ user: "bo", limit: 1, offset: 1 })).toEqual([old.id]);
    const { baseline: _, ...facts } = await sessions.get(old.id);
    expect((await sessions.list({ agent, user: "bo" }))[1]).toEqual({
      ...facts,
      failed: 0,
      cost: null,
      usage: { input: null, read: null, written: null, output: null },
      models: [],
      turns: 2,
      told: 0,
      firstInput: long.slice(0, 200),
    });
    expect((await sessions.list({ agent, user: "bo" }))[0]).toMatchObject({
      turns: 0,
      firstInput: null,
      because: "new",
    });
    expect(ended.endedAt).not.toBeNull();
  });
});
