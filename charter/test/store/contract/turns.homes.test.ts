import { expect, test } from "vitest";
import { assemble, gather, receiptOf, type Standing } from "../../../src/index.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { charter } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

/** A prompt as it would be sent, and its receipt. */
async function sent(goals: string, wishes?: string) {
  const standing: Record<string, Standing> = { goals: { text: goals, revision: 1 } };
  if (wishes !== undefined) standing.wishes = { text: wishes, revision: 1 };
  const turn = { now: "2026-02-18T00:00:00Z", tools: [], standing };
  const prompt = assemble(charter, await gather(charter, turn));
  return { prompt, step: receiptOf(charter, prompt, { sha256 }) };
}

onEveryHome("turns, steps and sessions", (given) => {
  test("a turn is opened, answered and kept", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const opened = await given.store.turns.open({ scope, input: "Hello?", channel: "web", session: "s1" });
    const turn = {
      id: opened.id,
      scope,
      session: "s1",
      channel: "web",
      input: "Hello?",
      reply: null,
      state: "running",
      tainted: false,
      startedAt: given.clock.text(),
      endedAt: null,
      runner: null,
      leasedUntil: null,
      micros: null,
    };
    expect(opened).toEqual(turn);
    given.clock.move(1000);
    const closed = await given.store.turns.close(opened.id, { reply: "Hello!", tainted: true });
    const end = { reply: "Hello!", state: "answered", tainted: true, endedAt: given.clock.text() };
    expect(closed).toEqual({ ...turn, ...end });
    expect(await given.store.turns.get(opened.id)).toEqual(closed);
    const failed = await given.store.turns.open({ scope: { agent }, input: "", id: "mine" });
    expect(await given.store.turns.close("mine", { state: "failed" })).toEqual({
      ...failed,
      state: "failed",
      endedAt: given.clock.text(),
    });
  });

  test("turns are listed newest first, of one agent, of one user", async () => {
    const agent = await given.agent();
    const ids: string[] = [];
    for (const user of ["bo", "cy", "bo"])
      ids.unshift((await given.store.turns.open({ scope: { agent, user }, input: user })).id);
    const list = async (about: object) => (await given.store.turns.list({ agent, ...about })).map(({ id }) => id);
    expect(await list({})).toEqual(ids);
    expect(await list({ user: "bo" })).toEqual([ids[0], ids[2]]);
    expect(await list({ limit: 1, offset: 1 })).toEqual([ids[1]]);
    expect(await list({ user: "" })).toEqual([]);
  });

  test("a turn nobody opened, and one that was opened already, are problems", async () => {
    const agent = await given.agent();
    const unknown = "unknown-turn: There is no turn “nope”. See them with `charter turns`.";
    const { turns, steps } = given.store;
    const { step } = await sent("x");
    expect(await problemOf(turns.get("nope"))).toBe(unknown);
    expect(await problemOf(turns.close("nope", {}))).toBe(unknown);
    expect(await problemOf(turns.recordStep("nope", step))).toBe(unknown);
    expect(await problemOf(turns.recordResult("nope", 1, {}))).toBe(unknown);
    expect(await problemOf(steps.replay("nope"))).toBe(
      "unknown-turn: Nothing was sent in “nope”. See the turns with `charter turns`.",
    );
    expect(await steps.of("nope")).toEqual([]);
    await turns.open({ scope: { agent, user: "bo" }, input: "x", id: `t-${agent}` });
    for (const scope of [{ agent, user: "bo" }, { agent, user: "cy" }, { agent }])
      expect(await problemOf(turns.open({ scope, input: "y", id: `t-${agent}` }))).toBe(
        `turn-exists: There is a turn “t-${agent}” already. Give every turn an id of its own, or none.`,
      );
    expect((await turns.get(`t-${agent}`)).input).toBe("x");
    expect(await problemOf(turns.open({ scope: { agent: "nobody" }, input: "x" }))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
    expect(await problemOf(turns.recordResult(`t-${agent}`, 3, {}))).toBe(
      `unknown-turn: The turn “t-${agent}” has no step 3. See it with \`charter turns\`.`,
    );
  });

  test("a frozen agent takes no turn; one whose amendments are frozen does", async () => {
    const agent = await given.agent();
    const open = () => given.store.turns.open({ scope: { agent }, input: "x" });
    await given.store.agents.freeze(agent, "amendments");
    expect((await open()).state).toBe("running");
    await given.store.agents.freeze(agent, "agent");
    expect(await problemOf(open())).toBe(`agent-frozen: “${agent}” is frozen. Undo it with \`charter thaw ${agent}\`.`);
    await given.store.agents.thaw(agent);
    expect((await open()).state).toBe("running");
  });

  test("each step of a turn keeps its receipt, chained to the agent's step before it", async () => {
    const agent = await given.agent();
    const { turns, steps } = given.store;
    const first = await turns.open({ scope: { agent, user: "bo" }, input: "1" });
    const second = await turns.open({ scope: { agent, user: "cy" }, input: "2" });
    const kept = [
      await turns.recordStep(first.id, (await sent("A", "a")).step),
      await turns.recordStep(second.id, (await sent("B", "b")).step),
      await turns.recordStep(first.id, (await sent("C", "c")).step),
    ];
    expect(kept.map(({ step, number }) => [step, number])).toEqual([
      [1, 1],
      [1, 2],
      [2, 3],
    ]);
    const usage = { input: 10, read: null, written: null, output: null };
    await turns.recordResult(first.id, 2, { usage, finish: "tool-calls" });
    const at = given.clock.text();
    const { step } = await sent("C", "c");
    const of = await steps.of(first.id);
    expect(of.map(({ previous }) => previous)).toEqual([sha256(agent), kept[1]?.digest]);
    expect(of[1]).toEqual({
      turn: first.id,
      step: 2,
      number: 3,
      at,
      receipt: JSON.parse(JSON.stringify(step.receipt)),
      digest: kept[2]?.digest,
      previous: kept[1]?.digest,
      erasedAt: null,
      result: { usage, finish: "tool-calls" },
    });
    expect(of[0]?.result).toBeNull();
  });

  test("what was sent comes back byte by byte, the last step of a turn or any", async () => {
    const agent = await given.agent();
    const { turns, steps } = given.store;
    const turn = await turns.open({ scope: { agent, user: "bo" }, input: "1" });
    const prompts: string[] = [];
    const long = Array.from({ length: 60 }, (_, index) => `Line ${index} of a text that is long enough to be packed.`);
    for (let index = 0; index < 50; index++) {
      const { prompt, step } = await sent(long.slice(0, 10 + index).join("\n"), `Wish ${index}: 😀 “quoted” \\ $1 ?`);
      prompts.push(prompt.text);
      await turns.recordStep(turn.id, step);
    }
    const another = await given.another();
    for (const [index, text] of prompts.entries()) {
      const { slots } = await another.steps.replay(turn.id, index + 1);
      expect(slots).toEqual([{ slot: "system", text, digest: sha256(text) }]);
    }
    const { slots, receipt, text } = await steps.replay(turn.id);
    expect(slots[0]?.text).toBe(prompts.at(-1));
    const parts = receipt.slots[0]?.sections.map(text);
    expect(parts?.join("")).toBe(prompts.at(-1));
  });

  test("many steps of one agent at once are one chain", async () => {
    const agent = await given.agent();
    const stores = [given.store, await given.another()];
    const turns = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        given.store.turns.open({ scope: { agent, user: `u${index % 3}` }, input: `${index}` }),
      ),
    );
    await Promise.all(
      turns.flatMap(({ id }, index) =>
        [1, 2, 3].map(async (step) =>
          stores[(index + step) % 2]?.turns.recordStep(id, (await sent(`${index} ${step}`)).step),
        ),
      ),
    );
    const all = (await Promise.all(turns.map(({ id }) => given.store.steps.of(id)))).flat();
    all.sort((a, b) => a.number - b.number);
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 18 }, (_, index) => index + 1));
    for (const [index, { previous }] of all.entries())
      expect(previous).toBe(index === 0 ? sha256(agent) : all[index - 1]?.digest);
    for (const { id } of turns) expect((await given.store.steps.of(id)).map(({ step }) => step)).toEqual([1, 2, 3]);
    for (const { turn, step } of all) await given.store.steps.replay(turn, step);
  });

  test("what was changed behind the store's back is not replayed", async () => {
    const agent = await given.agent();
    const turn = await given.store.turns.open({ scope: { agent, user: "bo" }, input: "1" });
    await given.store.turns.recordStep(turn.id, (await sent("Grow.", "Be brief.")).step);
    const behindItsBack = (query: ReturnType<typeof sql>) =>
      given.store.home.write("everything", (db) => db.run(query));
    await behindItsBack(sql`update steps set at = ${"2020-01-01T00:00:00.000Z"} where turn = ${turn.id}`);
    expect(await problemOf(given.store.steps.replay(turn.id))).toBe(
      `replay-mismatch: The receipt of “${turn.id}” cannot be proved by its digest. Run \`charter verify\` to see what was changed behind the store's back.`,
    );
    await behindItsBack(sql`update steps set at = ${given.clock.text()} where turn = ${turn.id}`);
    await given.store.steps.replay(turn.id);
    await behindItsBack(sql`delete from texts where owner = ${"bo"}`);
    expect(await problemOf(given.store.steps.replay(turn.id))).toMatch(/^(?:replay-mismatch|text-missing): /);
  });
});
