import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import { createFolder } from "../../cli.ts";
import { bothHomes, newPlace, newPostgres, type Place, queryAsOwner } from "../../homes.ts";
import { withTwoUsers } from "./two-users.ts";

/** The command with PostgreSQL behind it: words that last, data that moves, and what doctor sees. */

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

describe.each(bothHomes)("data moves out of %s", (name) => {
  let place: Place;
  let { folder, charter, show } = {} as ReturnType<typeof withTwoUsers>;
  beforeAll(async () => {
    place = await newPlace(name);
    places.push(place);
    ({ folder, charter, show } = withTwoUsers(place));
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
});

test("PostgreSQL is made, verified and looked at by the same commands", async () => {
  const place = await newPlace("postgres", "empty");
  const folder = createFolder();
  try {
    expect(folder.charter(["migrate", "-d", place.url, "--json"]).json()).toMatchObject({ from: 0, to: 14 });
    expect(folder.charter(["verify", "-d", place.url]).stdout).toMatch(
      /^0 amendments, 0 receipts, 0 texts and 0 sealed rows in /,
    );
    const fine = folder.charter(["doctor", "-d", place.url]);
    expect([fine.code, fine.stdout]).toEqual([
      0,
      expect.stringMatching(/^fine {2}Row-level security keeps every user's rows apart\.$/m),
    ]);
    expect(fine.stdout).not.toContain("password");
    const home = place.open();
    await home.write("everything", (db) => db.run(raw("alter table memories disable row level security")));
    await home.close();
    const { code, stdout } = folder.charter(["doctor", "-d", place.url]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("Row-level security is off, or has no rules, for memories."),
    ]);
  } finally {
    folder.remove();
    await place.remove();
  }
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
    expect(folder.charter(["import", "supabase"]).stderr).toMatch(/^usage: charter import supabase needs --from/);
  } finally {
    folder.remove();
  }
});
