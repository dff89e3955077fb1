import { afterAll, beforeAll, expect, test } from "vitest";
import { quietTurn } from "../../src/amend/guard.ts";
import { type Answer, newServed, type Served } from "./served.ts";

let served: Served;
beforeAll(async () => {
  served = await newServed();
  await served.store.agents.add({ name: "sol", charter: "sovereign" });
});
afterAll(() => served.close());

const lined = "Answer once.\nTell nobody.\n\nIn short:\n\nAnswer once; tell nobody.";
const operation = {
  kind: "rewrite",
  content: "Answer once.\nTell nobody.",
  compact: "Answer once; tell nobody.",
} as const;
const propose = (body: object): Promise<Answer> => served.operator("POST /agents/sol/proposals", body);
const layerSeven = async (edition: string) => {
  const { body } = await served.operator(`GET /agents/sol/prompt?edition=${edition}`);
  return /## Layer 7: [^\n]+\n([\s\S]*?)\n\n---/.exec(body.text)?.[1];
};

test("a compact line is proposed with the words, shown in the difference, on record, and back when they are", async () => {
  const born = await layerSeven("compact");
  expect(born).toContain("never tell one sender what another wrote.");
  const dry = await propose({ section: "7", operation, dryRun: true });
  expect([dry.status, dry.body.after]).toEqual([200, lined]);
  expect(dry.body.diff).toContain("\n+Answer once; tell nobody.\n");
  expect((await propose({ section: "7", operation })).body).toMatchObject({ verdict: "accepted", revision: 1 });
  expect([await layerSeven("full"), await layerSeven("compact")]).toEqual([operation.content, operation.compact]);
  await propose({ section: "7", operation: { kind: "append", content: "Rest." } });
  expect(await layerSeven("compact")).toBe("Answer once. Tell nobody. Rest.");
  await served.operator("POST /agents/sol/sections/inbox/revert", { to: 1 });
  expect(await layerSeven("compact")).toBe(operation.compact);
  const { amendments } = (await served.operator("GET /agents/sol/sections/inbox/history")).body;
  expect(amendments.map(({ after }: { after: string }) => after)).toEqual([
    lined,
    "Answer once.\nTell nobody.\nRest.",
    lined,
  ]);
  await propose({ section: "7", operation: { kind: "reset" } });
  expect(await layerSeven("compact")).toBe(born);
});

test("one that waits shows the line and is approved with it; edited words do not stand under the line of others", async () => {
  const hold = async () => {
    const context = await served.house.amendmentContext({ agent: "sol" });
    const proposal = { section: "inbox", operation, actor: "agent" } as const;
    return (await served.store.propose({ ...context, turn: { ...quietTurn, tainted: true } }, proposal)).held;
  };
  const first = await hold();
  expect((await served.operator(`GET /approvals/${first}`)).body).toMatchObject({
    proposal: { operation },
    after: lined,
  });
  expect((await served.operator(`POST /approvals/${first}/approve`)).body).toMatchObject({ after: lined });
  expect(await layerSeven("compact")).toBe(operation.compact);
  await propose({ section: "7", operation: { kind: "reset" } });
  await served.operator(`POST /approvals/${await hold()}/approve`, { content: "Answer twice." });
  expect([await layerSeven("full"), await layerSeven("compact")]).toEqual(["Answer twice.", "Answer twice."]);
});

test("a section without such a line refuses one, and a reset takes none", async () => {
  const body = { section: "soul", operation: { kind: "append", content: "Be kind.", compact: "Kind." } };
  const no = await served.operator("POST /agents/ada/proposals", body);
  expect([no.status, no.body.error.refusals]).toEqual([
    422,
    [
      {
        guard: "compact-line",
        because: "“soul” has no line of its own in the compact edition: leave out compact.",
      },
    ],
  ]);
  const reset = await propose({ section: "7", operation: { kind: "reset", compact: "Kind." } });
  expect([reset.status, reset.body.error.code]).toEqual([400, "bad-request"]);
});
