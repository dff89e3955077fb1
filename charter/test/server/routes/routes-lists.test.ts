import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiverOf } from "../../../src/delivery/receiver.ts";
import { calls, type Line } from "../../agent/model.ts";
import { type Ask, type Json, newServed, type Served } from "../served.ts";

describe("lists over HTTP", () => {
  let served: Served;
  const turns = new Map<string, string>();
  const take = async (name: string, about: { user: string; channel?: string; input: string }, ...lines: Line[]) => {
    served.wait(3600);
    served.model.say(...lines);
    const { turn } = await served.house.runTurn({ agent: "ada", channel: "web", ...about });
    turns.set(turn, name);
  };

  beforeAll(async () => {
    served = await newServed({ receiver: receiverOf("openai/gpt-5") });
    await take("refund", { user: "bo", input: "Where is my refund?" }, "It was sent to Zürich.");
    const french = ["update_instructions", { instructions: "Always in French." }] as const;
    await take("french", { user: "bo", input: "Always in French." }, calls(french), "Bien.");
    await take("chat", { user: "cy", channel: "telegram", input: "A refund, please." }, "Which order?");
    const fault = { code: "model-rejected", message: "No.", retry: false } as const;
    await take("failed", { user: "cy", input: "Fail." }, { fault });
  });
  afterAll(() => served.close());

  /** The names of the turns found, or how the question was refused. */
  const found = async (ask: Ask, query: string, list: "turns" | "samples" = "turns") => {
    const { status, body } = await ask(`GET /agents/ada/${list}?${query}`);
    if (status !== 200) return [status, body.error.code];
    expect(body.total).toBe(body[list].length);
    return body[list].map((one: Json) => turns.get(one.id ?? one.turn));
  };

  const filters: readonly (readonly [query: string, names: readonly string[]])[] = [
    ["words=refund", ["chat", "refund"]],
    ["words=zurich+refu", ["refund"]],
    ["words=refund&user=cy", ["chat"]],
    ["words=fund", []],
    ["state=failed", ["failed"]],
    ["event=failed", ["failed"]],
    ["event=amended", ["french"]],
    ["event=tool", ["french"]],
    ["event=held", []],
    ["channel=telegram", ["chat"]],
    ["model=openai/gpt-5", ["failed", "chat", "french", "refund"]],
    ["model=openai/none", []],
    ["from=2026-02-18T14:00:00Z&to=2026-02-18T16:00:00Z", ["chat", "french"]],
    ["minCost=0.001", ["french"]],
    ["maxCost=0.001", ["chat", "refund"]],
    ["sort=oldest", ["refund", "french", "chat", "failed"]],
    ["sort=cost", ["french", "chat", "refund", "failed"]],
    ["state=answered&channel=web&words=french", ["french"]],
  ];

  test.each(filters)("an operator's %s, of turns and of samples", async (query, names) => {
    expect(await found(served.operator, query)).toEqual(names);
    expect(await found(served.operator, query, "samples")).toEqual(names);
  });

  test("a page says how many there are in all", async () => {
    const { body } = await served.operator("GET /agents/ada/turns?limit=1&offset=1");
    expect([body.turns.map(({ id }: Json) => turns.get(id)), body.more, body.total]).toEqual([["chat"], true, 4]);
    const last = await served.operator("GET /agents/ada/turns?limit=1&offset=3&sort=oldest");
    expect([last.body.turns.map(({ id }: Json) => turns.get(id)), last.body.more, last.body.total]).toEqual([
      ["failed"],
      false,
      4,
    ]);
  });

  test("a user finds their own by words, state, channel and times, and nobody else's", async () => {
    const { bo, cy } = served;
    expect(await found(bo, "words=refund")).toEqual(["refund"]);
    expect(await found(bo, "words=order")).toEqual([]);
    expect(await found(cy, "words=refund")).toEqual(["chat"]);
    expect(await found(bo, "state=failed")).toEqual([]);
    expect(await found(cy, "state=failed")).toEqual(["failed"]);
    expect(await found(bo, "channel=telegram")).toEqual([]);
    expect(await found(bo, "from=2026-02-18T13:30:00Z")).toEqual(["french"]);
    expect(await found(bo, "event=amended")).toEqual(["french"]);
    expect(await found(bo, "words=refund&user=cy")).toEqual([404, "not-found"]);
  });

  test("a user is told neither models nor costs, nor finds them out by asking", async () => {
    const { bo } = served;
    for (const query of ["model=openai/gpt-5", "minCost=0", "maxCost=9", "sort=cost", "event=cache-miss"]) {
      expect([query, await found(bo, query)]).toEqual([query, [403, "not-allowed"]]);
      const { status, body } = await bo(`GET /agents/ada/sessions?${query}`);
      expect([query, status, body.error.code]).toEqual([query, 403, "not-allowed"]);
    }
    const { body } = await bo("GET /agents/ada/turns");
    for (const key of ["model", "cost", "usage", "events", "runner"])
      expect(body.turns.filter((one: Json) => one[key] !== undefined)).toEqual([]);
    for (const path of ["samples", "counterparts", "cost", "users"])
      expect([path, (await bo(`GET /agents/ada/${path}`)).status]).toEqual([path, 403]);
    const { agents } = (await bo("GET /agents")).body;
    expect(agents.filter((one: Json) => "week" in one || "waiting" in one)).toEqual([]);
  });

  test("sessions are found by a turn in them, and by what all their turns cost", async () => {
    const users = async (query: string) =>
      (await served.operator(`GET /agents/ada/sessions?${query}`)).body.sessions.map(({ scope }: Json) => scope.user);
    expect(await users("words=zurich")).toEqual(["bo"]);
    expect(await users("event=amended")).toEqual(["bo"]);
    expect(await users("state=failed")).toEqual(["cy"]);
    expect(await users("channel=telegram")).toEqual(["cy"]);
    expect(await users("minCost=5")).toEqual([]);
    const { body } = await served.bo("GET /agents/ada/sessions?words=order");
    expect([body.sessions, body.total]).toEqual([[], 0]);
  });

  test("what is no state, event, time, price, order or word is refused, and the answer says which", async () => {
    const odd = [
      ...["state=odd", "event=odd", "from=yesterday", "to=2026-99-01", "minCost=-1", "maxCost=cheap", "sort=odd"],
      ...["words=", "word=refund"],
    ];
    for (const query of odd) {
      const { status, body } = await served.operator(`GET /agents/ada/turns?${query}`);
      expect([query, status, body.error.code]).toEqual([query, 400, "bad-request"]);
      expect(body.error.message).toContain(query.split("=")[0]);
    }
    const { status, body } = await served.operator("GET /agents/ada/turns?words=%3F!");
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      "usage",
      "There is no word in “?!” to look for.",
    ]);
  });
});
