import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newcomerWithMemory } from "../../src/charters/resident/resident.ts";
import { deadAddress } from "../relays/test-relay.ts";
import { newResident, type ResidentStage } from "./resident-stage.ts";

/** The six rows, with the words from relays: an operator's text or none; a core memory that is there, empty, or away. */
describe("the truth table", () => {
  let stage: ResidentStage;
  let dead: string;
  beforeAll(async () => {
    stage = await newResident();
    dead = await deadAddress();
    for (const name of ["new", "away"]) await stage.resident(name);
    await stage.elsewhere("You are Eva.");
  });
  afterAll(() => stage.close());

  const base = "You live in a house.";
  const french = "Answer in French.";
  const rows: [operator: string | undefined, agent: string, core: string, expected: string[]][] = [
    [french, "ada", "present", [base, french, "You are Eva."]],
    [french, "new", "confirmed empty", [base, french]],
    [french, "away", "unavailable", [base, french]],
    [undefined, "ada", "present", [base, "You are Eva."]],
    [undefined, "new", "confirmed empty", [base, newcomerWithMemory]],
    [undefined, "away", "unavailable", [base]],
  ];
  for (const [operator, agent, core, expected] of rows)
    test(`operator ${operator ? "present" : "absent"}, core ${core}`, async () => {
      const { memory, ...others } = stage.settings(agent) as { memory: object };
      const relays = agent === "away" ? { relays: [dead] } : {};
      const settings = { ...others, memory: { ...memory, ...relays }, ...(operator ? { operator } : {}) };
      await stage.store.agents.put({ name: agent, charter: "resident", settings });
      expect(await stage.prompt(agent)).toBe(expected.join("\n\n"));
    });
});
