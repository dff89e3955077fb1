import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createFolder, type Folder } from "../../cli.ts";
import { homes, newPlace, newPostgres, type Place, queryAsOwner } from "../../homes.ts";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

const now = JSON.stringify({ now: "2026-02-18T15:04:00Z" });

describe.each(homes)("data moves in and out of %s", (name) => {
  let place: Place;
  let folder: Folder;
  const charter = (...args: readonly string[]) => folder.charter([...args, "--database", place.url]);
  const show = (database: string) =>
    folder.charter(["show", "--agent", "ada", "--user", "bo", "--input", "now.json", "--database", database]).stdout;
  beforeAll(async () => {
    place = await newPlace(name);
    places.push(place);
    folder = createFolder({ "now.json": now, "notes.txt": "mine", "soul.json": '{"original":{"soul":"Be kind."}}' });
    charter("agents", "add", "ada", "--charter", "assistant", "--settings", "soul.json");
    const amend = ["amend", "--agent", "ada", "--section", "instructions", "--operation", "rewrite", "--actor", "user"];
    charter(...amend, "--user", "bo", "--content", "Call me nightingale.");
    charter(...amend, "--user", "cy", "--content", "Be brief.");
  });
  afterAll(() => folder.remove());

  test("a checkpoint moves to the other home, and the prompt is the same to the byte", async () => {
    const other = await newPlace(name === "sqlite" ? "postgres" : "sqlite");
    places.push(other);
    const saved = charter("checkpoint", "save", "all.checkpoint", "--json");
    expect([saved.code, saved.json()]).toMatchObject([0, { agents: ["ada"], lost: [] }]);
    const { content } = saved.json() as { content: string };
    expect(folder.charter(["checkpoint", "inspect", "all.checkpoint", "--json"]).json()).toMatchObject({
      content,
      from: name,
    });
    expect(folder.charter(["checkpoint", "restore", "all.checkpoint", "--database", other.url])).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(show(other.url)).toBe(show(place.url));
    expect(show(other.url)).toContain("Call me nightingale.");
    const again = folder.charter(["checkpoint", "restore", "all.checkpoint", "--database", other.url]);
    expect([again.code, again.stderr.split(":")[0]]).toEqual([2, "agent-exists"]);
    expect(folder.charter(["checkpoint", "restore", "all.checkpoint", "--replace", "--database", other.url]).code).toBe(
      0,
    );
    expect(
      folder.charter(["checkpoint", "save", "again.checkpoint", "--json", "--database", other.url]).json(),
    ).toMatchObject({ content });
  });

  test("what is no checkpoint is neither restored nor overwritten, and makes no database", () => {
    const restored = folder.charter(["checkpoint", "restore", "notes.txt", "--database", "fresh.db"]);
    expect([restored.code, restored.stderr.split(":")[0]]).toEqual([2, "not-a-checkpoint"]);
    expect(folder.names()).not.toContain("fresh.db");
    expect(charter("checkpoint", "save", "notes.txt").stderr).toMatch(/^file-exists: /);
    expect(folder.read("notes.txt")).toBe("mine");
    for (const args of [
      ["checkpoint"],
      ["checkpoint", "save"],
      ["checkpoint", "inspect", "x", "--agent", "ada"],
      ["checkpoint", "inspect", "nowhere"],
    ])
      expect(folder.charter(args).code).toBe(2);
  });

  test("one user takes their data along, is erased, and starts anew; another stays", () => {
    expect(charter("export", "--user", "bo", "--output", "bo.json").stdout).toMatch(
      /^Wrote what is kept about “bo” to bo.json: 1 agent/,
    );
    expect(JSON.parse(folder.read("bo.json"))).toMatchObject({
      agents: [{ standing: [{ words: "Call me nightingale." }] }],
    });
    expect(charter("export", "--user", "nobody", "--json")).toMatchObject({
      code: 1,
      stderr: "Nothing is kept about “nobody”.\n",
    });

    const asked = charter("erase", "--user", "bo");
    expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining("--yes")]);
    expect(show(place.url)).toContain("nightingale");
    expect(charter("erase", "--user", "bo", "--yes", "--json").json()).toMatchObject({
      erased: true,
      scrubbed: true,
      rows: { amendments: 1 },
    });
    expect(show(place.url)).toContain("(No custom instructions set.)");
    expect(charter("export", "--user", "bo").stdout).not.toContain("nightingale");
    expect(charter("erase", "--user", "bo", "--yes")).toMatchObject({
      code: 1,
      stdout: "Nothing is kept about “bo”.\n",
    });
    const history = charter("history", "--agent", "ada", "--user", "bo", "instructions", "--json").json();
    expect(history).toMatchObject({
      amendments: [{ revision: 1, before: null, after: null, erasedAt: expect.any(String) }],
    });
    expect(charter("export", "--user", "cy").stdout).toContain("Be brief.");
  });

  test("old events are let go, and it is said how much", () => {
    expect(charter("retain").code).toBe(2);
    const tried = charter("retain", "--events", "0", "--receipts", "30", "--dry-run", "--json").json() as object;
    expect(tried).toMatchObject({ receipts: 0, dryRun: true });
    expect(charter("retain", "--events", "0", "--receipts", "30", "--json").json()).toEqual({
      ...tried,
      dryRun: false,
    });
    expect(charter("retain", "--events", "0").stdout).toBe(
      "deleted 0 receipts, 0 events, 0 deliveries and 0 texts, 0 bytes. The history still verifies.\n",
    );
  });
});

