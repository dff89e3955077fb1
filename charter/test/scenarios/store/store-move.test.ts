import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { newPlace, type Place } from "../../homes.ts";
import { withTwoUsers } from "./two-users.ts";

describe("data moves in and out", () => {
  let place: Place;
  let { folder, charter, show } = {} as ReturnType<typeof withTwoUsers>;
  beforeAll(async () => {
    place = await newPlace("sqlite");
    ({ folder, charter, show } = withTwoUsers(place));
  });
  afterAll(async () => {
    folder.remove();
    await place.remove();
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
