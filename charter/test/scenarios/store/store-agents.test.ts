import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, charter, createFolder } from "../../cli.ts";

/** Agents as an operator sets them up, through the command. */

const folder = createFolder();
afterAll(folder.remove);
const problemOf = ({ code, stderr }: Answer): [number | null, string[]] => [code, stderr.split("\n")];
const json = (...args: string[]) => folder.charter([...args, "--json"]).json() as Record<string, unknown>;
const set = (settings: object, ...more: string[]) =>
  folder.charter(["agents", "set", "ada", "--settings", "-", ...more], JSON.stringify(settings));
const add = (name: string, charter: string, settings: object) =>
  folder.charter(["agents", "add", name, "-c", charter, "--settings", "-"], JSON.stringify(settings));

describe("settings that do not bite", () => {
  beforeAll(() => {
    const settings = { zone: "Europe/Rome", original: { soul: "Be kind.", identity: { name: "Ada" } } };
    expect(add("ada", "assistant", settings).code).toBe(0);
  });

  test("what is given is merged, objects field by field; null removes", () => {
    expect(set({ original: { soul: "Be brief." } }).code).toBe(0);
    expect(json("agents", "show", "ada").settings).toEqual({
      zone: "Europe/Rome",
      original: { soul: "Be brief.", identity: { name: "Ada" } },
    });
    expect(set({ zone: null, original: { identity: null }, edition: "compact" }).code).toBe(0);
    expect(json("agents", "show", "ada").settings).toEqual({ original: { soul: "Be brief." }, edition: "compact" });
  });

  test("--replace replaces all of them", () => {
    expect(set({ original: { soul: "Anew." } }, "--replace").code).toBe(0);
    expect(json("agents", "show", "ada").settings).toEqual({ original: { soul: "Anew." } });
    expect(problemOf(folder.charter(["agents", "set", "ada", "--model", "m", "--replace"]))[1][0]).toBe(
      "usage: “replace” needs settings, and none were given.",
    );
  });

  test.for([
    [{ zoen: "UTC" }, "“zoen”", "Did you mean “zone”?"],
    [{ soul: "Be kind." }, "“soul”", "Did you mean “original.soul”?"],
    [{ original: { sole: "x" } }, "“original.sole”", "Did you mean “original.soul”?"],
    [{ original: { identity: { nmae: "Ada" } } }, "“original.identity.nmae”", "Did you mean “original.identity.name”?"],
    [{ sessions: { idle_hours: 4 } }, "“sessions.idle_hours”", "Did you mean “sessions.idleHours”?"],
    [{ tools: [{ name: "a", summary: "b" }] }, "“tools[0].summary”", "At the top it reads"],
  ] as const)("a name the charter does not read is refused: %j", ([settings, path, hint]) => {
    const [code, lines] = problemOf(set(settings));
    expect([code, lines[0]]).toEqual([2, `bad-settings: The charter assistant does not read ${path}.`]);
    expect(lines[1]).toContain(hint);
  });

  test("words that stand come by amendments, and where they begin is said", () => {
    const [, lines] = problemOf(set({ identity: { name: "Eva" } }));
    expect(lines[1]).toContain('"original": { "identity": { "name", "vibe", "description" } }');
  });

  test("an agent without a prompt is refused, and the database is not even made", () => {
    const empty = createFolder();
    for (const charter of ["artifact", "resident"])
      expect(problemOf(empty.charter(["agents", "add", "pip", "-c", charter]))[1][0]).toBe(
        `no-prompt: “pip” would have no prompt: with these settings no section of its charter, ${charter}, has any words.`,
      );
    expect(readdirSync(empty.path)).toEqual([]);
    empty.remove();
  });

  test("old headings are lowered below the section's own, so that a part of them can be amended", () => {
    const { code, stderr } = set({ original: { soul: "# Who\nKind.\n\n## Goals\n- Mail.\n" } });
    expect([code, stderr]).toEqual([
      0,
      "notice: headings-lowered: The 2 headings in “soul” was as high as the section's own, and were lowered below it.\n",
    ]);
    expect(folder.charter(["show", "--agent", "ada"]).stdout).toContain(
      "## Soul\n### Who\nKind.\n\n#### Goals\n- Mail.",
    );
    const goals = [
      "-o",
      "replace_section",
      "--marker",
      "#### Goals",
      "--content",
      "- Calendar.",
      "--actor",
      "operator",
    ];
    expect(json("amend", "--agent", "ada", "--section", "soul", ...goals)).toMatchObject({ verdict: "accepted" });
    expect(folder.charter(["show", "--agent", "ada"]).stdout).toContain("#### Goals\n- Calendar.");
  });

  test("instructions that are longer than what is shown warn whoever writes them", () => {
    const long = ["-o", "rewrite", "--content", "x".repeat(2500)];
    const bo = ["amend", "--agent", "ada", "--user", "bo", "--section", "instructions", ...long];
    expect(json(...bo, "--dry-run")).toMatchObject({ unshown: { shown: 2000, missing: 500 } });
    expect(folder.charter(bo).stdout).toContain(
      "Only the first 2,000 characters are shown in the prompt; 500 more are stored, but not shown.",
    );
  });
});

