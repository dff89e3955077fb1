import { afterAll, beforeAll, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import { newServed, type Served } from "../served.ts";

let served: Served;
beforeAll(async () => {
  served = await newServed();
});
afterAll(() => served.close());

const asked = (query: string) => served.operator(`GET /agents/ada/prompt${query}&parts=request`);
const next = async (query: string) => (await asked(query)).body.request;

test("without an open conversation it is the first request of a new one", async () => {
  expect(await next("?user=bo&channel=web")).toMatchObject({
    agent: "ada",
    user: "bo",
    channel: "web",
    session: null,
    model: "test/one",
    prefixChange: { how: "opened" },
    input: 0,
    notices: [],
  });
});

test("in a conversation it is what the next turn then sends, with what changed since as an update", async () => {
  await served.bo("POST /agents/ada/turns", { input: "Hello!", channel: "web" });
  await served.bo("POST /agents/ada/proposals", {
    section: "instructions",
    operation: { kind: "append", content: "<b>Always</b> answer in French." },
  });
  const told = await next("?user=bo&channel=web");
  expect(told).toMatchObject({
    prefixChange: { how: "updated", sections: ["instructions"] },
    session: { channel: "web" },
  });
  const { tools, prefix, history, state, total, exact } = told.tokens;
  expect([total, exact]).toEqual([tools + prefix + history + state, false]);
  const { read, written, fresh } = told.predicted;
  expect(read + written + fresh).toBe(total);
  const first = served.model.requests.length;
  await served.bo("POST /agents/ada/turns", { input: "And now?", channel: "web" });
  const sent = served.model.requests[first] as ModelRequest;
  told.request.messages[told.input].text = "And now?";
  expect(told.request).toEqual(
    JSON.parse(JSON.stringify({ tools: sent.tools, system: sent.system, messages: sent.messages })),
  );
  // Each part is the very text that stands in the request.
  const said = told.parts.map((part: { slot: string; message: number | null; sections: { text: string }[] }) => [
    part.slot,
    part.message === null
      ? sent.system.map(({ text }) => text).join("")
      : (sent.messages[part.message] as { text: string }).text,
    part.sections.map(({ text }) => text).join(""),
  ]);
  for (const [, whole, parts] of said) expect(parts).toBe(whole);
  expect(said.map(([slot]: string[]) => slot)).toEqual(["system", "update", "state"]);
});

test.each([
  ["?user=cy&session=", 404],
  ["?session=nonsense", 404],
  ["?user=bo&words=x", 400],
])("%s is refused", async (query, status) => {
  const { session } = await next("?user=bo&channel=web");
  const path = query.endsWith("session=") ? `${query}${session.id}` : query;
  expect((await asked(path)).status).toBe(status);
});
