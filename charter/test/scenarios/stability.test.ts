import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../src/agent/index.ts";
import { checkAgents } from "../../src/cli/commands/maintain/doctor-agents.ts";
import { type Charter, fromText } from "../../src/index.ts";
import { memoryStore, scriptedModel } from "../../src/testing/index.ts";

test("a clock that counts as stable is told of once in a session, and doctor knows", async () => {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  let minute = 0;
  const clock = () => fromText(`It is 9:${String(minute).padStart(2, "0")}.`);
  const charter: Charter = {
    name: "librarian",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "safety", words: "Be safe." }] },
      { name: "now", mutability: "live", sections: [{ name: "clock", sources: [clock] }] },
    ],
  };
  const agent = createAgent({ charter, store, model: scriptedModel(["Yes."], { repeatLast: true }) });
  const told: string[][] = [];
  for (; minute < 6; minute++)
    told.push((await agent.runTurn({ input: "Hello." })).notices.map(({ code, section }) => `${code}: ${section}`));
  expect(told).toEqual([[], [], [], ["section-unstable: clock"], [], []]);
  expect(await checkAgents(store, {})).toContainEqual({
    what: "“librarian”: “clock” counts as stable, and its text changes every turn; each change is carried along.",
    fine: false,
    hint: 'Declare the section with stability: "state".',
  });
});
