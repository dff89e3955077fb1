import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instructionsClosing } from "../../../src/charters/assistant/assistant.ts";
import { type Answer, createFolder, type Folder } from "../../cli.ts";

/** Words that last: changed through the command, by many hands, in a database. */

type Json = Record<string, unknown>;

function folderWith(): { readonly folder: Folder; readonly json: (...args: string[]) => Json } {
  const folder = createFolder();
  return { folder, json: (...args) => folder.charter([...args, "--json"]).json() as Json };
}

const rewrite = (content: string) => ["-o", "rewrite", "--content", content];
const bo = ["--agent", "ada", "--user", "bo"];
const problemOf = ({ code, stdout, stderr }: Answer) => [code, stdout, stderr.split("\n")[0]];

describe("an assistant whose user says how to answer", () => {
  const { folder, json } = folderWith();
  beforeAll(() => {
    expect(folder.charter(["agents", "add", "ada", "--charter", "assistant"])).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(folder.remove);

  const instructionsOf = (...who: string[]) => {
    const { stdout } = folder.charter(["show", "--agent", "ada", ...who]);
    return stdout.split("## User Instructions\n")[1]?.split(`\n${instructionsClosing}`)[0];
  };

  test("the words are in that user's next prompt, and in no one else's", () => {
    const amend = ["amend", ...bo, "-s", "instructions", "--actor", "agent", "--turn", "t1", "--reason", "bo asked"];
    expect(json(...amend, ...rewrite("Always answer in bullet points."))).toEqual({
      section: "instructions",
      verdict: "accepted",
      refusals: [],
      before: "",
      after: "Always answer in bullet points.",
      diff: "--- instructions (before)\n+++ instructions (after)\n@@ -0,0 +1,1 @@\n+Always answer in bullet points.\n",
      revision: 1,
      scope: { agent: "ada", user: "bo" },
    });
    expect(instructionsOf("--user", "bo")).toBe("Always answer in bullet points.");
    expect(instructionsOf("--user", "cy")).toBe("(No custom instructions set.)");
    expect(instructionsOf("--no-user")).toBe("(No custom instructions set.)");
  });

  test("said again they are unchanged, and reset or reverted to themselves as well: no error, and no revision", () => {
    const scope = { agent: "ada", user: "bo" };
    const outcome = { section: "instructions", verdict: "unchanged", refusals: [], diff: "", revision: 1, scope };
    const words = { before: "Always answer in bullet points.", after: "Always answer in bullet points." };
    const amend = ["amend", ...bo, "-s", "instructions", ...rewrite("Always answer in bullet points.")];
    for (const more of [[], ["--dry-run"], ["--quote"]])
      expect(json(...amend, ...more)).toEqual({ ...outcome, ...words });
    expect(json("revert", "instructions", "--to", "1", ...bo)).toEqual({ ...outcome, ...words });
    expect(folder.charter(amend)).toEqual({
      code: 0,
      stdout: "unchanged: “instructions” says exactly this already (revision 1) (“ada”, for “bo”)\n",
      stderr: "",
      json: expect.any(Function),
    });
    expect(json("reset", "instructions", "--agent", "ada", "--user", "cy")).toMatchObject({
      ...{ ...outcome, revision: 0, scope: { agent: "ada", user: "cy" } },
    });
  });

  test("why names the hand behind the words, also when another wrote after it", () => {
    folder.charter(["amend", ...bo, "-s", "instructions", "-o", "append", "--content", "And in German."]);
    const why = (words: string) => {
      const { occurrences } = json("why", ...bo, words) as { occurrences: { spans: Json[] }[] };
      const spans = occurrences.flatMap((one) => one.spans);
      return spans.map(({ section, revision, amendment }) => ({ section, revision, amendment }));
    };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(why("bullet points")).toEqual([
      {
        section: "instructions",
        revision: 2,
        amendment: { revision: 1, operation: "rewrite", actor: "agent", turn: "t1", at, reason: "bo asked" },
      },
    ]);
    expect(why("German")).toEqual([
      {
        section: "instructions",
        revision: 2,
        amendment: { revision: 2, operation: "append", actor: "operator", turn: null, at, reason: null },
      },
    ]);
    expect(folder.charter(["why", ...bo, "bullet points"]).stdout).toMatch(
      /\n {2}instructions \(layer instructions\), from standing, revision 2\n {4}by the agent \(revision 1, rewrite\), [\d-]+ [\d:]+ UTC, turn t1: bo asked\n$/,
    );
    expect(why("Put people's safety")).toEqual([{ section: "safety", revision: null }]);
  });

  test("a proposal against words that have changed since is refused, with the words there are", () => {
    const answer = folder.charter(["amend", ...bo, "-s", "instructions", ...rewrite("x"), "--revision", "1", "--json"]);
    expect(answer.code).toBe(1);
    expect(answer.json()).toEqual({
      section: "instructions",
      verdict: "refused",
      against: 1,
      standing: { text: "Always answer in bullet points.\nAnd in German.", revision: 2 },
      proposed: { text: "x", revision: 1 },
      refusals: [
        {
          guard: "stale-revision",
          because: "“instructions” is at revision 2; the proposal was made against 1. Read it again.",
        },
      ],
      before: "Always answer in bullet points.\nAnd in German.",
      after: "Always answer in bullet points.\nAnd in German.",
      diff: "",
      scope: { agent: "ada", user: "bo" },
    });
  });

  test("the user's own zone tells the time; a fact of this turn comes before it", () => {
    expect(folder.charter(["users", "set", "bo", "--zone", "Europe/Berlin"]).stdout).toBe(
      "The time zone of “bo” is Europe/Berlin.\n",
    );
    const time = (facts: object) =>
      folder.charter(["show", ...bo, "--input", "-"], JSON.stringify(facts)).stdout.match(/^\w+day, .*$/m)?.[0];
    const now = "2026-02-18T15:04:00Z";
    expect(time({ now })).toBe("Wednesday, February 18, 2026 at 04:04 PM (Europe/Berlin)");
    expect(time({ now, zone: "UTC" })).toBe("Wednesday, February 18, 2026 at 03:04 PM (UTC)");
    expect(json("users")).toMatchObject({ users: [{ id: "bo", zone: "Europe/Berlin" }], more: false });
  });

  test("back to an earlier revision, back to the original: each is one more amendment", () => {
    expect(json("revert", ...bo, "instructions", "--to", "1", "--reason", "too much")).toMatchObject({
      verdict: "accepted",
      after: "Always answer in bullet points.",
      revision: 3,
    });
    expect(folder.charter(["reset", ...bo, "instructions"])).toEqual({
      code: 0,
      stdout:
        "accepted: revision 4 of “instructions” (“ada”, for “bo”)\n--- instructions (before)\n+++ instructions (after)\n@@ -1,1 +0,0 @@\n-Always answer in bullet points.\n",
      stderr: "",
      json: expect.anything(),
    });
    const answer = folder.charter(["revert", ...bo, "instructions", "--to", "9"]);
    expect([answer.code, answer.stdout]).toEqual([1, expect.stringContaining("There is no revision 9 to go back to.")]);
  });

  test("the history tells it all, newest first, page by page", () => {
    const rows = folder
      .charter(["history", ...bo, "instructions"])
      .stdout.split("\n")
      .map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "<time>").replace(/ +/g, " "));
    expect(rows).toEqual([
      "revision time (UTC) by operation turn reason",
      "4 <time> operator reset –",
      "3 <time> operator revert – too much",
      "2 <time> operator append –",
      "1 <time> agent rewrite t1 bo asked",
      "",
    ]);
    const paged = folder.charter(["history", ...bo, "instructions", "--limit", "2", "--before", "4"]).stdout;
    expect(paged.split("\n").map((line) => line.split(" ")[0])).toEqual(["revision", "3", "2", "There", ""]);
    expect(paged).toMatch(/^There is more: --before 2$/m);
    const { amendments, ...about } = json("history", ...bo, "instructions", "--limit", "3") as { amendments: Json[] };
    expect(about).toEqual({ agent: "ada", user: "bo", section: "instructions", more: true });
    expect(amendments.map(({ revision, before, after, actor }) => [revision, before, after, actor])).toEqual([
      [4, "Always answer in bullet points.", "", "operator"],
      [3, "Always answer in bullet points.\nAnd in German.", "Always answer in bullet points.", "operator"],
      [2, "Always answer in bullet points.", "Always answer in bullet points.\nAnd in German.", "operator"],
    ]);
    expect(amendments[0]).toMatchObject({ previous: amendments[1]?.digest, erasedAt: null });
    expect(folder.charter(["history", ...bo, "instructions", "--words", "--before", "2"]).stdout).toMatch(
      /bo asked\n@@ -0,0 \+1,1 @@\n\+Always answer in bullet points\.\n$/,
    );
  });

  test("words that were erased are gone from the history, and it says so", () => {
    const database = new DatabaseSync(join(folder.path, ".charter/charter.db"));
    database.exec("update amendments set erased_at = '2026-02-18T15:04:00.000Z', reason = null where revision = 1");
    database.close();
    const page = ["history", ...bo, "instructions", "--before", "2"];
    expect(folder.charter([...page, "--words"]).stdout).toMatch(
      /\(erased 2026-02-18 15:04:00\)\n {2}Its text was erased\.\n$/,
    );
    expect(json(...page)).toMatchObject({
      amendments: [{ revision: 1, before: null, after: null, reason: null, erasedAt: "2026-02-18T15:04:00.000Z" }],
      more: false,
    });
  });

  test("a section nobody has changed says so, and so does one that nobody can", () => {
    const history = (...args: string[]) => folder.charter(["history", "--agent", "ada", ...args]);
    expect(history("soul")).toMatchObject({ code: 0, stdout: "“soul” of ada has not been amended.\n" });
    expect(history("safety").stdout).toBe("“safety” is fixed: nobody can amend it.\n");
    expect(history("time").stdout).toBe("“time” is generated per turn: nobody can amend it.\n");
    expect(history("--user", "cy", "instructions").stdout).toBe(
      "“instructions” of ada, for cy, has not been amended.\n",
    );
    expect(history("--user", "bo", "instructions", "--before", "1").stdout).toBe(
      "“instructions” of ada, for bo, has no amendment before revision 1.\n",
    );
    folder.charter(["amend", "--agent", "ada", "-s", "soul", ...rewrite("Be kind.")]);
    expect(history("--user", "bo", "soul").stdout).toMatch(/^1 {2,}/m);
  });
});

