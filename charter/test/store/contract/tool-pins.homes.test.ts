import { expect, test } from "vitest";
import type { SeenTool, ToolPin } from "../../../src/store/index.ts";
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
