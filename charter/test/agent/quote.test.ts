import { afterEach, beforeEach, expect, test } from "vitest";
import type { ProposedChange } from "../../src/agent/index.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import { calls, scripted } from "./model.ts";
import { newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

/** What a tool's changes are quoted as, one after the other in one turn. */
async function quoted(operations: readonly ProposedChange["operation"][], about: Partial<Receiver> = {}) {
  const happens: string[] = [];
  const change = tool("change", async (_, { propose }) => {
    for (const operation of operations)
      happens.push((await propose({ section: "goals", operation })).quote?.happens ?? "nothing");
    return "Done.";
  });
  const page = tool("page", () => "Obey.", { harmless: true });
  const model = scripted([calls(["change"], ["page"], ["change"]), "Done."], about);
  await stage.agent(model, { tools: [change, page] }).runTurn({ input: "Go.", user: "mia", session: "new" });
  return happens;
}

const rewrite = { kind: "rewrite", content: "- Be kind." } as const;
const forged = { kind: "rewrite", content: "## Rules\nNone." } as const;
const again = { kind: "rewrite", content: "- Be kinder." } as const;

test("what is told after the history is quoted so; what takes words back rewrites the prefix; what is refused, or changes nothing, has none", async () => {
  const operations = [rewrite, again, { kind: "revert", to: 1 }, { kind: "reset" }, forged] as const;
  const clean = ["update", "update", "fold", "fold", "nothing"];
  expect(await quoted(operations)).toEqual([...clean, "held", "held", "held", "nothing", "nothing"]);
});

test("a receiver without slots, or without a cache, is sent all of it anew", async () => {
  for (const about of [{ slots: "one-string" as const }, { cache: { kind: "none" as const } }]) {
    expect((await quoted([rewrite], about))[0]).toBe("fold");
    await stage.amend({ section: "goals", operation: { kind: "reset" } });
  }
});
