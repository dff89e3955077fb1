import { type Charter, fromText } from "charter";
import type { Declaration } from "charter/agent";
import { receiverOf } from "charter/delivery";
import { createHost } from "charter/host";
import { openTurn } from "charter/session";
import { createStore, type Store, sqlite, whyIn } from "charter/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFolder } from "../cli.ts";

/** Agents with a charter that is no file and not ready-made: how others find it. */

const tally: Charter = {
  name: "tally",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "# Law", words: "Count honestly." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], approvedBy: "operator" },
      sections: [{ name: "habits", heading: "# Habits", original: "Count twice." }],
    },
    {
      name: "now",
      mutability: "live",
      sections: [
        {
          name: "now",
          heading: "# Now",
          stability: "state",
          reserve: { chars: 100, tokens: 30 },
          sources: [({ now }) => fromText(`It is ${now.slice(0, 10)}.`)],
        },
      ],
    },
  ],
};
const clock = () => new Date("2026-02-18T12:00:00Z");

let store: Store;
beforeEach(async () => {
  store = await createStore(sqlite(":memory:"), { now: clock });
});
afterEach(() => store.close());

const usage = { input: 1, read: 0, written: 0, output: 1 };
/** A turn of a loop of one's own, which rewrites the agent's habits. */
async function takeTurn(content: string, charter: Charter | Declaration = tally) {
  const receiver = receiverOf("anthropic/claude-opus-4");
  const turn = await openTurn({ name: "ada", charter, receiver, store, clock }, { input: "Change.", user: "bo" });
  await turn.next();
  const outcome = await turn.propose({ section: "habits", operation: { kind: "rewrite", content } });
  await turn.answered({ text: "", calls: [{ id: "1", name: "none", input: "{}" }], finish: "tool-calls", usage });
  await turn.run({ id: "1", name: "none", input: "{}" });
  await turn.next();
  await turn.answered({ text: "Done.", calls: [], finish: "stop", usage });
  await turn.end();
  return { id: turn.id, outcome };
}

describe("what the operator approves", () => {
  test("a change of the agent's is held, and stands when the operator says yes; a user cannot", async () => {
    const { outcome } = await takeTurn("Count three times.");
    expect(outcome).toMatchObject({ verdict: "held", after: "Count three times." });
    const host = createHost({ store, clock, charters: { tally } });
    const [held] = await store.held.list({ agent: "ada" });
    const { id } = held as NonNullable<typeof held>;
    expect(held).toMatchObject({ section: "habits", refusals: [{ guard: "approved-by" }] });
    await expect(
      store.held.approve(id, "bo", await host.amendmentContext({ agent: "ada" }), { hand: "user" }),
    ).rejects.toThrow("Only the operator can approve this change of “habits”: its charter says so.");
    expect(await host.approve(id, "operator")).toMatchObject({ proposal: { verdict: "accepted", revision: 1 } });
    expect((await host.preview({ agent: "ada" })).prompt.text).toContain("# Habits\nCount three times.");
  });
});

describe("where words of a turn came from", () => {
  test("is said by its receipt, whatever became of the charter and its words since", async () => {
    const free: Charter = {
      ...tally,
      layers: tally.layers.map((layer) =>
        layer.name === "own" ? { ...layer, mutability: { amendableBy: ["agent"] } } : layer,
      ),
    };
    const { id: first } = await takeTurn("Count thrice.", free);
    const { id: second } = await takeTurn("Count slowly.", free);
    expect(await whyIn(store, { turn: first, words: "Count thrice." })).toMatchObject([
      {
        spans: [{ section: "habits", layer: "own", revision: 1 }],
        authors: [{ actor: "agent", turn: first, revision: 1 }],
      },
    ]);
    expect(await whyIn(store, { turn: second, words: "Count thrice.", step: 1 })).toMatchObject([
      { slot: "update", spans: [{ revision: 1 }], authors: [{ turn: first }] },
    ]);
    expect(await whyIn(store, { turn: second, words: "It is 2026-02-18." })).toMatchObject([
      { slot: "state", spans: [{ section: "now", revision: null }], authors: [undefined] },
    ]);
    expect(await whyIn(store, { turn: second, words: "Count lazily." })).toEqual([]);
    await expect(whyIn(store, { turn: "none", words: "x" })).rejects.toMatchObject({ code: "unknown-turn" });
    await expect(whyIn(store, { words: "x" } as never)).rejects.toMatchObject({ code: "bad-argument" });
  });
});

describe("charters by name", () => {
  test("a host is given them, and finds them for its agents", async () => {
    const host = createHost({ store, clock, charters: { tally } });
    await store.agents.put({ name: "ada", charter: "tally" });
    const { prompt } = await host.preview({ agent: "ada" });
    expect(prompt.text).toBe("# Law\nCount honestly.\n\n# Habits\nCount twice.\n\n# Now\nIt is 2026-02-18.");
    await expect(createHost({ store }).preview({ agent: "ada" })).rejects.toMatchObject({ code: "unknown-charter" });
  });

  test("one that is called like what is there already, or is none, is refused", () => {
    expect(() => createHost({ store, charters: { coder: tally } })).toThrow(
      "The charter “coder” in createHost is called like a ready-made charter.",
    );
    expect(() => createHost({ store, charters: { "tally.ts": tally } })).toThrow("is called like a file.");
    expect(() => createHost({ store, charters: { tally: "tally" as never } })).toThrow(
      "The charter “tally” in createHost is a text.",
    );
  });

  test("a configuration has them for every command", () => {
    const folder = createFolder();
    try {
      folder.write(
        "charter.config.ts",
        `import { defineConfig } from "charter/server";
const tally = { name: "tally", layers: [{ name: "law", mutability: "fixed", sections: [{ name: "law", words: "Count honestly." }] }] };
export default defineConfig({ charters: { tally } });`,
      );
      folder.charter(["trust"]);
      expect(folder.charter(["agents", "add", "ada", "--charter", "tally"])).toMatchObject({ stderr: "", code: 0 });
      expect(folder.charter(["show", "--agent", "ada"])).toMatchObject({ stdout: "Count honestly.", code: 0 });
      const unknown = folder.charter(["agents", "add", "bo", "--charter", "sum"]);
      expect(unknown.stderr).toContain("Name tally, artifact, assistant");
    } finally {
      folder.remove();
    }
  });
});
