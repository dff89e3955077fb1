import { assemble, type Charter, fromText, gather, receiptOf } from "charter";
import { type Declaration, defineTool, whyIn } from "charter/agent";
import { assistant } from "charter/charters";
import { receiverOf } from "charter/delivery";
import { createHost } from "charter/host";
import { openTurn } from "charter/session";
import { createStore, type Store, sha256, sqlite } from "charter/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createFolder } from "../cli.ts";

/** Agents with a charter that is no file and not ready-made: how others find it. */

const tally: Charter = {
  name: "tally",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "# Law", words: "Count honestly." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent", approvedBy: "operator" },
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
          trust: "own",
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
  const receiver = receiverOf("anthropic/claude-opus-4-8");
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
    expect(held).toMatchObject({
      section: "habits",
      refusals: [{ guard: "approved-by" }, { guard: "reaches-others" }],
    });
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
        layer.name === "own"
          ? { ...layer, mutability: { amendableBy: ["agent"], scope: "agent", approvedBy: "nobody" } }
          : layer,
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
      { slot: "update", spans: [{ section: "now", revision: null }], authors: [] },
    ]);
    expect(await whyIn(store, { turn: second, words: "Count lazily." })).toEqual([]);
    await expect(whyIn(store, { turn: "none", words: "x" })).rejects.toMatchObject({ code: "unknown-turn" });
    await expect(whyIn(store, { words: "x" } as never)).rejects.toMatchObject({ code: "bad-argument" });
  });

  test("is said of every other word of its request as well: who said it, and in which turn", async () => {
    const find = defineTool({
      name: "find",
      summary: "Finds sheep.",
      input: z.object({ where: z.string() }),
      run: () => "Nine sheep, and a goat.",
      harmless: true,
    });
    const receiver = receiverOf("anthropic/claude-opus-4");
    const loop = { name: "ada", charter: tally, receiver, store, clock, tools: [find] };
    const take = async (input: string, reply: string) => {
      const turn = await openTurn(loop, { input, user: "bo" });
      await turn.next();
      const call = { id: "1", name: "find", input: '{"where":"the hill"}' };
      await turn.answered({ text: "Let me look.", calls: [call], finish: "tool-calls", usage });
      await turn.run(call);
      await turn.next();
      await turn.answered({ text: reply, calls: [], finish: "stop", usage });
      await turn.end();
      return turn.id;
    };
    const first = await take("How many sheep?", "It is nine.");
    const second = await take("And wolves?", "None.");
    const saidOf = async (words: string) =>
      (await whyIn(store, { turn: second, words })).map(({ slot, said }) => [slot, ...Object.values(said ?? {})]);
    expect(await saidOf("And wolves?")).toEqual([["messages", "input", second]]);
    expect(await saidOf("How many")).toEqual([["messages", "input", first]]);
    expect(await saidOf("It is")).toEqual([["update"], ["messages", "answer", first]]);
    expect(await saidOf("the hill")).toEqual([
      ["messages", "call", first, "find"],
      ["messages", "call", second, "find"],
    ]);
    expect(await saidOf("a goat")).toEqual([
      ["messages", "result", first, "find"],
      ["messages", "result", second, "find"],
    ]);
    expect(await saidOf("Finds sheep.")).toEqual([["tools", "tool", null, "find"]]);
    expect(await saidOf("None.")).toEqual([]);

    // Of a step whose messages are not on record, nothing is guessed.
    const readings = await gather(tally, { now: clock().toISOString(), tools: [], standing: {} });
    const { id } = await store.turns.open({ scope: { agent: "ada" }, input: "Hello." });
    await store.turns.recordStep(id, receiptOf(tally, assemble(tally, readings), { sha256 }));
    expect(await whyIn(store, { turn: id, words: "honestly" })).toMatchObject([{ spans: [{ section: "law" }] }]);
    await expect(whyIn(store, { turn: id, words: "Hello." })).rejects.toMatchObject({ code: "request-unknown" });
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
      for (const args of [["show", "--charter", "tally"], ["show"], ["lock"]])
        expect(folder.charter(args).stderr).toContain("says which charters there are, and is not used");
      folder.charter(["trust"]);
      for (const named of [["--charter", "tally"], []]) {
        expect(folder.charter(["show", ...named])).toMatchObject({ stdout: "Count honestly.", code: 0 });
        expect(folder.charter(["why", "honestly", ...named]).stdout).toContain("law (layer law), from charter");
      }
      expect(folder.charter(["lock"]).stdout).toContain(
        "of 6 charters, yours and the ready-made ones, in charter.lock",
      );
      expect(folder.charter(["verify"]).stdout).toContain("sections of 6 charters are as locked");
      expect(folder.charter(["agents", "add", "ada", "--charter", "tally"])).toMatchObject({ stderr: "", code: 0 });
      expect(folder.charter(["show"])).toMatchObject({ stdout: "Count honestly.", code: 0 });
      const unknown = folder.charter(["agents", "add", "bo", "--charter", "sum"]);
      expect(unknown.stderr).toContain("Name tally, artifact, assistant");
      const chat = ["chat", "--charter", "tally", "--agent", "eva", "--model", "stand-in", "Hello."];
      expect(folder.charter(chat)).toMatchObject({ code: 0, stderr: expect.stringContaining("“eva” was made") });
      expect(folder.charter(["lock"]).stdout).toContain("No fixed text changed.");
      expect(folder.charter(["freeze"]).stderr).toBe(
        "usage: With which agent? There are “ada”, “eva”.\n  Say --agent and its name.\n",
      );
    } finally {
      folder.remove();
    }
  });
});

