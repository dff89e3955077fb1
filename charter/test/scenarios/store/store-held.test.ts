import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStore, type Store, sqlite } from "../../../src/store/index.ts";
import { createFolder } from "../../cli.ts";

/** What waits for a person, and what the person sees: calls of tools beside proposals, and both texts where words moved on. */

type Json = Record<string, unknown>;
const because = "Untrusted text is in this turn's context, and the tool may have effects outside.";

describe("calls that wait for a person", () => {
  const folder = createFolder();
  const json = (...args: string[]) => folder.charter([...args, "--json"]).json() as Json;
  const plain = (...args: string[]) => folder.charter(args).stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>");
  let store: Store;
  const scope = { agent: "ada", user: "bo" };
  const hold = async (input: unknown, tool = "send_mail") => {
    const { id: turn } = await store.turns.open({ scope, input: "Write to them." });
    const held = await store.calls.hold(scope, { turn, step: 1, call: "c1", tool, input, reason: because });
    return { ...held, turn };
  };
  beforeAll(async () => {
    expect(folder.charter(["agents", "add", "ada", "-c", "assistant"]).code).toBe(0);
    store = await createStore(sqlite(join(folder.path, ".charter/charter.db")));
  });
  afterAll(async () => {
    await store?.close();
    folder.remove();
  });

  test("are listed beside proposals, and shown whole", async () => {
    const { id, turn } = await hold({ to: "eve@example.org", text: "Dear Eve,\n\u001b[31mhello" });
    expect(plain("approvals").replace(/ +/g, " ")).toBe(
      `id time (UTC) agent user asked with\n${id} <time> ada bo The agent wants to use “send_mail”. ${because} to: eve@example.org; text:; Dear Eve,; \\u001b[31mhello\n`,
    );
    expect(plain("approvals", id)).toBe(
      [
        `held       ${id}`,
        "agent      ada",
        "user       bo",
        "tool       send_mail",
        `asked for  <time> UTC, in turn ${turn}, step 1, as c1`,
        `asked      The agent wants to use “send_mail”. ${because}`,
        "status     waiting",
        "input",
        "  {",
        '    "to": "eve@example.org",',
        '    "text": "Dear Eve,\\n\\u001b[31mhello"',
        "  }",
        `Waiting for approval: charter approve ${id}, or charter reject ${id}`,
        "Cause: the user's own input",
        '  input: "Write to them."',
        "",
      ].join("\n"),
    );
    const whole = json("approvals", id);
    expect(whole).toMatchObject({ id, tool: "send_mail", turn, status: "waiting" });
    expect(json("approvals")).toEqual({ proposals: [], calls: [whole], tools: [], more: false, total: 1 });
    const amend = [
      "amend",
      "--agent",
      "ada",
      "--user",
      "bo",
      "-s",
      "instructions",
      "-o",
      "rewrite",
      "--content",
      "Hi.",
    ];
    folder.charter([...amend, "--actor", "agent", "--input", "-"], JSON.stringify({ turn: { tainted: true } }));
    const [proposals, calls] = plain("approvals").split("\n\n");
    expect(proposals).toMatch(/^id .* section .* instructions {2,}rewrite {2,}agent {2,}–$/s);
    expect(calls).toMatch(/^id .* asked .*\n.* The agent wants to use “send_mail”/s);
    expect(json("approvals", "--limit", "1")).toMatchObject({
      proposals: [{ section: "instructions" }],
      calls: [{ id }],
    });
  });

  test("approved, it says when it runs; then it runs once, and what came of it is seen", async () => {
    const { id } = await hold({ to: "bo" });
    const approve = folder.charter(["approve", id, "--by", "eva"]);
    expect([approve.code, approve.stdout]).toEqual([0, "approved: send_mail; it runs with ada's next turn for bo.\n"]);
    expect(plain("approvals", id)).toMatch(
      /^status {5}approved by eva, <time> UTC; it runs with ada's next turn for bo$/m,
    );
    expect((await store.calls.claim(scope)).map((call) => call.id)).toEqual([id]);
    expect(plain("approvals", id)).toMatch(
      /^status {5}running since <time> UTC; approved by eva, <time> UTC\. If its process died, it is not run again\.$/m,
    );
    expect(json("approvals", "--status", "running")).toMatchObject({ proposals: [], calls: [{ id }] });
    await store.calls.finish(id, { status: "failed", result: "No route.\nTry later." });
    expect(plain("approvals", id)).toMatch(/^status {5}failed <time> UTC; approved by eva, <time> UTC$/m);
    expect(plain("approvals", id)).toMatch(/^result\n {2}No route\.\n {2}Try later\.\n$/m);
    expect(json("approvals", id)).toMatchObject({
      status: "failed",
      decidedBy: "eva",
      result: "No route.\nTry later.",
    });
    const again = folder.charter(["approve", id]);
    expect([again.code, again.stderr]).toMatchObject([
      2,
      expect.stringMatching(/^already-decided: The call .* of “send_mail” was approved .* and is failed\.\n/),
    ]);
    expect(folder.charter(["approvals", "--status", "done"]).stdout).toBe("No approved call is done.\n");
    expect(folder.charter(["approvals", "--status", "lost"])).toMatchObject({
      code: 2,
      stderr:
        "usage: --status must be “waiting”, “approved”, “rejected”, “running”, “done” or “failed”, and is “lost”.\n  See charter approvals --help.\n",
    });
  });

  test("rejected, it is not run, and says why", async () => {
    const { id } = await hold({}, "delete_all");
    expect(folder.charter(["reject", id, "--by", "eva", "--reason", "Never."]).stdout).toBe(
      "rejected: delete_all of ada is not run.\n",
    );
    expect(plain("approvals", id)).toMatch(/^status {5}rejected by eva, <time> UTC: Never\.$/m);
    expect(await store.calls.claim(scope)).toEqual([]);
    const other = await hold({});
    expect(json("reject", other.id)).toMatchObject({ id: other.id, status: "rejected", decisionReason: null });
  });

  test("a turn that nobody came back to is listed as interrupted", async () => {
    const { id } = await store.turns.open({ scope, input: "Anyone?", runner: "host:1", leaseSeconds: 60 });
    expect(plain("turns", id)).toMatch(/^state {4}running\nrun by {3}host:1$/m);
    await store.turns.interruptAbandoned({ isGone: (runner) => runner === "host:1" });
    expect(plain("turns", "--limit", "1")).toMatch(/ interrupted {2,}0 {2,}Anyone\? → –\n/);
    expect(plain("turns", id)).toMatch(/^state {4}interrupted: the process that ran it has stopped$/m);
    expect(json("turns", id)).toMatchObject({ state: "interrupted", runner: "host:1", leasedUntil: null });
  });

  test("what an agent asks leave for is told in words, and what an approval of it means", async () => {
    const asked = { kind: "execute", title: "make\u001b[31m all", paths: ["/srv/app"], input: { command: ["make"] } };
    const [first, second] = [await hold(asked, "acp:execute"), await hold(asked, "acp:execute")];
    expect(plain("approvals")).toContain(
      `  The agent wants to run: \`make [31m all\`. ${because}  files: /srv/app; command.0: make\n`,
    );
    expect(plain("approvals", first.id).split("\n").slice(1, 12)).toEqual([
      "agent        ada",
      "user         bo",
      "permission   the agent asks to run: make [31m all",
      "files        /srv/app",
      "if approved  allowed once, in the next turn, if the agent asks for the same again",
      `asked for    <time> UTC, in turn ${first.turn}, step 1, as c1`,
      `asked        The agent wants to run: \`make [31m all\`. ${because}`,
      "status       waiting",
      "input",
      "  {",
      '    "command": [',
    ]);
    expect(plain("approve", first.id)).toBe(
      "approved: leave to run: make [31m all; it is allowed once, in ada's next turn for bo, if the agent asks for the same again.\n",
    );
    expect(plain("reject", second.id)).toBe("rejected: leave to run: make [31m all of ada is not given.\n");
    for (const { id } of await store.calls.claim(scope)) await store.calls.finish(id, { status: "done", result: null });
  });
});

