import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assistantFromFacts } from "../../../src/charters/assistant/assistant.ts";
import { factsOf } from "../../../src/charters/facts.ts";
import { assemble, gather, receiptOf, type Scope } from "../../../src/index.ts";
import { raw } from "../../../src/store/home/sql.ts";
import { createStore, type Store, sqlite } from "../../../src/store/index.ts";
import { type Answer, createFolder, type Folder } from "../../cli.ts";
import { failMessage } from "../../store/answer-message.ts";
import { sha256 } from "../../store/filled.ts";

/** Looking at what was kept: turns, the bytes that were sent, what changed between them, and whether it all holds. */

const bo = { agent: "ada", user: "bo" };

/** One turn of the assistant, as a host would take it; gives its id and what each step sent. */
async function take(store: Store, scope: Scope, input: string, times: readonly string[]) {
  const { id } = await store.turns.open({ scope, input, channel: "web" });
  const sent: string[] = [];
  for (const time of times) {
    const given = assistantFromFacts(factsOf({ ...scope, channel: "web" }), () => new Date(time));
    const standing = await store.standings.read(given.charter, scope, given.fault);
    const prompt = assemble(given.charter, await gather(given.charter, { ...given.turn, standing }));
    const { step } = await store.turns.recordStep(id, receiptOf(given.charter, prompt, { sha256 }));
    await store.turns.recordResult(id, step, { usage: { input: null, read: null, written: null, output: 7 } });
    sent.push(prompt.text);
  }
  await store.turns.close(id, { reply: `You said: ${input}` });
  return { id, sent };
}

const morning = "2026-02-18T09:00:00Z";
const rewriteWishes = (content: string) => [
  ...["amend", "--agent", "ada", "--user", "bo", "--section", "instructions", "--operation", "rewrite"],
  ...["--actor", "user", "--reason", "they asked", "--content", content],
];

