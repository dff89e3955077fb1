import { expect, test } from "vitest";
import { quietTurn } from "../../../src/amend/guard.ts";
import type { PublicationOutcome, Publisher } from "../../../src/index.ts";
import { needsApproval, Problem } from "../../../src/index.ts";
import { deskOf, rewrite } from "../desk.ts";
import { onEveryHome, problemOf } from "./given.ts";

const address = "30174:agent:core";

/** Makes events called e1, e2, … each a second after what it is told of. */
function publisherOf(send: Publisher["send"] = async () => undefined): Publisher {
  return {
    address,
    make: ({ revision, after }, newest = 99) => ({
      id: `e${revision}`,
      createdAt: newest + 1,
      body: `signed ${after}`,
    }),
    send,
  };
}

onEveryHome("publications", (given) => {
  const propose = (agent: string, words: string, publisher = publisherOf(), guards = []) =>
    given.store.propose(deskOf({ scope: { agent }, rules: () => ({ guards, publisher }) }), rewrite(words));
  const stateOf = (agent: string) => given.store.publications.state({ agent, section: "goals", address });

  test("what goes out with an amendment is kept in its commit, and sent when that is done", async () => {
    const agent = await given.agent();
    const seen: unknown[] = [];
    const outcome: PublicationOutcome = {
      id: "e1",
      state: "waiting",
      taken: [],
      missed: [{ place: "a", reason: "no" }],
    };
    const accepted = await propose(
      agent,
      "One.",
      publisherOf(async () => {
        seen.push((await stateOf(agent)).waiting);
        return outcome;
      }),
    );
    const kept = {
      agent,
      id: "e1",
      section: "goals",
      revision: 1,
      address,
      createdAt: 100,
      body: "signed One.",
      at: given.clock.text(),
      state: "waiting",
      tries: 0,
      nextTryAt: null,
      taken: [],
      missed: [],
      settledAt: null,
    };
    expect(seen).toEqual([kept]);
    expect(accepted).toMatchObject({ verdict: "accepted", revision: 1, publication: outcome });
  });

  test("a change stands though sending it failed: it waits, and says why", async () => {
    const agent = await given.agent();
    const failing = publisherOf(async () => {
      throw new Error("The disk is full.");
    });
    expect(await propose(agent, "One.", failing)).toMatchObject({
      verdict: "accepted",
      revision: 1,
      publication: {
        id: "e1",
        state: "waiting",
        taken: [],
        missed: [{ place: "nowhere", reason: "The disk is full." }],
      },
    });
    expect((await stateOf(agent)).waiting?.id).toBe("e1");
  });

  test("nothing goes out with what was refused, held or changed nothing", async () => {
    const agent = await given.agent();
    const sent: string[] = [];
    const publisher = publisherOf(async () => {
      sent.push("sent");
      return undefined;
    });
    const tainted = { ...quietTurn, tainted: true };
    const rules = () => ({ guards: [needsApproval], publisher });
    const held = await given.store.propose(
      deskOf({ scope: { agent }, rules, turn: tainted }),
      rewrite("Two.", { turn: "t" }),
    );
    expect(held.verdict).toBe("held");
    await propose(agent, "Grow.", publisher);
    expect([sent, (await stateOf(agent)).waiting]).toEqual([[], undefined]);
    await given.store.held.approve(held.held as string, "bo", deskOf({ scope: { agent }, rules }));
    expect([sent, (await stateOf(agent)).waiting?.body]).toEqual([["sent"], "signed Two."]);
  });

  test("where nothing can be made to go out, nothing is changed", async () => {
    const agent = await given.agent();
    const publisher: Publisher = {
      ...publisherOf(),
      make: () => {
        throw new Problem("clock-poisoned", "The newest is too far ahead.", "Wait.");
      },
    };
    expect(await problemOf(propose(agent, "One.", publisher))).toBe(
      "clock-poisoned: The newest is too far ahead. Wait.",
    );
    expect(await given.store.history.list({ agent }, "goals")).toEqual([]);
  });

  test("a later one is later than all that was seen and made, and stands in for those that wait", async () => {
    const agent = await given.agent();
    await propose(agent, "One.");
    await given.store.publications.noteSeen(
      { agent, section: "goals", address },
      { id: "x", createdAt: 500, digest: "d", place: "a" },
    );
    await propose(agent, "Two.");
    await propose(agent, "Three.");
    expect(
      (await given.store.publications.list({ agent })).map(({ id, createdAt, state, body }) => [
        id,
        createdAt,
        state,
        body,
      ]),
    ).toEqual([
      ["e3", 502, "waiting", "signed Three."],
      ["e2", 501, "replaced", ""],
      ["e1", 100, "replaced", ""],
    ]);
  });

  test("only something later replaces what was seen; of two at once, the lower id", async () => {
    const agent = await given.agent();
    const place = { agent, section: "goals", address };
    const head = (id: string | null, createdAt: number) => ({ id, createdAt, digest: null, place: null });
    const after: unknown[] = [];
    for (const [id, createdAt] of [
      [null, 0],
      ["m", 10],
      ["z", 10],
      ["a", 9],
      ["b", 10],
      [null, 0],
      ["z", 11],
    ] as const) {
      await given.store.publications.noteSeen(place, head(id, createdAt));
      const { seen } = await stateOf(agent);
      after.push([seen?.id, seen?.createdAt]);
    }
    expect(after).toEqual([
      [null, 0],
      ["m", 10],
      ["m", 10],
      ["m", 10],
      ["b", 10],
      ["b", 10],
      ["z", 11],
    ]);
    expect((await given.store.publications.state({ ...place, address: "another" })).seen).toBe(undefined);
  });

  test("it waits until it is settled, once, and events say how", async () => {
    const agent = await given.agent();
    const { publications } = given.store;
    await propose(agent, "One.");
    const missed = [{ place: "wss://a", reason: "late" }];
    await publications.retryAt(agent, "e1", missed, "2999-01-01T00:00:00.000Z");
    expect((await publications.due()).filter((one) => one.agent === agent)).toEqual([]);
    await publications.retryAt(agent, "e1", missed, "2001-01-01T00:00:00.000Z");
    expect((await publications.due()).filter((one) => one.agent === agent)).toMatchObject([
      { id: "e1", tries: 2, missed },
    ]);
    const seen = { id: "e1", createdAt: 100, digest: "d", place: "wss://b", body: "signed One." };
    await publications.settle(agent, "e1", { state: "published", taken: ["wss://b"], missed, seen });
    await publications.settle(agent, "e1", { state: "superseded", taken: [], missed: [], by: "x" });
    expect(await stateOf(agent)).toEqual({ waiting: undefined, seen: { ...seen, at: given.clock.text() } });
    expect(await publications.list({ agent, state: "published" })).toMatchObject([
      { id: "e1", taken: ["wss://b"], missed, tries: 3 },
    ]);
    const told = await given.store.events.list({ agent });
    expect(told.filter(({ kind }) => kind.startsWith("publi")).map(({ kind, detail }) => [kind, detail])).toEqual([
      ["published", { section: "goals", revision: 1, id: "e1", taken: ["wss://b"] }],
    ]);
  });

  test("what a sender was told is noted where it is settled, and changes neither how nor when", async () => {
    const agent = await given.agent();
    const { publications } = given.store;
    await propose(agent, "One.");
    const told = { taken: ["a"], missed: [{ place: "b", reason: "there is no room" }] };
    await publications.noteSent(agent, "e1", told);
    expect(await publications.find(agent, "e1")).toMatchObject({ state: "waiting", taken: [], missed: [], tries: 0 });
    const behind = { place: "b", reason: "it has none" };
    await publications.settle(agent, "e1", { state: "published", taken: ["a", "c"], missed: [behind] });
    const settled = await publications.find(agent, "e1");
    await publications.noteSent(agent, "e1", told);
    expect(await publications.find(agent, "e1")).toEqual({ ...settled, taken: ["a", "c"], missed: told.missed });
    await propose(agent, "Two.");
    await publications.settle(agent, "e2", { state: "superseded", taken: ["a"], missed: [], by: "x" });
    await publications.noteSent(agent, "e2", { taken: [], missed: told.missed });
    expect(await publications.find(agent, "e2")).toMatchObject({ state: "superseded", taken: [], missed: told.missed });
  });
});