describe("a proposal that is approved after its words moved on", () => {
  const folder = createFolder();
  const json = (...args: string[]) => folder.charter([...args, "--json"]).json() as Json;
  const amend = (...args: string[]) => ["amend", "--agent", "sol", "-s", "6", ...args];
  const hold = (content: string, operation = "rewrite") =>
    (
      folder
        .charter(
          [...amend("-o", operation, "--content", content), "--actor", "agent", "--input", "-", "--json"],
          JSON.stringify({ turn: { tainted: true } }),
        )
        .json() as { held: string }
    ).held;
  beforeAll(() => {
    expect(folder.charter(["agents", "add", "sol", "-c", "sovereign"]).code).toBe(0);
    folder.charter(amend("-o", "rewrite", "--content", "One.\nTwo.\nThree."));
  });
  afterAll(folder.remove);

  test("is not applied; what it wanted and what stands now are both shown", () => {
    const id = hold("One.\nTwo and a half.\nThree.");
    const { section } = json("approvals", id) as { section: string };
    folder.charter(amend("-o", "append", "--content", "Four."));
    const stale = `stale-revision: “${section}” is at revision 2; the proposal was made against 1. Read it again.`;
    const answer = folder.charter(["approve", id]);
    expect([answer.code, answer.stderr, answer.stdout]).toEqual([
      1,
      "",
      [
        "refused",
        `  ${stale}`,
        "The proposed change of revision 1:",
        `--- ${section} (revision 1)`,
        `+++ ${section} (proposed)`,
        "@@ -1,3 +1,3 @@",
        " One.",
        "-Two.",
        "+Two and a half.",
        " Three.",
        "What has changed since revision 1:",
        `--- ${section} (revision 1)`,
        `+++ ${section} (current)`,
        "@@ -1,3 +1,4 @@",
        " One.",
        " Two.",
        " Three.",
        "+Four.",
        "Nothing was changed. The proposal was made against an older revision, so it is not applied as it is.",
        `To overwrite the current text with it: charter approve ${id} --current`,
        `To approve other text: charter approve ${id} --current --content …`,
        `To reject it: charter reject ${id}`,
        "",
      ].join("\n"),
    ]);
    const now = "One.\nTwo.\nThree.\nFour.";
    expect(json("approve", id)).toEqual({
      section,
      verdict: "refused",
      operation: "rewrite",
      against: 1,
      before: "One.\nTwo.\nThree.",
      after: "One.\nTwo and a half.\nThree.",
      refusals: [{ guard: "stale-revision", because: stale.replace("stale-revision: ", "") }],
      held: id,
      standing: { text: now, revision: 2 },
      proposed: { text: "One.\nTwo and a half.\nThree.", revision: 1 },
      diff: expect.stringContaining("+Two and a half.\n"),
      since: expect.stringContaining("+Four.\n"),
    });
    expect(json("approvals", id)).toMatchObject({ status: "waiting" });
    expect(json("history", "--agent", "sol", "6")).toMatchObject({ amendments: [{ revision: 2, after: now }, {}] });
  });

  test("says so when the same words stand again", () => {
    const id = hold("Five.", "append");
    folder.charter(amend("-o", "append", "--content", "Six."));
    folder.charter(["revert", "--agent", "sol", "6", "--to", "2"]);
    const { code, stdout } = folder.charter(["approve", id]);
    expect(code).toBe(1);
    expect(stdout).toContain("+Five.\nThe current text is the same.\nNothing was changed.");
  });
});