test("a label stands beside the name in lists, and in no prompt", () => {
  /** A minute may pass in between. */
  const shown = () => folder.charter(["show", "--agent", "ada"]).stdout.replace(/\d\d:\d\d [AP]M/, "<time>");
  const before = shown();
  expect(folder.charter(["agents", "set", "ada", "--label", "Front desk"]).code).toBe(0);
  expect(folder.charter(["agents"]).stdout).toMatch(/^agent {2}label {7}charter .*\nada {4}Front desk {2}assistant/);
  expect(shown()).toBe(before);
  expect(folder.charter(["agents", "set", "ada", "--label", ""]).code).toBe(0);
  expect(json("agents", "show", "ada")).not.toHaveProperty("label");
});

test("an agent is removed: frozen, saved, out of the lists; erased when asked, and verify holds", () => {
  const saved = folder.charter(["agents", "remove", "ada", "-o", "ada.checkpoint"]);
  expect([saved.code, saved.stdout.split("\n").slice(1)]).toEqual([
    0,
    [
      "“ada” was removed: it takes no turns, and its schedules, bots and tokens are stopped.",
      expect.stringContaining("charter checkpoint restore ada.checkpoint --replace"),
      expect.stringContaining("charter thaw ada"),
      "",
    ],
  ]);
  expect(folder.charter(["agents"]).stdout).toMatch(/^There is no agent here\./);
  expect(folder.charter(["agents", "--removed"]).stdout).toMatch(/\nada {4}assistant {2}– {6}removed \d{4}-/);
  for (const args of [
    ["agents", "show", "ada"],
    ["agents", "add", "ada", "-c", "assistant"],
    ["agents", "remove", "ada"],
  ])
    expect(problemOf(folder.charter(args))[1][0]).toMatch(/^agent-removed: The agent “ada” was removed on /);
  expect(folder.charter(["verify"]).code).toBe(0);
  expect(problemOf(folder.charter(["agents", "remove", "ada", "--erase"]))[1][0]).toBe(
    "usage: --erase deletes every word of “ada” and of all who spoke with it.",
  );
  expect(folder.charter(["agents", "remove", "ada", "--erase", "--yes"]).stdout).toMatch(/^Erased: /);
  expect(folder.charter(["verify"]).code).toBe(0);
  expect(folder.charter(["checkpoint", "restore", "ada.checkpoint", "--replace"]).code).toBe(0);
  expect(json("agents", "show", "ada")).toMatchObject({ name: "ada", frozen: "agent" });
  expect(folder.charter(["verify"]).code).toBe(0);
});

test("what cannot be saved is not removed", () => {
  folder.charter(["agents", "add", "eve", "-c", "assistant"]);
  expect(problemOf(folder.charter(["agents", "remove", "eve", "-o", "no/such/place"]))[0]).toBe(2);
  expect(json("agents", "show", "eve")).toMatchObject({ frozen: null });
});

test("what npm started prints commands that work there; --help speaks of charter", () => {
  const env = { npm_command: "run-script" };
  const run = (...args: string[]) => charter(args, { cwd: folder.path, env });
  expect(run("agents", "add", "npm", "-c", "assistant").stdout).toContain(
    "See its prompt: npx charter show --agent npm",
  );
  expect(run("freeze", "npm").stdout).toContain("Undo it with: npx charter thaw npm\n");
  expect(run("schedules", "list").stdout).toContain("As in: npx charter schedules add");
  expect(run("tokens", "list").stdout).toContain("Make one: npx charter tokens create");
  expect(run("freeze", "--help").stdout).not.toContain("npx");
});

test("a schedule whose words reach nobody is set, and says so at once", () => {
  const added = folder.charter(["schedules", "add", "--agent", "npm", "--user", "bo", "--cron", "0 8 * * *", "Mail?"]);
  expect([added.code, added.stderr]).toEqual([
    0,
    "“bo” has linked no chat with “npm”: its answers are sent nowhere, and are in their conversation on the web. Link one with: charter users link bo --agent npm\n",
  ]);
});
