import { expect, onTestFinished, test } from "vitest";
import type { Request } from "../../src/delivery/model.ts";
import { calls, spoken, systemOf } from "../agent/model.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";
import { newResident } from "./resident-stage.ts";

const stage = async () => {
  const made = await newResident();
  onTestFinished(made.close);
  return made;
};

test("a relay that was away at the first turn and is back at the second: the same session has the words then", async () => {
  const { host, model, relay, elsewhere } = await stage();
  await elsewhere("You are Ada.");
  const ask = relay.shelf.find.bind(relay.shelf);
  relay.shelf.find = () => {
    throw new Error("The disk is gone.");
  };
  const first = await host.runTurn({ agent: "ada", input: "Who are you?" });
  const before = JSON.stringify(model.requests.at(-1));
  expect([before.includes("You are Ada."), before.includes("You are new here.")]).toEqual([false, false]);
  relay.shelf.find = ask;
  const second = await host.runTurn({ agent: "ada", input: "And now?" });
  expect(second.session).toBe(first.session);
  expect(JSON.stringify(model.requests.at(-1))).toContain("You are Ada.");
});

test("words that were there and cannot be read now are not said to be gone, nor is anybody new", async () => {
  const { host, model, relay, elsewhere } = await stage();
  await elsewhere("You are Ada.");
  const first = await host.runTurn({ agent: "ada", input: "Who are you?" });
  const [was] = model.requests;
  relay.shelf.events.clear();
  const second = await host.runTurn({ agent: "ada", input: "And now?" });
  expect(second.session).toBe(first.session);
  expect(second.notices.map(({ code }) => code)).toEqual(["core-memory-lost", "source-unavailable"]);
  // The session goes on with the words it began with, and no update takes them back.
  const now = model.requests.at(-1) as Request;
  expect([systemOf(now), spoken(now)]).toEqual([
    systemOf(was as Request),
    ["user: Who are you?", "assistant: Fine.", "user: And now?"],
  ]);
  expect(systemOf(now)).toBe("You live in a house.\n\nYou are Ada.");
});

test("what a turn writes is in its next step's request, without another question to a relay", async () => {
  const { host, model, lines, relay } = await stage();
  lines.push(calls(["update_core_memory", { content: "You are Ada." }]), () => {
    asked.push(relay.asked());
    return "Done.";
  });
  const asked: number[] = [];
  await host.runTurn({ agent: "ada", input: "You are Ada." });
  expect(JSON.stringify(model.requests.at(-1))).toContain("You are Ada.");
  // Before the turn; before the event is sent; after the first OK. The next step asks nobody.
  expect([asked, relay.asked()]).toEqual([[3], 3]);
  const before = relay.asked();
  await host.runTurn({ agent: "ada", input: "Again." });
  expect(relay.asked() - before).toBe(1);
});

test("a turn with a core memory that has not changed asks each relay once, however many steps it has", async () => {
  const { store, host, lines, relay, elsewhere, settings } = await stage();
  const other = await startStrictRelay();
  onTestFinished(other.stop);
  const { memory, ...more } = settings() as { memory: object };
  const both = { ...more, memory: { ...memory, relays: [relay.url, other.url] } };
  await store.agents.put({ name: "ada", charter: "resident", settings: both });
  await elsewhere("You are Ada.");
  await host.runTurn({ agent: "ada", input: "Hello." });
  const before = [relay.asked(), other.asked()];
  lines.push(calls(["no_such_tool", {}]), calls(["no_such_tool", {}]), "Done.");
  await host.runTurn({ agent: "ada", input: "Work." });
  expect([relay.asked(), other.asked()].map((now, at) => now - (before[at] as number))).toEqual([1, 1]);
});