describe("a store that was lived in", () => {
  let folder: Folder;
  let first: Awaited<ReturnType<typeof take>>;
  let second: typeof first;
  let third: typeof first;
  const charter = (...args: string[]): Answer => folder.charter(args);
  const withStore = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await createStore(sqlite(join(folder.path, ".charter/charter.db")));
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  beforeAll(async () => {
    folder = createFolder();
    expect(charter("agents", "add", "ada", "--charter", "assistant").code).toBe(0);
    expect(charter(...rewriteWishes("Be brief.")).code).toBe(0);
    await withStore(async (store) => {
      first = await take(store, bo, "Good\nmorning", [morning, "2026-02-18T09:01:00Z"]);
      second = await take(store, bo, "And again", ["2026-02-18T09:01:00Z"]);
    });
    expect(charter(...rewriteWishes("Be brief, and kind.")).code).toBe(0);
    await withStore(async (store) => {
      third = await take(store, bo, "Once more", ["2026-02-18T09:01:00Z"]);
      await store.conversations.record("ada", "Cy@Example.org", {
        message: "m1",
        body: "Hello,\nada",
        reply: "Hello, cy",
        turn: third.id,
      });
    });
  });
  afterAll(() => folder?.remove());

  test("turns are listed newest first, each on a line, and say when there are more", () => {
    const { code, stdout } = charter("turns", "--agent", "ada");
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^turn +time \(UTC\) +agent +user +channel +state +steps +asked → answered$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
      [third.id, expect.anything(), "ada", "bo", "web", "answered", "1", "Once more → You said: Once more"],
      [second.id, expect.anything(), "ada", "bo", "web", "answered", "1", "And again → You said: And again"],
      [first.id, expect.anything(), "ada", "bo", "web", "answered", "2", "Good morning → You said: Good morning"],
    ]);
    const page = charter("turns", "--limit", "1", "--offset", "1", "--json").json();
    expect(page).toMatchObject({ turns: [{ id: second.id, scope: bo, state: "answered", steps: 1 }], more: true });
    expect(charter("turns", "--limit", "1").stdout).toContain("There is more: --offset 1");
    expect(charter("turns", "--user", "cy").stdout).toBe("There are no turns yet.\n");
  });

  test("a turn is shown whole, with what each step sent and came to", () => {
    const { stdout } = charter("turns", first.id);
    expect(stdout).toMatch(/^asked\n {2}Good\n {2}morning\nanswered\n {2}You said: Good\n {2}morning$/m);
    expect(stdout).toMatch(/^step 2 .*\n {2}sent {2}edition full, slots: system; sections: .*instructions/m);
    expect(stdout).toContain('  result  {"usage":{"input":null,"read":null,"written":null,"output":7}}');
    expect(charter("turns", first.id, "--json").json()).toMatchObject({
      id: first.id,
      receipts: [
        { step: 1, result: { usage: { input: null, read: null, written: null, output: 7 } } },
        { step: 2, receipt: { charter: "assistant" } },
      ],
    });
    expect(charter("turns", "nobody's").code).toBe(2);
  });

  test("replay gives the very bytes, and proves them beside", () => {
    const { code, stdout, stderr } = charter("replay", first.id);
    expect([code, stdout]).toEqual([0, first.sent[1]]);
    expect(stderr).toMatch(
      new RegExp(`^Proved: step 2 of “${first.id}”, ada's step 2, sent .*\\n  system: sha256 ${sha256(stdout)}\\n$`),
    );
    expect(charter("replay", `${first.id}/1`).stdout).toBe(first.sent[0]);
    expect(charter("replay", `${first.id}/1`, "--json").json()).toMatchObject({
      turn: first.id,
      step: 1,
      number: 1,
      proved: true,
      previous: sha256("ada"),
      slots: [{ slot: "system", text: first.sent[0], digest: sha256(first.sent[0] as string) }],
      receipt: { charter: "assistant", edition: "full" },
    });
    const proved = charter("replay", "--verify", first.id);
    expect([proved.code, proved.stderr]).toEqual([0, ""]);
    expect(proved.stdout).toMatch(/^Proved: step 2/);
    expect(charter("replay", `${first.id}/3`)).toMatchObject({
      code: 2,
      stderr: `unknown-turn: Nothing was sent in step 3 of “${first.id}”.\n  See the turns with \`charter turns\`.\n`,
    });
  });

  test("diff names the first byte that is another, and the amendment that made it so", () => {
    const same = charter("diff", first.id, second.id);
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringContaining(
        `The two prompts are identical, all ${Buffer.byteLength(second.sent[0] as string)} bytes.`,
      ),
    ]);
    const byte = Buffer.byteLength((third.sent[0] as string).split(", and kind.")[0] as string);
    const { code, stdout } = charter("diff", second.id, third.id);
    expect(code).toBe(1);
    expect(stdout).toContain(`The prefix broke at byte ${byte} of slot “system”, in “instructions”: it was amended.`);
    expect(stdout).toMatch(/^ {2}revision 2: rewrite by user, .* UTC: they asked$/m);
    expect(stdout).toMatch(/^changed instructions \(amendable, slot system, revision 1 → 2\)$/m);
    expect(stdout).toMatch(/^-Be brief\.\n\+Be brief, and kind\.$/m);
    expect(charter("diff", second.id, third.id, "--json").json()).toMatchObject({
      identical: false,
      before: { turn: second.id, step: 1 },
      after: { turn: third.id, step: 1 },
      break: {
        slot: "system",
        byte,
        section: "instructions",
        what: "changed",
        mutability: "amendable",
        revisions: { before: 1, after: 2 },
        amendments: [{ revision: 2, actor: "user", reason: "they asked" }],
      },
      sections: [{ section: "instructions", what: "changed" }],
    });
    const state = charter("diff", `${first.id}/1`, `${first.id}/2`);
    expect([state.code, state.stdout]).toEqual([
      1,
      expect.stringMatching(/: it is state, and is told when it changes\.$/m),
    ]);
    expect(charter("diff", first.id).stderr).toMatch(/^usage: charter diff needs the two turns;/);
  });

  test("memory is listed, searched, added to and forgotten", () => {
    const memory = (...args: string[]) => charter("memory", "--agent", "ada", "--user", "bo", ...args);
    expect(memory().stdout).toBe("“ada”, for “bo”, remembers nothing.\n");
    const added = memory("add", "Bo likes green tea.", "--json").json() as { id: string };
    memory("add", "--key", "born", "In May.");
    expect(memory("--json").json()).toMatchObject({ notes: [{ key: "born" }, { text: "Bo likes green tea." }] });
    expect(memory("tea", "--json").json()).toMatchObject({ notes: [{ id: added.id }], by: "all-words", more: false });
    expect(memory("ree").stdout).toMatch(/^no note has these words; these have them inside others\nnote .*\n.*green/);
    const missing = memory("zebra");
    expect([missing.code, missing.stdout]).toEqual([1, "“ada”, for “bo”, remembers nothing about “zebra”.\n"]);
    expect(memory("forget", added.id)).toMatchObject({ code: 0, stdout: `“${added.id}” is forgotten.\n` });
    expect(memory("forget", added.id).stderr).toMatch(/^unknown-note: /);
    expect(charter("memory").stdout).toBe(memory().stdout);
    expect(charter("memory", "--agent", "eve").stderr).toMatch(/^unknown-agent: There is no agent “eve”\./);
  });

  test("conversations are listed, and one is read by its address", () => {
    const { stdout } = charter("conversations", "--agent", "ada");
    expect(stdout).toMatch(/^with +exchanges +last \(UTC\)\ncy@example\.org +1 +\d/);
    const one = charter("conversations", "--agent", "ada", "CY@example.org");
    expect(one.stdout).toMatch(/^.* UTC, turn .*\ncy@example\.org: Hello, ada\nada: Hello, cy\n$/);
    expect(charter("conversations", "--agent", "ada", "di@example.org")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^not-found: There is no conversation with “di@example\.org” here\.\n/),
    });
  });

  test("verify walks the database, with the lock where there is one, and says nothing else into a pipe", () => {
    const { code, stdout, stderr } = charter("verify");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^2 amendments, 4 receipts, \d+ texts and \d+ sealed rows in \.charter\/charter\.db are as they were written\.\nNot looked at: turns, .*\n$/,
    );
    charter("lock");
    expect(charter("verify").stdout).toMatch(/^All 8 fixed sections of 5 charters .*\n2 amendments, 4 receipts/);
    expect(charter("verify", "--agent", "ada", "--json").json()).toMatchObject({
      verified: true,
      charters: 5,
      fixed: 8,
      lock: { path: "charter.lock", charters: 5, fixed: 8 },
      store: { database: ".charter/charter.db", amendments: 2, steps: 4, erased: 0, faults: [], further: 0 },
    });
    expect(charter("verify", "--agent", "eve").stderr).toMatch(/^unknown-agent: /);
    expect(charter("verify", "--database", "none.db").stderr).toMatch(
      /^no-database: There is no database at none\.db\./,
    );
  });

  test("a change behind the store's back is found, told by doctor and show, and the agent goes on", async () => {
    await withStore((store) =>
      store.home.write("everything", (db) =>
        db.run(raw("update amendments set actor = 'operator' where section = 'instructions' and revision = 2")),
      ),
    );
    const found = charter("verify");
    const line =
      "edited    amendments agent ada, user bo, section instructions, revision 2: it is not what its digest was made of";
    expect([found.code, found.stdout.split("\n")[1]]).toEqual([1, line]);
    expect(charter("verify", "--json")).toMatchObject({ code: 1 });
    const doctor = charter("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(
      /^look {2}“ada”, for “bo”: The current text of “instructions” is not used: revision 2 cannot be used: it was changed behind the store's back\. Revision 1 is used\.$/m,
    );
    const show = charter("show", "--agent", "ada", "--user", "bo");
    expect([show.code, show.stdout.includes("Be brief."), show.stdout.includes("kind")]).toEqual([0, true, false]);
    expect(show.stderr).toMatch(/^notice: standing-invalid: /m);
    await withStore((store) =>
      store.home.write("everything", (db) =>
        db.run(raw("update amendments set actor = 'user' where section = 'instructions' and revision = 2")),
      ),
    );
    expect(charter("verify").code).toBe(0);
  });

  test("doctor says what needs a hand, and what to do", async () => {
    expect(charter("doctor")).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nAll is well\.\n$/) });
    charter("freeze", "ada");
    await withStore(async (store) => {
      await store.inbox.post({ agent: "ada", sender: "cy", body: "Help!", id: "m9" });
      for (let tries = 0; tries < 3; tries++) {
        await store.inbox.claim("ada", "t1");
        await failMessage(store.inbox, "ada", "m9", "the model is away");
      }
    });
    const { code, stdout } = charter("doctor");
    expect([code, stdout.split("\n").filter((line) => !line.startsWith("fine"))]).toEqual([
      1,
      [
        "look  All amendments of “ada” are frozen.",
        "      Undo it with `charter thaw ada`.",
        "look  1 message to “ada” could not be answered, the first “m9”: the model is away.",
        "      Fix the cause, then `charter inbox retry ada <id>`; or `charter inbox discard ada <id>`.",
        "2 things need attention.",
        "",
      ],
    ]);
    charter("thaw", "ada");
    expect(charter("doctor", "--json").json()).toMatchObject({ fine: false });
  });

  test("a turn that was erased says so", async () => {
    expect(charter("erase", "--user", "bo", "--yes").code).toBe(0);
    expect(charter("replay", first.id)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `erased: What was sent in “${first.id}” was erased.\n  It cannot be rebuilt.\n`,
    });
    expect(charter("turns").stdout).toMatch(/ erased +2$/m);
    expect(charter("turns", first.id).stdout).toMatch(/What was sent was erased \d{4}-/);
    const verified = charter("verify");
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining("The words of 6 of them were erased; their history still verifies."),
    ]);
  });
});

