import { expect, onTestFinished, test } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { calls, spoken, systemOf } from "../agent/model.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";
import { residentHere as stage } from "./resident-stage.ts";

test("a relay that was away at the first turn and is back at the second: the same session has the words then", async () => {
  const { host, model, relay, elsewhere } = await stage();
  await elsewhere("You are Ada.");
  const ask = relay.shelf.find.bind(relay.shelf);
  relay.shelf.find = () => {
    throw new Error("The disk is gone.");
  };
  const first = await host.runTurn({ agent: "ada", input: "Who are you?", user: "mia" });
  const before = JSON.stringify(model.requests.at(-1));
  expect([before.includes("You are Ada."), before.includes("You are new here.")]).toEqual([false, false]);
  relay.shelf.find = ask;
  const second = await host.runTurn({ agent: "ada", input: "And now?", user: "mia" });
  expect(second.session).toBe(first.session);
  expect(JSON.stringify(model.requests.at(-1))).toContain("You are Ada.");
});

test("words that were there and cannot be read now are not said to be gone, nor is anybody new", async () => {
  const { host, model, relay, elsewhere } = await stage();
  await elsewhere("You are Ada.");
  const first = await host.runTurn({ agent: "ada", input: "Who are you?", user: "mia" });
  const [was] = model.requests;
  relay.shelf.events.clear();
  const second = await host.runTurn({ agent: "ada", input: "And now?", user: "mia" });
  expect(second.session).toBe(first.session);
  expect(second.notices.map(({ code }) => code)).toEqual(["core-memory-lost", "source-unavailable"]);
  // The session goes on with the words it began with, and no update takes them back.
  const now = model.requests.at(-1) as ModelRequest;
  expect([systemOf(now), spoken(now)]).toEqual([
    systemOf(was as ModelRequest),
    ["user: Who are you?", "assistant: Fine.", "user: And now?"],
  ]);
  expect(systemOf(now)).toBe("You live in a house.\n\nYou are Ada.");
});

test("what a turn writes is in its next step's request, without another question to a relay", async () => {
  const { host, model, lines, relay } = await stage();
  lines.push(calls(["update_core_memory", { operation: "rewrite", content: "You are Ada." }]), () => {
    asked.push(relay.asked());
    return "Done.";
  });
  const asked: number[] = [];
  await host.runTurn({ agent: "ada", input: "You are Ada.", user: "mia" });
  expect(JSON.stringify(model.requests.at(-1))).toContain("You are Ada.");
  // Before the turn; before the event is sent; after the first OK. The next step asks nobody.
  expect([asked, relay.asked()]).toEqual([[3], 3]);
  const before = relay.asked();
  await host.runTurn({ agent: "ada", input: "Again.", user: "mia" });
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
  await host.runTurn({ agent: "ada", input: "Hello.", user: "mia" });
  const before = [relay.asked(), other.asked()];
  lines.push(calls(["no_such_tool", {}]), calls(["no_such_tool", {}]), "Done.");
  await host.runTurn({ agent: "ada", input: "Work.", user: "mia" });
  expect([relay.asked(), other.asked()].map((now, at) => now - (before[at] as number))).toEqual([1, 1]);
});

test("another's text that stands instead is in the next step, and the tool's answer shows both", async () => {
  const { host, model, lines, relay, key, history } = await stage();
  const take = relay.shelf.upsert.bind(relay.shelf);
  relay.shelf.upsert = (event) => {
    const theirs = key.makeEvent({ slug: "core", text: "You are Eva.", createdAt: event.created_at + 1 });
    take(theirs);
    relay.shelf.upsert = take;
    return take(event);
  };
  lines.push(calls(["update_core_memory", { operation: "rewrite", content: "You are Ada." }]));
  await host.runTurn({ agent: "ada", input: "You are Ada.", user: "mia" });
  const { messages } = model.requests.at(-1) as ModelRequest;
  const results = messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  expect(JSON.parse(results.at(-1)?.output ?? "")).toMatchObject({
    verdict: "accepted",
    publication: { state: "superseded", conflict: { ours: "You are Ada.", theirs: "You are Eva." } },
  });
  expect(JSON.stringify(messages.filter((one) => one.role !== "tool"))).toContain("You are Eva.");
  expect((await history()).map(([, , text]) => text)).toEqual(["You are Eva.", "You are Ada."]);
});

test("a tool that is called without a turn looks first: what cannot be read is not written over", async () => {
  const { host, relay, prompt } = await stage();
  const write = (content: string) =>
    host.callTool(
      { agent: "ada", user: "mia" },
      { tool: "update_core_memory", input: { operation: "rewrite", content } },
    );
  expect(JSON.parse((await write("You are Ada.")).output)).toMatchObject({ verdict: "accepted" });
  expect(await prompt()).toContain("You are Ada.");
  relay.shelf.events.clear();
  const refused = await write("You are Bo.");
  expect([refused.failed, JSON.parse(refused.output).refusals.map(({ guard }: { guard: string }) => guard)]).toEqual([
    true,
    expect.arrayContaining(["core-unavailable"]),
  ]);
});
