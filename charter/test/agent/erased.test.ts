import { afterEach, beforeEach, expect, test } from "vitest";
import { bytesOf, calls, type Line, scripted, spoken } from "./model.ts";
import { newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const long = (word: string) => `${word} `.repeat(100).trim();

test("a turn that waited for another while its user was erased is told nothing of them", async () => {
  const model = scripted();
  const agent = stage.agent(model, {
    hooks: [
      {
        name: "erases",
        "after-turn": async ({ turn }) => {
          if (turn === "one") await stage.store.erase({ user: "eva" });
          return undefined;
        },
      },
    ],
  });
  await agent.runTurn({ input: "SECRET of eva.", user: "eva" });
  const turns = ["one", "two"].map((id) => agent.runTurn({ input: "Hello.", user: "eva", id }));
  const [, two] = await Promise.allSettled(turns);
  expect(two).toMatchObject({ status: "rejected", reason: { code: "unknown-session" } });
  expect(model.requests).toHaveLength(2);
  await agent.runTurn({ input: "Hello again.", user: "eva" });
  expect(bytesOf(model.requests.at(-1) as never)).not.toContain("SECRET");
});

test.each([[null], ["mia"]])(
  "of a letter's sender nothing is left in mind or summary of who read it: %s",
  async (user) => {
    const letters = tool(
      "letters",
      async (_, { store, turn }) => (await store.inbox.claim("ada", turn)).map(({ body }) => body).join("\n"),
      { harmless: true },
    );
    const summing: Line = (request) =>
      bytesOf(request).includes("Write down what") ? "It was about SECRET." : "Fine.";
    const model = scripted([calls(["letters"]), summing]);
    const agent = stage.agent(model, { tools: [letters], compactAt: 250, operator: true });
    await stage.store.agents.add({ name: "ada", charter: "staged" });
    await stage.store.inbox.post({ agent: "ada", sender: "mallory", body: "SECRET of mallory." });
    const { session } = await agent.runTurn({ input: long("alpha"), user });
    await agent.runTurn({ input: long("beta"), user });
    await agent.runTurn({ input: "Hello.", user });
    expect(spoken(model.requests.at(-1) as never)[0]).toContain("It was about SECRET.");

    await stage.store.erase({ user: "counterpart:mallory" });
    expect(JSON.stringify(await stage.store.sessions.get(session))).not.toContain("SECRET");
    await agent.runTurn({ input: "What do you know?", user });
    expect(bytesOf(model.requests.at(-1) as never)).not.toContain("SECRET");
  },
);