test("a loop of one's own keeps it all in a file: every command looks at it without a name, and without the program", async () => {
  const folder = createFolder();
  try {
    const own = store;
    store = await createStore(sqlite(`${folder.path}/own.db`), { now: clock });
    await takeTurn("Count three times.");
    await Promise.all([store.close(), own.close()]);
    const run = (...args: string[]) => folder.charter([...args, "-d", "own.db"]);
    expect(run("show").stdout).toBe("# Law\nCount honestly.\n\n# Habits\nCount twice.\n\n# Now\nIt is 2026-02-18.");
    expect(run("why", "twice").stdout).toContain("habits (layer own), from original");
    const looks = [["history", "habits"], ["cost"], ["memory"], ["conversations"], ["inbox"], ["turns"]];
    for (const look of looks) expect([look, run(...look).code]).toEqual([look, 0]);
    expect(run("freeze").stdout).toBe(
      "The amendments of “ada” are frozen. Undo it with: charter thaw ada --database own.db\n",
    );
    expect(run("thaw").stdout).toBe("“ada” is thawed.\n");
    const answered = "“ada” has answered no sender yet. Its users: charter turns --agent ada --database own.db\n";
    expect(run("conversations").stdout).toBe(answered);
    expect(run("reset", "habits").stdout).toMatch(/^refused \(“ada”, for all\)\n {2}allowed-hand: /);
    for (const person of ["erase", "export"])
      expect(run(person).stderr).toContain("It was not said whose data is meant.");
  } finally {
    store = await createStore(sqlite(":memory:"), { now: clock });
    folder.remove();
  }
});

