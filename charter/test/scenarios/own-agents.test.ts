import { type Charter, fromText } from "charter";
import { createHost } from "charter/host";
import { createStore, type Store, sqlite } from "charter/store";
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
