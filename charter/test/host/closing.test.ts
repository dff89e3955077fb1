import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { calls } from "../agent/model.ts";
import { meeting } from "../agent/stage.ts";
import { type HostStage, newHost } from "./stage.ts";

let stage: HostStage;
afterEach(() => stage.close());

const toolThat = (run: () => Promise<string>) =>
  defineTool({ name: "act", summary: "Acts", input: z.object({}), trusted: true, harmless: true, run });

test("a tool that never ends keeps no house from closing: neither in a turn nor called by a program", async () => {
  const [one, two] = [meeting(), meeting()];
  let begun = 0;
  const hangs = toolThat(() => {
    (begun++ === 0 ? one : two).meet();
    return new Promise(() => {});
  });
  stage = await newHost("sqlite", { tools: [hangs] });
  const { host, model, store } = stage;
  model.say(calls(["act"]), "Fine.");
  const turn = host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Act." });
  await one.met;
  const called = host.callTool({ agent: "ada", user: "bo" }, { tool: "act", input: {} });
  await two.met;
  await host.close(0);
  expect(await turn).toMatchObject({ state: "failed" });
  const came = await called;
  expect(came).toMatchObject({ failed: true, output: expect.stringContaining("when the turn was stopped") });
  expect((await store.turns.list({ agent: "ada" })).map(({ state }) => state)).toEqual(["failed", "failed"]);
});

test("a tool that is called while the house stops what runs is not begun, and its turn is recorded as failed", async () => {
  let acted = 0;
  stage = await newHost("sqlite", { tools: [toolThat(async () => `${++acted}`)] });
  const { host, store } = stage;
  const reading = meeting();
  const slow = await stage.another({
    store: {
      ...store,
      standings: {
        ...store.standings,
        read: async (...asked) => {
          reading.meet();
          await closing.met;
          return store.standings.read(...asked);
        },
      },
    },
  });
  const closing = meeting();
  const called = slow.callTool({ agent: "ada", user: "mia" }, { tool: "act", input: {} });
  const refused = expect(called).rejects.toMatchObject({ code: "model-aborted" });
  await reading.met;
  const closed = slow.close(0);
  // After the timer that stops what runs, which was set before it for the same moment.
  setTimeout(closing.meet, 0);
  await refused;
  await closed;
  expect([acted, (await host.store.turns.list({ agent: "ada" })).map(({ state }) => state)]).toEqual([0, ["failed"]]);
});
