import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AutomatonLoop, createAutomaton } from "../../src/channels/automaton/automaton.ts";
import { amendableLayers, fixedLayers } from "../../src/charters/sovereign/words.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { called, type Line, type Loopback, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { prefixIn, readBody, stateIn } from "../agent/on-wire.ts";
import { createFolder, type Folder } from "../cli.ts";
import { answerMessage } from "../store/answer-message.ts";

/**
 * A sovereign's whole life through its doors: messages by HTTP, turns by itself, what its model gets on the wire, and what
 * an operator sees of it, by route and by command. What needs no store is in sovereign.test.ts, the tool's rules in
 * turns/turns-sovereign.test.ts, the studio's pages in studio/.
 */
const soul = "ic-automaton-v1";
const skills = [{ name: "order", instructions: "Stay in FSM order and prefer deterministic behavior." }];
const separator = "\n\n---\n\n";
const every = 301;

describe("a sovereign's life", () => {
  let loopback: Loopback;
  let host: Host;
  let automaton: AutomatonLoop;
  let folder: Folder;
  let secrets: { readonly operator: string; readonly shop: string; readonly bo: string };
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server says
  let ask: (secret: string, request: string, body?: unknown) => Promise<{ status: number; body: any }>;
  const command = (...args: string[]) => folder.charter([...args, "--json", "-d", loopback.place.url]).json();

  beforeAll(async () => {
    loopback = await newLoopback("anthropic");
    folder = createFolder();
    const { store, clock, model } = loopback;
    host = createHost({ store, clock, env: {}, loadModel: async () => model });
    await store.agents.add({ name: "sol", charter: "sovereign", settings: { soul, skills } });
    const token = async (about: Parameters<typeof store.tokens.create>[0]) => (await store.tokens.create(about)).secret;
    secrets = {
      operator: await token({ name: "olga", kind: "operator" }),
      shop: await token({ name: "shop", kind: "inbox", agent: "sol" }),
      bo: await token({ name: "bo", kind: "user", user: "bo" }),
    };
    const app = createApi({ host, operator: "olga", routes: allRoutes });
    ask = async (secret, request, body) => {
      const [method = "", path] = request.split(" ");
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await app.fetch(new Request(`http://localhost/api${path}`, sent));
      return { status: answer.status, body: await answer.json() };
    };
    automaton = createAutomaton({ host, agent: "sol", clock, counterparts: 2 });
    await store.automata.record("sol", [], { ownTurnAt: clock().toISOString() });
  });
  afterAll(async () => {
    await automaton?.stop(0);
    await host?.close(0);
    folder?.remove();
    await loopback?.close();
  });

  /** Messages by HTTP, as the shop's; the turn they get; and its requests as they were on the wire. */
  const turnWith = async (
    messages: readonly (readonly [sender: string, body: string, id: string])[],
    ...lines: Line[]
  ) => {
    for (const [sender, body, id] of messages)
      expect((await ask(secrets.shop, "POST /agents/sol/inbox", { sender, body, id })).status).toBe(201);
    const from = loopback.bodies().length;
    loopback.play(...lines);
    expect(await automaton.tick()).toBe(1);
    expect(loopback.unplayed()).toBe(0);
    return loopback.bodies(from);
  };
  const ownTurn = async (...lines: Line[]) => {
    loopback.wait(every);
    return turnWith([], ...lines);
  };
  const now = (body = "") => stateIn("anthropic", body, "Layer 10: Dynamic Context");
  const layersOf = (body = "") => prefixIn("anthropic", body).split(separator);
  const part = (body: string | undefined, title: string) =>
    (now(body).split(`### ${title}\n`)[1] ?? "").split("\n\n")[0] as string;

  describe("layers 0 to 9", () => {
    test("0 to 5 are the law, with soul and skills in their places; 6 to 9 begin as their originals", async () => {
      const [body] = await ownTurn(called("q1", "nothing_to_report", {}), { text: ["Nothing."] });
      const settings: Record<number, string> = {
        3: `\nYou are \`${soul}\`.`,
        5: `\n### Active Skills\n- order: ${skills[0]?.instructions}`,
      };
      const expected = [...fixedLayers({}), ...amendableLayers].map(
        ({ title, words }, number) => `## Layer ${number}: ${title}\n${words}${settings[number] ?? ""}`,
      );
      expect(layersOf(body).map((layer) => layer.trim())).toEqual(expected);
    });

    test("what the agent made of layer 6 in one turn is in the request of the next, and is its turn's", async () => {
      const content = "1. Look. 2. Think. 3. Act, once.";
      await ownTurn(called("u1", "update_prompt_layer", { layer_id: 6, content }), { text: ["Better."] });
      const [next] = await ownTurn({ text: ["On."] });
      expect(layersOf(next)[6]?.trim()).toBe(`## Layer 6: ${amendableLayers[0]?.title}\n${content}`);
      const { sections } = (await ask(secrets.operator, "GET /agents/sol/sections")).body;
      expect(sections[6]).toMatchObject({
        ...{ name: "decisions", layer: "6", owner: "agent", mutability: "amendable", text: content, revision: 1 },
        ...{ updatedAt: expect.any(String), updatedByTurn: expect.stringMatching(/-own$/) },
      });
      expect(command("history", "--agent", "sol", "6")).toMatchObject({ section: "decisions" });
    });
  });

  describe("conversations, by inbox turns", () => {
    test("each answered message is an exchange of its sender: the last 20, cut at 500 characters", async () => {
      const [asked, answered] = [
        (number: number) => `${number}: ${"x".repeat(600)}`,
        (number: number) => `${number}. ${"y".repeat(600)}`,
      ];
      const { inbox } = loopback.store;
      for (let number = 1; number <= 19; number++) {
        await inbox.post({ agent: "sol", sender: "shop/ann", body: asked(number), id: `a${number}` });
        await inbox.claim("sol", `t${number}-inbox`);
        await answerMessage(inbox, {
          agent: "sol",
          message: `a${number}`,
          reply: answered(number),
          turn: `t${number}-inbox`,
        });
      }
      for (const number of [20, 21])
        await turnWith([["ann", asked(number), `a${number}`]], { text: [answered(number)] });
      const { status, body } = await ask(
        secrets.operator,
        `GET /agents/sol/conversations/${encodeURIComponent("shop/ann")}`,
      );
      expect([status, body.counterpart, body.exchanges.length]).toEqual([200, "shop/ann", 20]);
      const [oldest] = body.exchanges;
      expect(oldest).toMatchObject({ inbox_message_id: "a2", turn_id: expect.stringMatching(/-inbox$/) });
      expect([[...oldest.sender_body].length, [...oldest.agent_reply].length]).toEqual([500, 500]);
      expect(command("conversations", "--agent", "sol", "shop/ann")).toEqual(body);
      const whole = (await ask(secrets.operator, "GET /agents/sol/inbox/a1")).body;
      expect([whole.status, whole.body.length, whole.reply.body.length]).toEqual(["answered", 603, 603]);
    });

    test("are listed with their last activity, the newest first, by route and by command", async () => {
      await turnWith([["bea", "Hello.", "b1"]], { text: ["Hello, Bea."] });
      const { body } = await ask(secrets.operator, "GET /agents/sol/conversations");
      expect(body.conversations.map((one: { counterpart: string }) => one.counterpart)).toEqual([
        "shop/bea",
        "shop/ann",
      ]);
      expect(command("conversations", "--agent", "sol")).toEqual(body);
    });
  });

  describe("layer 10, on the wire", () => {
    test("five parts in their order, and nothing after them", async () => {
      const [body] = await turnWith([["bea", "Still there?", "b2"]], { text: ["Yes."] });
      expect(now(body).match(/^##+ .*$/gm)).toEqual([
        "## Layer 10: Dynamic Context",
        "### Current State",
        "### Pending Obligations",
        "### Conversation History",
        "#### Conversation with shop/bea",
        "### Recent Memory",
        "### Available Tools",
      ]);
    });

    test("never granted: balance and runway are unknown, the tier is Normal; granted, all are measured", async () => {
      const [before] = await ownTurn({ text: ["Fine."] });
      expect(part(before, "Current State")).toMatch(
        /^- cycles_balance: unknown\n- cycles_runway_hours: unknown\n- survival_tier: Normal\n/,
      );
      expect((await ask(secrets.operator, "POST /agents/sol/automaton/grant", { micros: 900_000_000 })).status).toBe(
        200,
      );
      const [after] = await ownTurn({ text: ["Fine."] });
      const state = part(after, "Current State");
      expect(state).toMatch(
        /^- cycles_balance: 900000000\n- cycles_runway_hours: \d+(?:\.\d)?\n- survival_tier: Normal\n/,
      );
      expect(state).toMatch(/\n- turn_number: \d+\n- timestamp: 2026-02-18T\S+\n- state: Inferring$/);
    });

    test("its messages with sender and words, and how many wait besides; the last five exchanges of each sender", async () => {
      for (const id of ["c1", "c2"])
        await ask(secrets.shop, "POST /agents/sol/inbox", { sender: "cy", body: `Cy's ${id}.`, id });
      const reply = (message: string) => ({
        id: message,
        name: "reply",
        input: JSON.stringify({ message, body: "Yes." }),
      });
      const [body] = await turnWith(
        [["ann", "Again.", "a22"]],
        { calls: [reply("shop/c1"), reply("shop/c2"), reply("shop/a22")] },
        { text: ["All answered."] },
      );
      const said = part(body, "Pending Obligations");
      expect(said).toMatch(/^Messages in this turn: 3\nMessages waiting: 0\n/);
      expect(said).toContain('- [shop/a22] from shop/ann: "Again."');
      expect(said).toContain('- [shop/c2] from shop/cy: "Cy\'s c2."');
      const talk = part(body, "Conversation History");
      // The oldest of the five gave way to the others: it is short.
      expect(talk.match(/^ {2}\[(?:shop\/ann|them)\]: "\d+/gm)).toEqual([
        '  [them]: "17',
        ...[18, 19, 20, 21].map((number) => `  [shop/ann]: "${number}`),
      ]);
      expect(talk).not.toContain("bea");
      const { replies } = (await ask(secrets.shop, "GET /agents/sol/outbox")).body;
      const newest = replies.slice(0, 3).map((one: { message: string; body: string }) => `${one.message}: ${one.body}`);
      expect(newest.toSorted()).toEqual(["a22: Yes.", "c1: Yes.", "c2: Yes."]);
    });

    test("nobody's message: no conversation; the tools, with the calls that are left", async () => {
      const [first, second] = await ownTurn(called("r1", "read_memory", {}), { text: ["Fine."] });
      expect(part(first, "Conversation History")).toBe("(none)");
      const tools = part(first, "Available Tools");
      expect(tools).toMatch(/^Calls left in this turn: 12\n/);
      expect(tools).toContain("- update_prompt_layer (1 left)");
      expect(part(second, "Available Tools")).toMatch(/^Calls left in this turn: 11\n/);
    });
  });

  describe("the model", () => {
    test("is offered the tool with its schema, and gets the compact edition where that is set", async () => {
      const { tools } = JSON.parse(loopback.bodies().at(-1) as string);
      expect(tools.find((one: { name: string }) => one.name === "update_prompt_layer")).toMatchObject({
        input_schema: { properties: { layer_id: expect.any(Object), content: expect.any(Object) } },
      });
      await ask(secrets.operator, "PATCH /agents/sol", { settings: { soul, skills, edition: "compact" } });
      const [body] = await turnWith([["ann", "Short?", "a23"]], { text: ["Short."] });
      await ask(secrets.operator, "PATCH /agents/sol", { settings: { soul, skills } });
      const layers = layersOf(body);
      for (const number of [0, 1, 5]) expect(layers[number]).toContain(fixedLayers({})[number]?.words);
      for (const number of [2, 3, 4]) expect(layers[number]).toContain(fixedLayers({})[number]?.short);
      expect(part(body, "Conversation History").match(/^ {2}\[you\]: /gm)).toHaveLength(2);
      expect(readBody("anthropic", body as string).spoken.length).toBeGreaterThan(0);
    });
  });

  describe("what an operator does and sees, by route and by command", () => {
    test("all layers: which are fixed, which are the agent's, which is made each turn", async () => {
      const { sections } = (await ask(secrets.operator, "GET /agents/sol/sections")).body;
      const kinds = sections.map((one: { layer: string; mutability: string }) => `${one.layer} ${one.mutability}`);
      const expected = Array.from(
        { length: 11 },
        (_, at) => `${at} ${at < 6 ? "fixed" : at < 10 ? "amendable" : "live"}`,
      );
      expect(kinds).toEqual(expected);
      const shown = command("show", "--agent", "sol") as { sections: { layer: string; mutability: string }[] };
      expect(shown.sections.map(({ layer, mutability }) => `${layer} ${mutability}`)).toEqual(expected);
    });

    test("a layer is rewritten by the operator alone, and the law by nobody", async () => {
      const wish = (section: string) => ({
        section,
        operation: { kind: "rewrite", content: "Answer at once, and briefly." },
      });
      expect((await ask(secrets.bo, "POST /agents/sol/proposals", wish("7"))).status).toBeGreaterThanOrEqual(400);
      expect((await ask(secrets.shop, "POST /agents/sol/proposals", wish("7"))).status).toBeGreaterThanOrEqual(400);
      expect((await ask(secrets.operator, "POST /agents/sol/proposals", wish("7"))).status).toBe(201);
      const refused = await ask(secrets.operator, "POST /agents/sol/proposals", wish("1"));
      expect([refused.status, refused.body.error.refusals[0].guard]).toEqual([422, "allowed-hand"]);
      const amend = ["amend", "--agent", "sol", "-o", "rewrite", "--content", "Keep what works.", "-s"];
      expect(command(...amend, "8")).toMatchObject({ verdict: "accepted", revision: 1 });
      expect(command(...amend, "0")).toMatchObject({ verdict: "refused" });
    });

    test("one picture of its life: state, tier, balances, layers, conversations, turns, and how its state changed", async () => {
      const { body } = await ask(secrets.operator, "GET /agents/sol/snapshot");
      expect(body).toMatchObject({ agent: "sol", state: "Idle", tier: "Normal", waiting: 0, frozen: null });
      expect(body.balances).toMatchObject({ granted: 900_000_000, unknown: null });
      expect(body.layers).toHaveLength(11);
      expect(body.layers[6]).toMatchObject({ name: "decisions", mutability: "amendable", revision: 1 });
      expect(body.conversations.map((one: { counterpart: string }) => one.counterpart).toSorted()).toEqual([
        ...["shop/ann", "shop/bea", "shop/cy"],
      ]);
      expect(body.recentTurns[0]).toMatchObject({ channel: "automaton", state: "answered" });
      expect(body.transitions[0]).toMatchObject({ to: "Idle", fault: false });
      expect(command("automaton", "status", "sol")).toMatchObject({
        ...{ state: "Idle", stateAt: body.stateAt, tier: "Normal", turns: body.turns, waiting: 0, dead: 0 },
        balances: { granted: 900_000_000, spent: body.balances.spent },
      });
    });
  });
});