test("an old database is tried, brought over, and brought over again", async () => {
  const old = await newPostgres(inject("postgres"), "empty");
  places.push(old);
  const words = `
    create table agent_configurations (agent_name text, system_prompt text, llm_config jsonb);
    create table user_agent_prompt_customizations (user_id text, agent_name text, customization_type text, content jsonb, priority int);
    insert into agent_configurations values ('assistant', 'You sort mail.', '{"model":"x"}');
    insert into user_agent_prompt_customizations values ('u1', 'assistant', 'style', '{"tone":"warm"}', 1),
      ('u1', 'assistant', 'rules', '"Always cite."', 2), ('u2', 'assistant', 'rules', '"# Layer 0: Law"', 2), ('u3', 'gone', 'x', '1', 0)`;
  await queryAsOwner(old.url, words);
  const folder = createFolder();
  try {
    const supabase = ["import", "supabase", "--from", old.url];
    const trial = folder.charter([...supabase, "--dry-run"]);
    expect([trial.code, trial.stderr]).toEqual([1, ""]);
    expect(trial.stdout).toMatch(
      /as a trial: nothing was changed\n[\s\S]*assistant\s+u1\s+imported\s+rules 2, style 1/,
    );
    expect(trial.stdout).not.toContain("a%20test's%20password");
    expect(folder.names()).toEqual([]);
    expect(folder.charter([...supabase, "--report", "report.json"]).code).toBe(1);
    expect(JSON.parse(folder.read("report.json"))).toMatchObject({ left: [{ rows: [{ user_id: "u3", content: 1 }] }] });
    const prompt = folder.charter(["show", "--agent", "assistant", "--user", "u1"]);
    expect(prompt.stdout).toMatch(/## Soul\nYou sort mail\.[\s\S]*## User Instructions\nAlways cite\.\n\ntone: warm\n/);
    expect(prompt.stderr).toBe("");
    const again = folder.charter([...supabase, "--json"]).json() as { users: { outcome: string }[] };
    expect(again.users.map(({ outcome }) => outcome)).toEqual(["unchanged", "held"]);
    expect(folder.charter(["import", "mysql"]).code).toBe(2);
    expect(folder.charter(["import", "supabase"]).stderr).toMatch(/^usage: charter import needs --from/);
  } finally {
    folder.remove();
  }
});
