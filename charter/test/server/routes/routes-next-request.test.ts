import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import { servedForAll } from "../served.ts";

const served = servedForAll();

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
  expect(said.map(([slot]: string[]) => slot)).toEqual(["system", "update", "update"]);
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

const handsOf = (
  told: { parts: { slot: string; sections: { name: string; text: string; spans: Span[] }[] }[] },
  slot: string,
  name: string,
) => {
  const section = told.parts
    .filter((part) => part.slot === slot)
    .flatMap(({ sections }) => sections)
    .find((one) => one.name === name);
  let at = 0;
  return (section?.spans ?? []).map(({ length, hand, revision, replaced }) => {
    const words = section?.text.slice(at, at + length).trim();
    at += length;
    return [words, hand, revision, ...(replaced ? ["replaced"] : [])];
  });
};
type Span = { length: number; hand: string; revision: number | null; replaced?: true };

test("each stretch of it names the hand that wrote it, and what a later update replaced", async () => {
  const section = "instructions";
  const added = { section, user: "cy", operation: { kind: "append", content: "Be brief.\n\nSay please." } };
  await served.operator("POST /agents/ada/proposals", added);
  await served.operator("POST /agents/ada/turns", { input: "Hello!", channel: "web", user: "cy" });
  const before = await next("?user=cy&channel=web");
  expect(handsOf(before, "system", section)).toEqual([
    [expect.stringMatching(/^## /), "charter", null],
    ["Be brief.\n\nSay please.", "operator", 1],
    [expect.stringMatching(/^The user can change these/), "charter", null],
  ]);
  expect(before.amendments).toMatchObject([{ section, revision: 1, actor: "operator", turn: null }]);
  expect(handsOf(before, "system", "safety").map(([, hand]) => hand)).toEqual(["charter"]);
  expect(before.said).toMatchObject([
    { message: 0, kind: "input", hands: ["user"] },
    { message: 2, kind: "answer", hands: ["agent"] },
    { message: 3, kind: "input", turn: null, hands: ["user"] },
  ]);
  const changed = { section, operation: { kind: "rewrite", content: "Be brief.\n\nSay thanks." } };
  await served.cy("POST /agents/ada/proposals", changed);
  const after = await next("?user=cy&channel=web");
  const [, ...words] = handsOf(after, "system", section);
  expect(words.slice(0, -1)).toEqual([
    ["Be brief.\n\nSay", "operator", 1],
    ["please.", "operator", 1, "replaced"],
  ]);
  const told = handsOf(after, "update", section);
  expect(told.filter(([, hand]) => hand === "user")).toEqual([["thanks", "user", 2]]);
  expect(told.some((one) => one.includes("replaced"))).toBe(false);
});

test("a request that was sent is told in the same form, with what was billed", async () => {
  const { session } = await next("?user=cy&channel=web");
  const [turn] = await served.store.sessions.history(session.id);
  const told = await next(`?turn=${turn?.id}`);
  expect(told).toMatchObject({ user: "cy", sent: { turn: turn?.id, step: 1 }, input: 0, prefixChange: null });
  expect(told.billed).not.toBe(null);
  expect(handsOf(told, "system", "instructions")[1]).toEqual(["Be brief.\n\nSay please.", "operator", 1]);
  expect(told.request.messages[0].text).toBe("Hello!");
  const { read, written, fresh } = told.predicted;
  expect(read + written + fresh).toBe(told.tokens.total);
});

test("at another time, or in another edition, it is that of a new conversation", async () => {
  const told = await next("?user=cy&channel=web&edition=compact&at=2026-02-20T12:00:00Z");
  expect(told).toMatchObject({ session: null, sent: null, prefixChange: { how: "opened" }, input: 0 });
  const whole = await next("?user=cy&channel=web&session=new");
  expect(told.tokens.total).toBeLessThan(whole.tokens.total);
});

test("of an agent that takes no turns here it is the one it would begin with, without the tools of its directory", async () => {
  await served.store.agents.add({ name: "cody", charter: "coder" });
  const { body } = await served.operator("GET /agents/cody/prompt?parts=request");
  expect(body.request).toMatchObject({ session: null, sent: null, request: { tools: [] } });
  expect(body.request.parts[0].sections.length).toBeGreaterThan(3);
});