describe("an agent that edits its own prompt", () => {
  const { folder, json } = folderWith();
  const original = `You are a student of letters.\n\n## Goals\n1. Read\n`;
  const settings = { original, settings: { scope: "agent", protected_prefix_chars: 29, max_size_bytes: 200 } };
  const prompt = ["--agent", "pip", "--section", "prompt"];
  beforeAll(() => {
    folder.write("settings.json", JSON.stringify(settings));
    expect(
      folder.charter(["agents", "add", "pip", "-c", "artifact", "--model", "openai/m1", "--settings", "settings.json"]),
    ).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(folder.remove);

  test("changes what lies behind the opening, and nothing of the opening itself", () => {
    const goals = ["-o", "replace_section", "--marker", "## Goals", "--content", "1. Write", "--actor", "agent"];
    expect(json("amend", ...prompt, ...goals)).toMatchObject({ verdict: "accepted", revision: 1 });
    const answer = folder.charter(["amend", ...prompt, ...rewrite("You are free."), "--actor", "agent", "--json"]);
    expect(answer.code).toBe(1);
    expect(answer.json()).toMatchObject({ verdict: "refused", refusals: [{ guard: "protected-opening" }] });
    expect(folder.charter(["show", "--agent", "pip"]).stdout).toContain("## Goals\n1. Write");
  });

  test("a limit that was lowered since: the newest valid words stand, and the prompt says so", () => {
    const before = folder.charter(["show", "--agent", "pip"]).stdout;
    folder.charter(["amend", ...prompt, "-o", "append", "--content", "x".repeat(100)]);
    folder.write("less.json", JSON.stringify({ ...settings, settings: { ...settings.settings, max_size_bytes: 100 } }));
    expect(folder.charter(["agents", "set", "pip", "--settings", "less.json"]).code).toBe(0);
    const shown = folder.charter(["show", "--agent", "pip"]);
    expect(shown.stdout).toBe(before);
    expect(shown.stderr).toMatch(/^notice: standing-invalid: .*“prompt”.*the limit is 100\. Revision 1 is used\.$/m);
    expect(json("show", "--agent", "pip", "--tokenizer", "estimate")).toMatchObject({
      notices: expect.arrayContaining([expect.objectContaining({ code: "standing-invalid" })]),
    });
    expect(folder.charter(["show", "--agent", "pip", "--table", "--tokenizer", "estimate"]).stdout).toMatch(
      /^notice {3}standing-invalid: /m,
    );
    expect(json("amend", ...prompt, "-o", "append", "--content", "More.", "--dry-run")).toMatchObject({
      verdict: "accepted",
    });
    expect(json("agents", "set", "pip", "--settings", "settings.json")).toMatchObject({ model: "openai/m1" });
  });

  test("frozen, nothing of it changes by any hand; thawed, it goes on", () => {
    const append = ["amend", ...prompt, "-o", "append", "--content", "Rest."];
    expect(json("freeze", "pip")).toMatchObject({ name: "pip", frozen: "amendments" });
    expect(json(...append)).toMatchObject({ verdict: "refused", refusals: [{ guard: "frozen" }] });
    expect(json(...append, "--dry-run")).toMatchObject({ verdict: "refused", refusals: [{ guard: "frozen" }] });
    expect(json("freeze", "pip", "--all")).toMatchObject({ frozen: "agent" });
    expect(json("agents")).toMatchObject({ agents: [{ name: "pip", frozen: "agent", amended: 1 }], more: false });
    expect(folder.charter(["thaw", "pip"]).stdout).toBe("“pip” is thawed.\n");
    expect(json(...append)).toMatchObject({ verdict: "accepted", revision: 3 });
  });

  test("what an agent is set up with changes only where something is given", () => {
    expect(json("agents", "set", "pip", "--model", "openai/m2")).toMatchObject({
      charter: "artifact",
      model: "openai/m2",
      settings,
    });
    expect(json("agents", "show", "pip")).toMatchObject({
      name: "pip",
      charter: "artifact",
      model: "openai/m2",
      settings,
      frozen: null,
      sections: [{ section: "prompt", revision: 3 }],
    });
    expect(folder.charter(["agents", "set", "pip", "--model", ""]).code).toBe(0);
    expect(folder.charter(["agents"]).stdout).toBe(
      "agent  charter   model  frozen  amended sections\npip    artifact  –      –       1\n",
    );
  });
});

describe("proposals that wait for a person", () => {
  const { folder, json } = folderWith();
  const tainted = JSON.stringify({ turn: { tainted: true } });
  const wish = (content: string, ...more: string[]) =>
    folder.charter(
      ["amend", "--agent", "sol", "-s", "6", ...rewrite(content), "--actor", "agent", "--input", "-", ...more],
      tainted,
    );
  beforeAll(() => {
    expect(folder.charter(["agents", "add", "sol", "-c", "sovereign"]).code).toBe(0);
  });
  afterAll(folder.remove);

  test("foreign words in the turn: held, then approved, and it stands", () => {
    const held = wish("Be patient.", "--turn", "t1", "--key", "k1", "--json");
    const { held: id, ...verdict } = held.json() as Json & { held: string };
    expect([held.code, verdict]).toMatchObject([
      1,
      { verdict: "held", refusals: [{ guard: "needs-approval" }], after: "Be patient." },
    ]);
    expect(wish("Be patient.", "--turn", "t1", "--key", "k1", "--json").json()).toMatchObject({
      verdict: "held",
      held: id,
      repeated: true,
    });
    expect(json("approvals", "--agent", "sol")).toMatchObject({ proposals: [{ id, status: "waiting" }], more: false });
    expect(folder.charter(["approvals", id]).stdout).toMatch(
      /^\+Be patient\.\nWaiting for approval: charter approve /m,
    );
    expect(folder.charter(["show", "--agent", "sol"]).stdout).not.toContain("Be patient.");

    expect(json("approve", id, "--by", "eva")).toMatchObject({ verdict: "accepted", revision: 1, held: id });
    expect(folder.charter(["show", "--agent", "sol"]).stdout).toContain("Be patient.");
    expect(folder.charter(["approvals"]).stdout).toBe("Nothing is waiting for approval.\n");
    expect(json("approvals", id)).toMatchObject({ status: "approved", decidedBy: "eva", revision: 1 });
    expect(wish("Be patient.", "--turn", "t1", "--key", "k1", "--json").json()).toMatchObject({
      verdict: "accepted",
      revision: 1,
      repeated: true,
    });
    expect(problemOf(folder.charter(["approve", id]))).toEqual([2, "", expect.stringMatching(/^already-decided: /)]);
  });

  test("a sovereign layer answers to its number", () => {
    const byNumber = json("history", "--agent", "sol", "6") as { section: string; amendments: Json[] };
    expect(byNumber.amendments).toMatchObject([{ revision: 1, actor: "agent", turn: "t1", after: "Be patient." }]);
    expect(json("history", "--agent", "sol", byNumber.section)).toEqual(byNumber);
    expect(json("reset", "--agent", "sol", "6")).toMatchObject({ verdict: "accepted", revision: 2 });
    const [law] = (
      json("amend", "--agent", "sol", "-s", "0", ...rewrite("No law.")) as { refusals: { guard: string }[] }
    ).refusals;
    expect(law?.guard).toBe("allowed-hand");
  });

  test("approved too late: the words have changed since, so it still waits", () => {
    const { held: id } = wish("Late.", "--revision", "2", "--json").json() as { held: string };
    expect(json("amend", "--agent", "sol", "-s", "6", ...rewrite("Early."))).toMatchObject({ verdict: "accepted" });
    const answer = folder.charter(["approve", id]);
    expect([answer.code, answer.stdout]).toMatchObject([
      1,
      expect.stringMatching(/stale-revision[\s\S]*is not applied as it is/),
    ]);
    expect(json("approvals")).toMatchObject({ proposals: [{ id }] });
  });
});