describe("a database that is not what it should be", () => {
  test("migrate makes one, says so, and leaves one that is up to date as it is", () => {
    const folder = createFolder();
    try {
      expect(folder.charter(["migrate"]).stdout).toBe(".charter/charter.db is ready, with schema 14.\n");
      expect(folder.charter(["migrate"]).stdout).toBe(".charter/charter.db already has schema 14.\n");
      expect(folder.charter(["migrate", "--json", "-d", "new.db"]).json()).toEqual({
        database: "new.db",
        from: 0,
        to: 14,
      });
      expect(folder.charter(["migrate", "--rebuild"]).stdout).toBe(
        ".charter/charter.db already has schema 14. What 0 notes and 0 turns are searched and listed by was made anew.\n",
      );
      expect(folder.charter(["migrate", "--rebuild", "--json"]).json()).toMatchObject({ to: 14, notes: 0, turns: 0 });
    } finally {
      folder.remove();
    }
  });

  test("a newer schema is refused by migrate, and named by doctor", async () => {
    const folder = createFolder();
    try {
      folder.charter(["migrate"]);
      const { DatabaseSync } = await import("node:sqlite");
      const file = new DatabaseSync(join(folder.path, ".charter/charter.db"));
      file.exec("pragma user_version = 99");
      file.close();
      const message = "newer-schema: .charter/charter.db was made by a newer Charter (schema 99; this one knows 14).";
      expect(folder.charter(["migrate"])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
      const doctor = folder.charter(["doctor"]);
      expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("schema 99; this one knows 14")]);
    } finally {
      folder.remove();
    }
  });

  test("a file that is no database is what doctor found, not its end", () => {
    const folder = createFolder({ "notes.txt": "not a database, ".repeat(100) });
    try {
      const { code, stdout } = folder.charter(["doctor", "-d", "notes.txt"]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^look {2}notes\.txt is no database\.$/m)]);
      expect(folder.charter(["doctor"]).code).toBe(0);
    } finally {
      folder.remove();
    }
  });
});
