import { expect, test } from "vitest";
import { bytesOf } from "../../agent/model.ts";
import { charter } from "../../cli.ts";
import { type Json, newServed, type Served } from "../served.ts";

/** One service from its first agent to a user who leaves, over HTTP alone; and what scripts read is what is served. */
test("a service is set up, used by two people, looked after, and left", async () => {
  const served = await newServed();
  const { operator, model, holdCall } = served;

  // An operator sets up an agent, and gives two people a key.
  expect((await operator("POST /agents", { name: "max", charter: "assistant", model: "openai/gpt-5" })).status).toBe(
    201,
  );
  const keys = await Promise.all(
    ["ann", "ben"].map((user) => operator("POST /tokens", { name: `${user}'s phone`, kind: "user", user })),
  );
  const [ann, ben] = keys.map(({ body }) => served.as(body.secret)) as [typeof operator, typeof operator];
  await operator("POST /agents/max/proposals", {
    section: "soul",
    operation: { kind: "rewrite", content: "You are Max." },
  });

  // They say what they want, and only their own prompt has it.
  expect((await ann("PATCH /me", { zone: "Asia/Tokyo" })).status).toBe(200);
  const wish = { section: "instructions", operation: { kind: "append", content: "Always answer ann in French." } };
  expect((await ann("POST /agents/max/proposals", wish, { "idempotency-key": "one" })).status).toBe(201);
  expect((await ann("POST /agents/max/proposals", wish, { "idempotency-key": "one" })).body.repeated).toBe(true);
  await ann("POST /agents/max/memory", { text: "Ann's cat is called Félix.", key: "cat" });
  await ben("POST /agents/max/memory", { text: "Ben has no cat." });
  expect((await ann("GET /agents/max/memory?query=cat")).body.notes).toHaveLength(1);

  // They talk.
  model.say("Bonjour.");
  expect((await ann("POST /agents/max/turns", { input: "Hello?", channel: "web" })).body.reply).toBe("Bonjour.");
  const sent = bytesOf(model.requests.at(-1) as never);
  expect(sent).toContain("You are Max.");
  expect(sent).toContain("in French");
  expect(sent).toContain("(Asia/Tokyo)");
  await ben("POST /agents/max/turns", { input: "Hello?", channel: "web" });
  expect(bytesOf(model.requests.at(-1) as never)).not.toContain("French");
  expect((await ben("GET /agents/max/turns")).body.turns).toHaveLength(1);

  // They have it come by itself, and link a chat.
  const digest = { title: "Digest", input: "What is new?", cron: "0 8 * * *" };
  expect((await ann("POST /agents/max/schedules", digest)).body.nextAt).toBe("2026-02-18T23:00:00.000Z");
  const { body: link } = await ann("POST /agents/max/links", { channel: "telegram" });
  await served.store.links.redeem("max", "telegram", link.code, "4711");
  expect((await ann("GET /agents/max/links")).body.links).toMatchObject([{ address: "4711" }]);

  // What waits for a person waits in one place.
  await holdCall("ann");
  expect((await ben("GET /approvals")).body.calls).toEqual([]);

  await sameAsCommand(served);

  // One of them leaves, and nothing of theirs is left; the other notices nothing.
  const gone = await operator("DELETE /users/ann");
  expect(gone.body).toMatchObject({ user: "ann", erased: true });
  expect((await ann("GET /me")).status).toBe(401);
  for (const path of ["memory", "schedules", "links"]) {
    const { body } = await operator(`GET /agents/max/${path}?user=ann`);
    expect([path, Object.values(body)]).toEqual([path, [[], false]]);
  }
  const { body } = await operator("GET /agents/max/sections/instructions?user=ann");
  expect([body.text, body.revision]).toEqual(["", 0]);
  const history = await operator("GET /agents/max/sections/instructions/history?user=ann");
  expect(history.body.amendments).toMatchObject([{ before: null, after: null, reason: null }]);
  expect((await ben("GET /agents/max/memory")).body.notes).toMatchObject([{ text: "Ben has no cat." }]);
  await served.close();
});

/** What scripts are told by the command is what is served, to the letter. */
async function sameAsCommand({ operator, database }: Served): Promise<void> {
  const command = (...words: string[]) => charter([...words, "--database", database, "--json"]).json() as Json;
  const same: [request: string, told: Json][] = [
    ["GET /users", command("users")],
    ["GET /approvals", command("approvals")],
    ["GET /agents/max/conversations", command("conversations", "--agent", "max")],
    ["GET /agents/max/memory?user=ann", command("memory", "--agent", "max", "--user", "ann")],
    ["GET /agents/max/memory?user=ann&query=cat", command("memory", "--agent", "max", "--user", "ann", "cat")],
    ["GET /agents/max/sections/soul/history", command("history", "--agent", "max", "soul")],
    [
      "GET /agents/max/sections/instructions/history?user=ann",
      command("history", "--agent", "max", "--user", "ann", "instructions"),
    ],
  ];
  // The server of these tests answers with a model of its own.
  const { answersWith: _, ...agent } = (await operator("GET /agents/max")).body;
  expect(command("agents", "show", "max")).toMatchObject(agent);
  // The last seven days are those of each one's own clock.
  const timeless = ({ agents, ...rest }: Json) => ({
    ...rest,
    agents: agents.map(({ week: _, ...one }: Json) => one),
  });
  expect(timeless((await operator("GET /agents")).body)).toEqual(timeless(command("agents")));
  for (const [request, told] of same) expect([request, (await operator(request)).body]).toEqual([request, told]);
  const shown = command("show", "--agent", "max", "--user", "ann", "--channel", "web");
  const { body: prompt } = await operator("GET /agents/max/prompt?user=ann&channel=web");
  expect(Object.keys(prompt)).toEqual(Object.keys(shown));
  expect(Object.keys(prompt.sections[0])).toEqual(Object.keys(shown.sections[0]));
}