describe("a charter that is kept with its agent", () => {
  const plain: Charter = { ...tally, layers: tally.layers.filter(({ name }) => name !== "now") };
  const guarded: Declaration = {
    charter: tally,
    rules: async () => () => ({ guards: [() => ({ guard: "never", because: "Not on a Wednesday." })] }),
  };

  test("is whole where all of it is data: it is shown, changed and talked to without its program", async () => {
    expect(await store.agents.put({ name: "ada", charter: plain })).toMatchObject({ name: "ada", charter: "tally" });
    const host = createHost({ store, clock, model: "stand-in" });
    expect((await host.preview({ agent: "ada" })).prompt.text).toBe("# Law\nCount honestly.\n\n# Habits\nCount twice.");
    expect(await host.traits(await store.agents.get("ada"))).toEqual({ needs: [], served: true });
    expect(await host.runTurn({ agent: "ada", input: "Hello.", user: "mia" })).toMatchObject({ state: "answered" });
    await store.agents.put({ name: "ada", charter: "assistant" });
    expect(await store.agents.charterOf("ada")).toBeUndefined();
    await store.agents.put({ name: "ada", charter: { ...plain, layers: plain.layers.slice(0, 1) } });
    expect((await host.preview({ agent: "ada" })).prompt.text).toBe("# Law\nCount honestly.");
  });

  test("shows what its functions read last, to the same user alone; it takes no turns, and what is held is approved", async () => {
    await takeTurn("Count three times.");
    const host = createHost({
      store,
      clock: () => new Date("2026-03-01T12:00:00Z"),
      env: { ANTHROPIC_API_KEY: "none" },
    });
    const { prompt } = await host.preview({ agent: "ada", user: "bo" });
    expect(prompt.text).toContain("# Now\nIt is 2026-02-18.");
    expect(prompt.notices.map(({ code }) => code)).toEqual(["charter-elsewhere", "last-reading"]);
    for (const user of [undefined, "eva"]) {
      const other = (await host.preview({ agent: "ada", user })).prompt;
      expect(other.omitted).toMatchObject([{ name: "now", reason: "unavailable" }]);
    }
    await expect(host.runTurn({ agent: "ada", input: "Hello.", user: "mia" })).rejects.toMatchObject({
      code: "charter-elsewhere",
      message:
        "Of “tally”, the charter of “ada”, what makes “now” (sources) is in the program it runs in, and not here.",
      hint: "Take its turns and judge its changes in that program, or give the charter here: createHost({ charters: { tally } }), or defineConfig in charter.config.ts.",
    });
    const [held] = await store.held.list({ agent: "ada" });
    expect(await host.approve(held?.id as string, "operator")).toMatchObject({ proposal: { verdict: "accepted" } });
  });

  test("has guards that are never skipped: approving waits for whoever has them", async () => {
    await takeTurn("Count three times.");
    const [held] = await store.held.list({ agent: "ada" });
    const id = held?.id as string;
    // The next start of the program brings guards, and from then on they count.
    await takeTurn("Count three times.", guarded);
    const here = createHost({ store, clock });
    await expect(here.approve(id, "operator")).rejects.toMatchObject({
      code: "charter-elsewhere",
      message: expect.stringContaining("what it declares as rules are in the program"),
    });
    expect(await store.held.get(id)).toMatchObject({ status: "waiting" });
    const there = createHost({ store, clock, charters: { tally: guarded } });
    expect(await there.approve(id, "operator")).toMatchObject({
      proposal: { verdict: "refused", refusals: [{ guard: "never" }] },
    });
  });

  test("has its settings' words, where it is a ready-made one under its own name", async () => {
    const soul = "Be kind to cats.";
    const host = createHost({ store, clock });
    const shown = async () => (await host.preview({ agent: "ada" })).prompt.text;
    await store.agents.put({ name: "ada", charter: assistant({ soul }) });
    expect(await shown()).not.toContain(soul);
    await store.agents.put({ name: "ada", charter: assistant({ soul }), settings: { original: { soul } } });
    expect(await shown()).toContain(soul);
  });

  test("is found by commands when its program is gone", async () => {
    const folder = createFolder();
    const memory = store;
    try {
      store = await createStore(sqlite(`${folder.path}/own.db`), { now: clock });
      const { id: turn } = await takeTurn("Count three times.");
      const [held] = await store.held.list({ agent: "ada" });
      await store.close();
      const charter = (...args: string[]) => folder.charter([...args, "--database", "own.db"]);
      expect(charter("why", "It is 2026", "--turn", turn).stdout).toContain("now (layer now), from source");
      expect(charter("why", "Change.", "--turn", turn).stdout).toBe(
        "messages\n0–7  Change.\n  said by the user in this turn: not the charter's words\n",
      );
      expect(charter("why", "Count lazily.", "--turn", turn)).toMatchObject({ code: 1, stdout: "" });
      expect(charter("why", "Count", "--turn", turn, "--edition", "full").stderr).toContain(
        "“edition” was given with a turn",
      );
      expect(charter("approve", held?.id as string)).toMatchObject({ code: 0, stderr: "" });
      const shown = charter("show", "--agent", "ada", "--user", "bo");
      expect(shown.stdout).toContain("# Habits\nCount three times.\n\n# Now\nIt is 2026-02-18.");
      expect(shown.stderr).toContain("last-reading");
      expect(charter("why", "three times", "--agent", "ada", "--user", "bo").stdout).toContain(
        "by the agent (revision 1",
      );
      expect(charter("replay", turn, "--request").code).toBe(0);
      expect(charter("verify").code).toBe(0);
    } finally {
      store = memory;
      folder.remove();
    }
  });
});
