import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Receiver } from "../../../src/delivery/receiver.ts";
import { bytesOf, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { changed, newStage, type Stage, tool } from "../stage.ts";

const user = "eva";

const kinds: readonly [string, Partial<Receiver>][] = [
  ["layered, in the voice of the system", { name: "test/two" }],
  ["layered, in the voice of the user", { name: "test/two", voice: "user" }],
  ["in one string", { name: "test/two", slots: "one-string", voice: "user" }],
];

describe("another model takes a session over", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());

  test.each(kinds)("%s, and gives it back", async (_kind, about) => {
    const native = { model: "test/one", content: [{ type: "reasoning", text: "Hm." }] };
    const one = scripted([
      { text: "I am one.", calls: [{ id: "c1", name: "look", input: "{}" }], finish: "tool-calls", native } as never,
      "Seen.",
      "Yes.",
    ]);
    const two = scripted(["I am two."], about);
    const tools = [tool("look", () => "A cat.")];
    const [first, second] = [stage.agent(one, { tools }), stage.agent(two, { tools })];
    const { session } = await first.runTurn({ input: "Look.", user });
    stage.world.place = () => ({ status: "present", parts: [{ text: "You are in the garden.", source: "place" }] });
    await first.runTurn({ input: "Where are you?", user });
    const taken = await second.runTurn({ input: "And you?", user });
    expect([taken.state, taken.session]).toEqual(["answered", session]);
    expect((await stage.store.sessions.get(session)).receiver).toBe("test/two");
    const [request] = two.requests;
    const said = spoken(request as never).join("\n");
    expect(said).toContain("user: Look.");
    expect(said).toContain("A cat.");
    expect(said).toContain("assistant: Seen.");
    expect(bytesOf(request as never)).not.toContain("Hm.");
    expect(bytesOf(request as never)).toContain("You are in the garden.");
    expect(bytesOf(request as never)).not.toContain("You are in the library.");
    expect(bytesOf(request as never)).not.toContain(changed("Place", "## Place"));
    const back = await first.runTurn({ input: "Are you back?", user });
    expect(back.session).toBe(session);
    const words = spoken(one.requests.at(-1) as never).join("\n");
    expect(words).toContain("user: And you?");
    expect(words).toContain("assistant: I am two.");
    expect(bytesOf(one.requests.at(-1) as never)).toContain("Hm.");
    expect((await stage.store.sessions.get(session)).receiver).toBe("test/one");
    const folds = [...second.events, ...first.events].flatMap((event) =>
      event.kind === "step-start" && event.prefixChange.how === "folded" ? [event.prefixChange.reason] : [],
    );
    expect(folds).toEqual(about.slots === "one-string" ? ["the model changed"] : Array(2).fill("the model changed"));
    // A process that has only the record goes on with the same words.
    const elsewhere = stage.agent(one, { tools, store: await stage.another() });
    await elsewhere.runTurn({ input: "Still?", user });
    expect(spoken(one.requests.at(-1) as never).join("\n")).toContain("assistant: I am two.");
    await provesRequests(stage.store, taken.turn, two.requests);
  });
});
