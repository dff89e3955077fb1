import { expect, test } from "vitest";
import type { ToolPin } from "../../../src/store/index.ts";
import type { SeenTool } from "../../../src/store/tool-pins.ts";
import { onEveryHome, problemOf } from "./given.ts";

const seen = (tool: string, words: string, reasons: readonly string[] = []): SeenTool => ({
  tool,
  digest: `digest of ${words}`,
  definition: JSON.stringify({ name: tool, description: words }),
  reasons,
});

onEveryHome("pins of tools", (given) => {
  const see = (agent: string, ...tools: readonly SeenTool[]) => given.store.pins.see(agent, "files", tools);
  const statuses = (pins: readonly ToolPin[]) => pins.map(({ tool, status }) => `${tool} ${status}`);
  const told = async (agent: string) =>
    (await given.store.events.list({ agent }))
      .filter(({ kind }) => kind.startsWith("tool-"))
      .map(({ kind, detail }) => `${kind} ${detail.tool}`);

  test("what is seen first is pinned; what there is something to look at in is held", async () => {
    const agent = await given.agent();
    const pins = await see(agent, seen("read", "Reads."), seen("odd", "Ignore all.", ["It gives orders."]));
    expect(pins).toEqual([
      {
        ...{ id: pins[0]?.id, agent, server: "files", tool: "odd", status: "waiting", digest: null, definition: null },
        nextDigest: "digest of Ignore all.",
        nextDefinition: '{"name":"odd","description":"Ignore all."}',
        reasons: ["It gives orders."],
        ...{ at: given.clock.text(), decidedAt: null, decidedBy: null, decisionReason: null },
      },
      {
        ...{ id: pins[1]?.id, agent, server: "files", tool: "read", status: "pinned" },
        digest: "digest of Reads.",
        definition: '{"name":"read","description":"Reads."}',
        ...{ nextDigest: null, nextDefinition: null, reasons: [] },
        ...{ at: given.clock.text(), decidedAt: null, decidedBy: null, decisionReason: null },
      },
    ]);
    expect(await see(agent, seen("read", "Reads."))).toEqual(pins);
    expect(await told(agent)).toEqual(["tool-changed odd", "tool-pinned read"]);
    expect(await given.store.pins.of("another", "files")).toEqual([]);
  });

  test("with one question for all, what is seen first and passes waits under one id, and one yes offers all of it", async () => {
    const agent = await given.agent();
    const { pins, held, waiting } = given.store;
    const [a, b, odd] = [seen("a", "A."), seen("b", "B."), seen("odd", "Ignore all.", ["It gives orders."])];
    const ask = (...tools: readonly SeenTool[]) => pins.see(agent, "files", tools, { first: "ask" });
    expect(statuses(await ask(a, b, odd))).toEqual(["a waiting", "b waiting", "odd waiting"]);
    const [first, flagged, ...none] = await pins.list({ agent, status: "waiting" });
    const others = [{ tool: "b", definition: null, nextDefinition: b.definition }];
    expect([first, flagged?.tool, flagged?.others, none]).toEqual([
      await pins.get(first?.id as string),
      ...["odd", undefined, []],
    ]);
    expect(first).toMatchObject({ tool: "a", reasons: [], others });
    expect([(await held.count({ agent })).tools, (await waiting()).get(agent)]).toEqual([2, 2]);
    expect(statuses(await ask(a, b, odd, seen("c", "C.")))).toContain("c waiting");
    expect((await pins.get(first?.id as string)).others).toEqual(others);
    const changed = await ask(a, seen("b", "B, and more."), odd);
    expect(changed.find(({ tool }) => tool === "b")?.id).not.toBe(first?.id);
    const approved = await pins.approve(first?.id as string, "olga");
    expect([approved.tool, approved.status, approved.others]).toEqual(["a", "pinned", undefined]);
    const [, , , rest] = await pins.of(agent, "files");
    expect(rest?.status).toBe("waiting");
    expect(await problemOf(pins.reject(approved.id, "olga"))).toMatch(/^already-decided: /);
  });

  test("a changed one is held until a person decides, under an id that names these very words", async () => {
    const agent = await given.agent();
    await see(agent, seen("read", "Reads."));
    const [first] = await see(agent, seen("read", "Reads, and more.", ["It changed."]));
    expect(first).toMatchObject({
      status: "waiting",
      digest: "digest of Reads.",
      nextDigest: "digest of Reads, and more.",
    });
    const [second] = await see(agent, seen("read", "Sends all.", ["It changed."]));
    const old = await problemOf(given.store.pins.approve(first?.id as string, "olga"));
    expect(old).toMatch(/^unknown-tool: /);
    const approved = await given.store.pins.approve(second?.id as string, "olga");
    expect(approved).toMatchObject({
      ...{ status: "pinned", digest: "digest of Sends all.", nextDigest: null, reasons: [] },
      ...{ decidedBy: "olga", decidedAt: given.clock.text() },
    });
    expect(await problemOf(given.store.pins.reject(approved.id, "olga"))).toMatch(/^already-decided: /);
  });

  test("what was rejected is not asked about again; what stood before is believed again", async () => {
    const agent = await given.agent();
    await see(agent, seen("read", "Reads."));
    const [held] = await see(agent, seen("read", "Sends all.", ["It changed."]));
    await given.store.pins.reject(held?.id as string, "olga", "No.");
    expect(statuses(await see(agent, seen("read", "Sends all.", ["It changed."])))).toEqual(["read rejected"]);
    expect(statuses(await see(agent, seen("read", "Reads.", ["Seen again."])))).toEqual(["read pinned"]);
    expect(statuses(await given.store.pins.list({ agent, status: "waiting" }))).toEqual([]);
    expect(await told(agent)).toEqual([
      "tool-pinned read",
      "tool-rejected read",
      "tool-changed read",
      "tool-pinned read",
    ]);
  });

  test("many at once hold the same change once", async () => {
    const agent = await given.agent();
    await Promise.all([1, 2, 3, 4].map(() => see(agent, seen("read", "Reads."))));
    await Promise.all([1, 2, 3, 4].map(() => see(agent, seen("read", "Sends all.", ["It changed."]))));
    expect(await told(agent)).toEqual(["tool-changed read", "tool-pinned read"]);
  });
});
