import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { bo, newFolder, talk } from "../chat.ts";

/** What an amendment would cost, asked before it is made. */

type Quoted = {
  readonly verdict: string;
  readonly quote?: {
    readonly happens: string;
    readonly tokens: Readonly<Record<"before" | "after" | "rewritten" | "carried", number>>;
    readonly price: { readonly now: number; readonly perTurn: number } | null;
    readonly receiver: string;
    readonly session: string | null;
    readonly cold: boolean;
    readonly says: string;
  };
};

describe("an amendment has its price", () => {
  const folder = newFolder();
  talk(folder, ["hello", "always answer in bullet points"], ...bo);
  const change = ["amend", "--agent", "ada", ...bo, "-s", "instructions", "-o", "append", "--content", "And sing."];
  const quote = (...more: string[]) => folder.charter([...change, "--quote", "--json", ...more]).json() as Quoted;
  const revision = () =>
    (folder.charter(["history", "--agent", "ada", ...bo, "instructions", "--json"]).json() as { amendments: unknown[] })
      .amendments.length;

  test("the user's change is told after the history, and nothing is changed by asking", () => {
    const { code, stdout } = folder.charter([...change, "--quote", "--actor", "user"]);
    expect([code, stdout.split("\n")]).toEqual([
      0,
      [
        "accepted (“ada”, for “bo”)",
        "--- instructions (before)",
        "+++ instructions (after)",
        "@@ -1,1 +1,2 @@",
        " Always answer in bullet points.",
        "+And sing.",
        expect.stringMatching(
          /^Sent as a \d+-token update with the next request \(\+\d+ tokens per turn until the prompt is rebuilt\)\. Cost: \$0 /,
        ),
        "Nothing was changed. To apply the change, leave --quote out.",
        "",
      ],
    ]);
    expect(revision()).toBe(1);
  });

  test("the operator's rewrites the prefix from the section on, and going back does too, whoever does it", () => {
    const users = quote("--actor", "user");
    const operators = quote();
    expect(users.quote).toMatchObject({ happens: "update", receiver: "stand-in/scripted", cold: false });
    expect(operators.quote).toMatchObject({ happens: "fold", session: users.quote?.session, price: { now: 0 } });
    const [told, folded] = [users.quote?.tokens, operators.quote?.tokens];
    expect(told?.after).toBe(folded?.after);
    expect(folded?.rewritten).toBeGreaterThan(told?.rewritten ?? Number.POSITIVE_INFINITY);
    const back = [
      "revert",
      "--agent",
      "ada",
      ...bo,
      "instructions",
      "--to",
      "0",
      "--actor",
      "user",
      "--quote",
      "--json",
    ];
    expect((folder.charter(back).json() as Quoted).quote).toMatchObject({ happens: "fold", tokens: { after: 0 } });
  });

  test("for a model there is no session with yet, it is in the first request", () => {
    const { quote: found } = quote("--model", "anthropic/claude-sonnet-5-5", "--actor", "user");
    expect(found).toMatchObject({ happens: "baseline", session: null, receiver: "anthropic/claude-sonnet-5-5" });
    expect(found?.price?.now).toBeGreaterThan(0);
    expect(quote("--model", "ollama/qwen3").quote?.says).toContain("The price of ollama/qwen3 is not known.");
  });

  test("what everyone shares is quoted for a user's session once one is named", () => {
    const soul = ["amend", "--agent", "ada", "-s", "soul", "-o", "append", "--content", "Be kind.", "--quote"];
    expect(folder.charter(soul).stdout.split("\n").slice(-4)).toEqual([
      expect.stringMatching(/^“soul” is sent with the first request of the next session: \d+ tokens\. Cost: /),
      "Name a user with --user to have it quoted for their session.",
      "Nothing was changed. To apply the change, leave --quote out.",
      "",
    ]);
    expect((folder.charter([...soul, ...bo, "--json"]).json() as Quoted).quote?.happens).toBe("fold");
  });

  test("what is refused has no quote; what is held costs nothing until a person says yes", () => {
    const safety = ["amend", "--agent", "ada", "-s", "safety", "-o", "append", "--content", "x", "--quote", "--json"];
    const refused = folder.charter(safety);
    expect([refused.code, (refused.json() as Quoted).verdict, (refused.json() as Quoted).quote]).toEqual([
      1,
      "refused",
      undefined,
    ]);
    folder.write("tainted.json", JSON.stringify({ turn: { tainted: true } }));
    const held = folder.charter([...change, "--quote", "--json", "--actor", "agent", "--input", "tainted.json"]);
    expect([held.code, (held.json() as Quoted).quote]).toMatchObject([
      1,
      { happens: "held", tokens: { rewritten: 0 }, says: expect.stringMatching(/^Nothing is sent until/) },
    ]);
  });

  test("in a session whose cache is cold nothing is lost by it", () => {
    const database = new DatabaseSync(join(folder.path, ".charter/charter.db"));
    database.exec("update sessions set last_at = '2026-01-01T00:00:00.000Z'");
    database.close();
    const { quote: found } = quote("--actor", "user");
    expect(found).toMatchObject({ happens: "fold", cold: true });
    expect(found?.tokens.rewritten).toBe(found?.tokens.after);
    expect(folder.charter([...change, "--quote"]).stdout).toContain(
      `The cache of session ${found?.session} has expired: the whole prompt is sent again anyway.\n`,
    );
  });

  const wrong: [what: string, args: string[], message: string][] = [
    [
      "without an agent",
      ["amend", "-c", "assistant", "-s", "soul", "-o", "append", "--content", "x", "--quote"],
      "usage: --quote needs --agent.",
    ],
    ["for nothing to quote", [...change, "--model", "openai/gpt-5"], "usage: --model needs --quote."],
    ["for no model", [...change, "--quote", "--model", "gpt-5"], "unknown-model: There is no model “gpt-5”."],
  ];
  for (const [what, args, message] of wrong)
    test(`a quote ${what} is a problem`, () => {
      const { code, stdout, stderr } = folder.charter(args);
      expect([code, stdout, stderr.split("\n")[0]]).toEqual([2, "", message]);
    });
});
