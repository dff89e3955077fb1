import { expect, test } from "vitest";
import { calls } from "../../agent/model.ts";
import { tool } from "../../agent/stage.ts";
import { addressA, addressB, agent, lives } from "../../automaton/stage.ts";
import { bo, inStore, newFolder, talk } from "../../chat.ts";
import { findLandings } from "../../store/strays.ts";

const life = lives();
const folder = newFolder();

test("what is written to an agent that lives by itself, and what it does about it, is kept as words and nowhere else", async () => {
  const fails = tool("stumble", () => {
    throw new Error("canary of a tool");
  });
  const { automaton, store, model, post, pass } = await life("sqlite", { tools: [fails] });
  await post(addressA, "canary, asked", "m1");
  await post(addressB, "canary, asked by another", "m2");
  model.say(
    calls(
      ["update_prompt_layer", { layer_id: 6, content: "- canary of a layer" }],
      ["save_memory", { content: "canary of a note", key: "canary of a key" }],
      ["stumble", { over: "canary of an argument" }],
      ["canary_of_a_tool", {}],
    ),
    "canary, answered",
    () => {
      throw new Error("canary of a model");
    },
    "canary, answered as well",
  );
  for (let tick = 0; tick < 6; tick++) {
    await automaton.tick();
    pass(60_000);
  }
  expect(await store.inbox.counts(agent)).toMatchObject({ answered: 2 });
  const { said, strays } = await findLandings(store, /canary/);
  expect([...strays]).toEqual([]);
  expect([...said]).toEqual(
    expect.arrayContaining(["inbox.body", "outbox.body", "exchanges.sender_body", "turns.input"]),
  );
});

test("what is typed in a chat is kept as words and nowhere else", async () => {
  const lines = ["always answer with the canary", "remember that my canary is red", "what about the canary?"];
  const more = ["/remember canary", "/why canary", "/canary", "/new", "canary again", "/undo"];
  talk(folder, [...lines, ...more], ...bo);
  const { said, strays } = await inStore(folder, (store) => findLandings(store, /canary/));
  expect([...strays]).toEqual([]);
  expect([...said]).toEqual(expect.arrayContaining(["turns.input", "turns.reply", "memories.text", "standings.words"]));
});
