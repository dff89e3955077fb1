import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { takenKinds } from "../../../src/agent/attachments.ts";
import { standInReceiver } from "../../../src/delivery/stand-in.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { type Ask, newServed, type Served } from "../served.ts";
import { askAt, asPage, type Chat, headersOf, signIn } from "./chat-stage.ts";

/** What an operator wrote into the prompt, what the model is called and what it costs: nobody's at the page for users. */
const operators = /soul-of-the-operator|gpt-5|micros|receiver|baseline|spending|slot|runner/;

describe("a user at their page", () => {
  let served: Served;
  let bo: Chat;
  let ask: Ask;
  beforeAll(async () => {
    served = await newServed();
    const rewrite = { kind: "rewrite", content: "soul-of-the-operator" };
    await served.operator("POST /agents/ada/proposals", { section: "soul", operation: rewrite });
    await served.store.agents.update("ada", async (agent) => ({ ...agent, label: "Ada" }));
    bo = await signIn(served, { user: "bo", agent: "ada" });
    ask = asPage(served, bo);
  });
  afterAll(() => served.close());

  test("begins with one answer: with whom, as whom, nothing said yet", async () => {
    const { status, body } = await ask("GET /page");
    expect([status, body]).toEqual([
      200,
      {
        agent: { name: "ada", label: "Ada" },
        user: "bo",
        zone: null,
        session: null,
        sections: [{ name: "instructions", heading: expect.any(String), revision: 0 }],
        telegram: { possible: true, linked: 0 },
        files: { kinds: takenKinds, maxBytes: 5_000_000, maxCount: 10 },
        waiting: 0,
        standIn: false,
      },
    ]);
  });

  test("knows beforehand what may come with a turn, as the operator has set it", async () => {
    const set = async (attachments: object | null) => {
      await served.operator("PATCH /agents/ada", { settings: { attachments } });
      return (await ask("GET /page")).body.files;
    };
    expect([
      await set({ kinds: ["image/*"], maxBytes: 1000, maxCount: 1 }),
      await set({ maxCount: 0 }),
      (await set(null)).maxCount,
    ]).toEqual([{ kinds: ["image/*"], maxBytes: 1000, maxCount: 1 }, null, 10]);
  });

  test("talks, begins anew, and finds what was said in either session", async () => {
    const turn = async (input: string) => (await ask("POST /agents/ada/turns", { input, channel: "web" })).body;
    const first = await turn("Hello.");
    expect([first.state, first.reply]).toEqual(["answered", "Fine."]);
    const { body: opened } = await ask("POST /agents/ada/sessions", {});
    const second = await turn("And again.");
    expect(second.session).toBe(opened.id);
    const said = async (session: string) =>
      (await ask(`GET /agents/ada/turns?session=${session}`)).body.turns.map(
        ({ input, reply }: { input: string; reply: string }) => [input, reply],
      );
    expect([await said(first.session), await said(second.session), await said("nobody's")]).toEqual([
      [["Hello.", "Fine."]],
      [["And again.", "Fine."]],
      [],
    ]);
    expect((await ask("GET /page")).body.session.id).toBe(second.session);
    const cy = asPage(served, await signIn(served, { user: "cy", agent: "ada" }));
    expect((await cy(`GET /agents/ada/turns?session=${first.session}`)).body.turns).toEqual([]);
  });

  test("is not told what a turn costs, nor who takes it, in its stream or after it", async () => {
    const response = await served.app.fetch(
      new Request("http://localhost/chat/api/agents/ada/turns", {
        method: "POST",
        headers: { ...headersOf(bo), "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ input: "Hello once more." }),
      }),
    );
    const chunks = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
    const [first, last] = [chunks.at(0), chunks.at(-1)].map((line) => JSON.parse((line as string).slice(6)));
    const { turn, session } = first.messageMetadata;
    expect(last).toEqual({
      type: "finish",
      finishReason: "stop",
      messageMetadata: { turn, session, state: "answered", tainted: false },
    });
    const { body } = await ask(`GET /turns/${turn}`);
    expect(body).toEqual({
      id: turn,
      scope: { agent: "ada", user: "bo" },
      session,
      channel: "web",
      input: "Hello once more.",
      reply: "Fine.",
      state: "answered",
      tainted: false,
      // Two turns of a session never begin at once, though this clock stands still.
      startedAt: "2026-02-18T12:00:00.001Z",
      endedAt: "2026-02-18T12:00:00.001Z",
    });
    const operation = { kind: "rewrite", content: "Answer in verse." };
    const quoted = await ask("POST /agents/ada/proposals", { section: "instructions", operation, quote: true });
    expect([quoted.status, quoted.body.verdict, quoted.body.quote]).toEqual([200, "accepted", undefined]);
  });

  test("says yes to what waits for them, and to nothing of others", async () => {
    const [mine, others] = [await served.holdProposal("bo"), await served.holdProposal("cy")];
    expect((await ask("GET /page")).body.waiting).toBe(1);
    const { body } = await ask("GET /approvals");
    expect(body.proposals.map(({ id }: { id: string }) => id)).toEqual([mine]);
    expect((await ask(`POST /approvals/${others}/approve`)).status).toBe(404);
    expect((await ask(`POST /approvals/${mine}/approve`)).status).toBe(200);
    expect((await ask("GET /page")).body.waiting).toBe(0);
  });

  test("gets a code to link a chat, and cannot make a link that signs in", async () => {
    const { body } = await ask("POST /agents/ada/links", { channel: "telegram" });
    expect(body.url).toBe(`https://t.me/ada_bot?start=${body.code}`);
    await served.store.links.redeem("ada", "telegram", body.code, "42");
    expect((await ask("GET /page")).body.telegram).toEqual({ possible: true, linked: 1 });
    expect((await ask("POST /agents/ada/sign-in-links", {})).status).toBe(403);
  });

  test("exports what is theirs with this agent: nothing of the operator's, of another agent's or user's", async () => {
    await ask("POST /agents/ada/memory", { text: "My sister is called Ida." });
    const digest = { title: "Digest", input: "Sum up.", cron: "0 8 * * *" };
    const { body: schedule } = await ask("POST /agents/ada/schedules", digest);
    await served.store.home.write("everything", (db) =>
      db.run(sql`insert into runs (id, agent, user_id, schedule, due_at, state, tries, reason) values
          (${"run-1"}, 'ada', 'bo', ${schedule.id}, ${"2026-02-18T08:00:00.000Z"}, 'failed', 1, 'gpt-5 is away.')`),
    );
    const { runs } = (await ask("GET /agents/ada/runs")).body;
    expect([runs[0].id, runs[0].state, runs[0].reason]).toEqual(["run-1", "failed", null]);
    const file = new TextEncoder().encode("A list of mine.");
    const input = [{ text: "Read this." }, { file, name: "list.txt" }];
    const { turn } = await served.house.runTurn({ agent: "ada", user: "bo", channel: "web", input });
    await served.store.memory.save({ agent: "eve", user: "bo" }, { text: "With Eve." });
    await served.store.memory.save({ agent: "ada", user: "cy" }, { text: "Of Cy." });
    const { status, body, text } = await askAt(served, "GET /chat/api/me/export", headersOf(bo));
    expect([status, body.user, body.agents.map(({ agent }: { agent: string }) => agent)]).toEqual([200, "bo", ["ada"]]);
    const [ada] = body.agents;
    expect(ada.memories).toEqual([
      {
        id: expect.any(String),
        key: null,
        text: "My sister is called Ida.",
        tainted: false,
        turn: null,
        at: "2026-02-18T12:00:00.000Z",
      },
    ]);
    expect(ada.turns.map(({ input, reply }: { input: string; reply: string }) => [input, reply])).toContainEqual([
      "Hello.",
      "Fine.",
    ]);
    const [kept] = ada.attachments;
    expect(ada.attachments).toEqual([
      {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        mediaType: "text/plain",
        size: file.length,
        at: "2026-02-18T12:00:00.000Z",
        erasedAt: null,
        data: Buffer.from(file).toString("base64"),
      },
    ]);
    const named = { digest: kept.digest, mediaType: "text/plain", bytes: file.length, name: "list.txt" };
    expect(ada.turns.find(({ id }: { id: string }) => id === turn).attachments).toEqual([named]);
    expect(ada.standing[0].words).toBe("- Be brief.");
    expect([ada.schedules.length, ada.links.length]).toEqual([1, 1]);
    expect(text).not.toMatch(operators);
    expect(text).not.toMatch(/With Eve|Of Cy/);
  });

  test("erases themselves by their name alone: with this agent, and every session of theirs is over", async () => {
    const other = await signIn(served, { user: "bo", agent: "ada" });
    const withEve = asPage(served, await signIn(served, { user: "bo", agent: "eve" }));
    const before = await ask("POST /me/erase", { dryRun: true });
    const { erased, rows } = before.body;
    expect([before.status, erased, rows.memories, rows.attachments]).toEqual([200, false, 1, 1]);
    const keptFiles = () =>
      served.store.home.read("everything", (db) => db.all<{ digest: string }>(sql`select digest from attachments`));
    const [file] = await keptFiles();
    const scope = { agent: "ada", user: "bo" };
    expect((await served.store.attachments.get(scope, file?.digest as string)).data.length).toBe(15);
    for (const confirm of [undefined, "", "Bo", "cy"]) {
      const { status, body } = await ask("POST /me/erase", confirm === undefined ? {} : { confirm });
      expect([confirm, status, body.error.code]).toEqual([confirm, 400, "bad-confirmation"]);
    }
    const gone = await ask("POST /me/erase", { confirm: "bo" });
    expect([gone.status, Object.keys(gone.body), gone.body.agents]).toEqual([
      200,
      ["user", "erased", "agents", "rows"],
      ["ada"],
    ]);
    for (const chat of [bo, other])
      expect((await askAt(served, "GET /chat/api/me", headersOf(chat))).body.error.code).toBe("signed-out");
    expect([await served.store.memory.list(scope), await keptFiles()]).toEqual([[], []]);
    expect((await withEve("GET /agents/eve/memory")).body.notes.map(({ text }: { text: string }) => text)).toEqual([
      "With Eve.",
    ]);
    expect((await served.store.memory.list({ agent: "ada", user: "cy" })).length).toBe(1);
  });
});

test("whoever is answered by a script is told so, and not which", async () => {
  const served = await newServed({ receiver: standInReceiver });
  const page = await asPage(served, await signIn(served, { user: "bo", agent: "ada" }))("GET /page");
  expect(page.body.standIn).toBe(true);
  expect(JSON.stringify(page.body)).not.toContain(standInReceiver.name);
  await served.close();
});
