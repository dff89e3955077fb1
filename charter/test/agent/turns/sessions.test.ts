import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyStore } from "../../../src/store/index.ts";
import { homes } from "../../homes.ts";
import { bytesOf, calls, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, meeting, newStage, type Stage } from "../stage.ts";

for (const home of homes)
  describe(`sessions on ${home}`, () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await newStage(home);
    });
    afterEach(() => stage.close());
    const onlyHere = test.skipIf(home === "postgres");

    onlyHere("the newest session goes on; a new one begins with nothing; one can be named", async () => {
      const model = scripted();
      const agent = stage.agent(model);
      const one = await agent.runTurn({ input: "One.", user: "eva" });
      const two = await agent.runTurn({ input: "Two.", user: "eva", session: "new" });
      expect(two.session).not.toBe(one.session);
      expect(spoken(model.requests[1] as never).slice(0, -1)).toEqual(["user: Two."]);
      expect((await agent.runTurn({ input: "Three.", user: "eva" })).session).toBe(two.session);
      const four = await agent.runTurn({ input: "Four.", user: "eva", session: one.session });
      expect(four.session).toBe(one.session);
      expect(spoken(model.requests[3] as never).slice(0, -1)).toEqual([
        "user: One.",
        "assistant: Fine.",
        "user: Four.",
      ]);
    });

    onlyHere("a turn of its own leaves no session to go on with", async () => {
      const model = scripted();
      const agent = stage.agent(model);
      const one = await agent.runTurn({ input: "One.", user: "eva" });
      const alone = await agent.runTurn({ input: "Two.", user: "eva", session: "none" });
      expect((await stage.store.sessions.get(alone.session)).endedAt).not.toBeNull();
      expect((await agent.runTurn({ input: "Three.", user: "eva" })).session).toBe(one.session);
      expect(bytesOf(model.requests[2] as never)).not.toContain("Two.");
    });

    onlyHere("no two users share one, and none can name another's", async () => {
      const model = scripted();
      const agent = stage.agent(model);
      const eva = await agent.runTurn({ input: "I am Eva.", user: "eva" });
      const bo = await agent.runTurn({ input: "I am Bo.", user: "bo" });
      const nobody = await agent.runTurn({ input: "I am nobody." });
      expect(new Set([eva.session, bo.session, nobody.session]).size).toBe(3);
      for (const asked of [{ user: "bo" }, {}, { user: "EVA" }])
        await expect(agent.runTurn({ input: "Me.", session: eva.session, ...asked })).rejects.toMatchObject({
          code: "unknown-session",
        });
      await expect(agent.runTurn({ input: "Me.", session: "nonsense" })).rejects.toMatchObject({
        code: "unknown-session",
      });
      const other = stage.agent(model, { name: "bob" });
      await expect(other.runTurn({ input: "Me.", user: "eva", session: eva.session })).rejects.toMatchObject({
        code: "unknown-session",
      });
      await stage.store.sessions.end(eva.session);
      await expect(agent.runTurn({ input: "Me.", user: "eva", session: eva.session })).rejects.toMatchObject({
        code: "session-ended",
      });
      expect(model.requests).toHaveLength(3);
    });

    test("many users at once: each is answered, in a session of their own", async () => {
      const model = scripted([(request) => `To ${bytesOf(request).match(/user-\d+/)?.[0]}.`]);
      const agent = stage.agent(model);
      const users = Array.from({ length: home === "sqlite" ? 50 : 10 }, (_, index) => `user-${index}`);
      const outcomes = await Promise.all(users.map((user) => agent.runTurn({ input: `I am ${user}.`, user })));
      expect(outcomes.map(({ reply }) => reply)).toEqual(users.map((user) => `To ${user}.`));
      expect(new Set(outcomes.map(({ session }) => session)).size).toBe(users.length);
      for (const request of model.requests) expect(new Set(bytesOf(request).match(/user-\d+/g)).size).toBe(1);
      expect((await verifyStore(stage.store.home)).faults).toEqual([]);
    });

    test("ten turns of one user at once follow each other, and each knows those before it", async () => {
      let now = 0;
      let most = 0;
      const model = scripted([
        async (request) => {
          most = Math.max(most, ++now);
          await new Promise(setImmediate);
          now -= 1;
          return `Answer ${request.messages.filter(({ role }) => role === "user").length}.`;
        },
      ]);
      const agent = stage.agent(model);
      const turns = Array.from({ length: 10 }, (_, index) => agent.runTurn({ input: `Turn ${index}.`, user: "eva" }));
      const outcomes = await Promise.all(turns);
      expect(most).toBe(1);
      expect(new Set(outcomes.map(({ session }) => session)).size).toBe(1);
      const whole = spoken(model.requests[9] as never).slice(0, -1);
      expect(whole.filter((_, index) => index % 2 === 1)).toEqual(
        Array.from({ length: 9 }, (_, index) => `assistant: Answer ${index + 1}.`),
      );
      expect(whole.filter((_, index) => index % 2 === 0).toSorted()).toEqual(
        Array.from({ length: 10 }, (_, index) => `user: Turn ${index}.`),
      );
      for (const [index, request] of model.requests.entries())
        expect(spoken(request).slice(0, -1)).toEqual(whole.slice(0, 2 * index + 1));
      const fresh = stage.agent(model, { store: await stage.another() });
      await fresh.runTurn({ input: "After.", user: "eva" });
      expect(spoken(model.requests[10] as never).slice(0, whole.length)).toEqual(whole);
    });

    test("a whole turn with an amendment, proved and continued by another process", async () => {
      const model = scripted([
        calls(["amend", { content: "- Be kind." }], ["amend", { section: "wishes", content: "In French." }]),
        "Done.",
      ]);
      const agent = stage.agent(model, { tools: [amends] });
      const one = await agent.runTurn({ input: "One.", user: "eva" });
      await provesRequests(stage.store, one.turn, model.requests);
      const fresh = stage.agent(model, { tools: [amends], store: await stage.another() });
      const two = await fresh.runTurn({ input: "Two.", user: "eva" });
      await provesRequests(stage.store, two.turn, model.requests.slice(2));
      expect(model.requests[2]?.system).toEqual(model.requests[1]?.system);
      const [, before, after] = model.requests.map((request) => spoken(request).slice(0, -1)) as [
        string[],
        string[],
        string[],
      ];
      expect(after).toEqual([...before, "assistant: Done.", "user: Two."]);
      expect((await verifyStore(stage.store.home)).faults).toEqual([]);
    });

    onlyHere("of a turn id that is asked for twice there is one turn", async () => {
      const [began, goOn] = [meeting(), meeting()];
      const model = scripted([
        async () => {
          began.meet();
          await goOn.met;
          return "Fine.";
        },
      ]);
      const agent = stage.agent(model);
      const first = agent.runTurn({ input: "One.", id: "turn-1", user: "eva" });
      await began.met;
      await expect(agent.runTurn({ input: "One.", id: "turn-1", user: "bo" })).rejects.toMatchObject({
        code: "turn-exists",
      });
      goOn.meet();
      expect(await first).toMatchObject({ reply: "Fine." });
      expect(model.requests).toHaveLength(1);
    });
  });
