import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../../src/host/create-host.ts";
import { createStore, sqlite } from "../../../src/store/index.ts";
import { keeper, said } from "../../agent/keeper.ts";
import { createFolder } from "../../cli.ts";

/** Turns with an agent that keeps the conversation and has tools of its own, as the command shows them afterwards. */
const folder = createFolder();
afterAll(() => folder.remove());

let turns: string[];
beforeAll(async () => {
  expect(folder.charter(["agents", "add", "ada", "-c", "assistant"]).code).toBe(0);
  const store = await createStore(sqlite(join(folder.path, ".charter/charter.db")));
  const use = { id: "t1", title: "notes.md", kind: "read", paths: ["/srv/notes.md"], foreign: true } as const;
  const model = keeper([
    async ({ onOwnTool }) => {
      onOwnTool?.({ ...use, status: "pending" });
      onOwnTool?.({ ...use, status: "done" });
      return said("Read.");
    },
    async () => said("Still here."),
  ]);
  const host = createHost({ store, loadModel: async () => model });
  const outcomes = [
    await host.runTurn({ agent: "ada", user: "bo", input: "Read my notes." }),
    await host.runTurn({ agent: "ada", user: "bo", input: "And now?" }),
  ];
  turns = outcomes.map(({ turn }) => turn);
  await host.close(0);
  await store.close();
});

test("a turn tells where its system prompt went, and which tools of its own the agent used", () => {
  const [first, second] = turns.map((turn) => folder.charter(["turns", turn]).stdout);
  expect(first?.split("\n").filter((line) => /system prompt |own tool/.test(line))).toEqual([
    "  system prompt  in the agent's system prompt field, with this request",
    "  own tool  read: notes.md (read, done, files: /srv/notes.md)",
    "  What its own tools read is not known here.",
  ]);
  expect(second).toContain("  system prompt  in the agent's system prompt field, with an earlier request\n");
  expect(second).not.toContain("own tool");
});

test("what was sent is proved, with where it went; so does “why” say of the words", () => {
  const replayed = folder.charter(["replay", turns[1] as string, "--verify"]).stdout;
  expect(replayed).toContain("  The system prompt went in the agent's system prompt field, with an earlier request.\n");
  const asked = ["why", "--agent", "ada", "--user", "bo", "assistant"];
  expect(folder.charter(asked).stderr).toContain(
    `The last system prompt went in the agent's system prompt field, with an earlier request (turn ${turns[1]}).\n`,
  );
  expect(folder.charter([...asked, "--json"]).json()).toMatchObject({
    identity: { slot: "system-prompt", sent: false, turn: turns[1] },
  });
});
