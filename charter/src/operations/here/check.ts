import { flag, list, number, object, oneOf, text, type ValuesOf, whole } from "../field.ts";
import { operation } from "../operation.ts";

const diagnostic = object({
  severity: oneOf(["error", "warning", "note"]),
  code: text("As in docs/check.md."),
  charter: text().optional(),
  section: text().optional(),
  file: text().optional(),
  line: whole().optional(),
  message: text(),
  hint: text("What to do."),
});

const section = object({
  name: text(),
  tokens: whole("In the average case.").nullable(),
  before: whole("At the base; null: not in its prompts.").nullable().optional(),
});

const check = operation({
  name: "here.check",
  says: "Check the project's charters, as a reviewer would",
  about:
    "Looks for what is probably not meant, runs the cases, compares the fixed text with charter.lock, and with --base the words, tools, tokens and price with those of another commit. What each finding means is in docs/check.md.",
  command: "check <path...?>",
  examples: [
    ["charter check", "the charters of charter.lock, with the cases in cases/"],
    ["charter check --charter ./agent.ts cases/greeting.yaml", "one charter, one case"],
    ["charter check --base main --markdown", "what a pull request changes, as a comment for its reviewer"],
    ["charter check --update", "write the golden texts anew, to be read in git diff"],
  ],
  notes:
    "Exit code 0: nothing, or only warnings. 1: errors. 2: something could not be checked, such as a case that cannot be read.",
  usualOptions: { database: false },
  who: "operator",
  input: {
    path: list(text(), "Cases: files, or directories of them (default: cases, if there is one).").optional(),
    charter: list(
      text(),
      "A charter to check: its file, its folder, or its name in charter.config.ts (default: those of charter.lock).",
    )
      .option("name|file", "c")
      .optional(),
    base: text("Compare with this commit, where the branch left it.").option("commit", "b").optional(),
    maxIncrease: number("How much more a prompt may cost than at the base, in percent.", { least: 0 })
      .usual(10)
      .option("percent"),
    model: text("The model to count tokens and prices for (default: the usual one).")
      .option("provider/model", "m")
      .optional(),
    otherUser: flag(
      "Make each turn for another user, channel and zone as well, to find what differs by them (default).",
    )
      .orNot()
      .optional(),
    update: flag("Write the golden texts anew.").optional(),
    markdown: flag("Print Markdown, for a pull request.").optional(),
    lock: text("The lock file (default: charter.lock).").option("file").optional(),
    timeLimit: whole("How long all sources together are waited for, in seconds.", { least: 0 }).usual(60).option("s"),
  },
  answer: object({
    fine: flag("Whether there are no errors."),
    unchecked: whole("How many things could not be checked."),
    cases: whole(),
    base: object({ name: text(), commit: text() }).nullable(),
    model: object({
      name: text("Null: none is named, and the usual one has no price.").nullable(),
      tokenizer: text(),
      exact: flag(),
      inputPrice: number("Dollars per million tokens.").nullable(),
    }),
    charters: list(
      object({
        charter: text(),
        file: text().nullable(),
        cases: whole(),
        tokens: whole("Of a prompt, in the average case."),
        before: whole("At the base.").optional(),
        sections: list(section),
        words: list(object({ section: text(), what: oneOf(["changed", "added", "removed"]), diff: text() })),
      }),
    ),
    diagnostics: list(diagnostic),
    updated: list(text(), "Golden texts that were written."),
  }),
});

export type CheckInput = ValuesOf<typeof check.input>;
export type CheckAnswer = (typeof check.answer)["holds"];

export const operations = [check];
