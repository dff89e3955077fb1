import { expect, test } from "vitest";
import { canary, createWatch, marksIn } from "./canary.ts";
import { expectNoneAbroad } from "./none-abroad.ts";

/** Other homes, and more turns: `npm run canaries`. */
test("no word of anyone's is in another's prompt, answer, message or row, nor in any log, metric or job", () =>
  expectNoneAbroad("sqlite"));

test("what is where it has no business is found", () => {
  const [bo, cy] = ["boboboboo", "cycycycy"].map((one) => one.slice(0, 8)) as [string, string];
  expect(marksIn(`a ${canary(bo, "ada", "x")} b CANARY-${cy.toUpperCase()}-E-1 c ${canary(bo, "ada", "y")}`)).toEqual([
    { person: bo, agent: "a" },
    { person: cy, agent: "e" },
  ]);
  const rows: [
    what: string,
    text: string,
    may: Parameters<ReturnType<typeof createWatch>["look"]>[2],
    faults: number,
  ][] = [
    ["nothing", "", undefined, 0],
    ["anyone's words in a log", canary(bo, "ada", 1), undefined, 1],
    ["one's own", canary(bo, "ada", 1), { person: bo }, 0],
    ["one's own, with this agent", canary(bo, "ada", 1), { person: bo, agent: "ada" }, 0],
    ["one's own, with another agent", canary(bo, "eve", 1), { person: bo, agent: "ada" }, 1],
    ["one's own name", canary(bo, "u", "id"), { person: bo, agent: "ada" }, 0],
    ["another's beside one's own", `${canary(bo, "ada", 1)} ${canary(cy, "ada", 1)}`, { person: bo }, 1],
  ];
  for (const [what, text, may, faults] of rows) {
    const watch = createWatch();
    watch.look(what, text, may);
    expect([what, watch.faults.length]).toEqual([what, faults]);
  }
});
