import { assemble, type Charter, fromText, receiptOf } from "charter";
import { createStore, sha256, sqlite } from "charter/store";
import { expect, onTestFinished, test } from "vitest";
import { replayRequest } from "../../src/agent/replay.ts";
import { offersText } from "../../src/delivery/fold.ts";
import { historyDigest } from "../../src/delivery/prediction.ts";

const charter: Charter = {
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Keep secrets." }] },
    { name: "now", mutability: "live", sections: [{ name: "clock", stability: "state", trust: "own", sources: [] }] },
  ],
};

test("a request of an earlier version, which had its state at the end, is given back as it was sent", async () => {
  const store = await createStore(sqlite(":memory:"));
  onTestFinished(() => store.close());
  const scope = { agent: "ada", user: "bo" };
  await store.agents.put({ name: "ada", charter: "librarian" });
  const session = await store.sessions.open({ scope, receiver: "test/one" });
  const { id } = await store.turns.open({ scope, input: "Hello.", session: session.id });
  const input = { role: "user", text: "Hello." } as const;
  const receipt = receiptOf(charter, assemble(charter, { clock: fromText("It is noon.") }), {
    ...{ sha256, receiver: "test/one", request: { offers: offersText([], sha256) } },
    placements: [
      { slot: "system", sections: ["law"] },
      { slot: "state", sections: ["clock"], message: 1 },
    ],
    history: {
      ...{ messages: 1, tokens: null, digest: historyDigest([input], sha256), breakpoints: [1] },
      source: { turns: 0, own: 1, voice: "system" },
    },
  });
  await store.turns.recordStep(id, { ...receipt, session: { touch: true, baseline: null } });
  const result = { input: "Hello.", answer: { text: "Good day.", calls: [] } };
  await store.turns.close(id, { state: "answered", reply: "Good day.", step: { step: 1, result } });
  expect((await replayRequest(store, id, 1)).request).toEqual({
    tools: [],
    system: [{ text: "Keep secrets.\n\n" }],
    messages: [
      { ...input, breakpoint: true },
      { role: "system", text: "It is noon." },
    ],
    cacheKey: session.id,
  });
});
