import { describe, expect, test } from "vitest";
import type { Declaration } from "../../src/agent/index.ts";
import { defineCharter, fromText } from "../../src/index.ts";
import { kinds } from "../../src/testing/strict/speech.ts";
import { expectAsKept } from "../agent/as-kept.ts";
import { type Loopback, newLoopback, type Told } from "../agent/extensions/loopback-agent.ts";
import { readBody, systemIn } from "../agent/on-wire.ts";
import { wireOf } from "./wire-stage.ts";

describe.each(kinds)("what is news, with %s", (kind) => {
  test("is said once, in the history, and changes nothing before it", async () => {
    const loopback = await newLoopback(kind);
    let news = "The library is open.";
    const { declaration, turns, say } = newsagent(loopback, () => news);
    const agent = loopback.agent({ charter: declaration });
    await say(agent, "Hello");
    await say(agent, "Anything new?");
    news = "The library closes at five.";
    await say(agent, "And now?");
    await say(agent, "Thank you.");
    await expectAsKept(wireOf(loopback), turns);
    const told = loopback.bodies().map((body) => {
      const { spoken } = readBody(kind, body);
      return spoken.flatMap((one) =>
        "text" in one ? [/The library (?:is open|closes at five)\.$/.exec(one.text)?.[0]] : [],
      );
    });
    const [open, closes] = ["The library is open.", "The library closes at five."];
    const found = told.map((texts) => texts.filter((text) => text !== undefined));
    expect(found).toEqual([[open], [open], [open, closes], [open, closes]]);
    const systems = loopback.bodies().map((body) => systemIn(kind, body).split("## News")[0]);
    expect(new Set(systems).size).toBe(1);
    await loopback.close();
  });
});

/** A charter with news in it. */
function newsagent(loopback: Loopback, news: () => string) {
  const fixed = { name: "rules", mutability: "fixed", sections: [{ name: "rules", words: "Be true." }] } as const;
  const sections = [
    { name: "news", heading: "## News", trust: "own", sources: [() => fromText(news())], stability: "event" },
  ] as const;
  const declaration: Declaration = {
    charter: defineCharter({ name: "newsagent", layers: [fixed, { name: "news", mutability: "live", sections }] }),
    rules: async () => () => ({ guards: [] }),
  };
  const turns: string[] = [];
  const say = async (agent: Told, input: string) => {
    loopback.play({ text: ["Well."] });
    turns.push((await agent.runTurn({ input, user: "mia" })).turn);
  };
  return { declaration, turns, say };
}
