import { expect, test } from "vitest";
import { flag, list, object, oneOf, text, whole } from "../../operations/field.ts";
import { operation } from "../../operations/operation.ts";
import { commandHelp } from "./command-help.ts";

const usual = { who: "operator", answer: object({}) } as const;
const listing = operation({
  ...{ ...usual, name: "things.list", says: "List things", command: "things [list]", about: "The newest first." },
  examples: [["charter things", "all of them"], "charter things --kind one"],
  notes: "As a table:\n  one    two\nExit code 1: there is none.",
  input: {
    kind: oneOf(["one", "other"], "Only these.").optional(),
    limit: whole("How many.").usual(50).option("n", "l"),
    trust: flag("Trust them, or not.").orNot().optional(),
    tag: list(text(), "Only with this tag.").option("word").optional(),
  },
});
const run = operation({
  ...{ ...usual, name: "things.run", says: "Run a thing", command: "things run -- <program...>", hasOwnPage: true },
  usualOptions: { database: false, json: "print what came of it" },
  input: { program: list(text()) },
});

test("a page has examples, what it is about, options and notes; what has a page of its own is named", () => {
  expect(commandHelp("things", "list and run things", [listing, run])).toBe(`charter things: list and run things

  charter things                      all of them
  charter things --kind one
  charter things run -- <program…>    run a thing: charter things run --help

The newest first.

      --kind one|other       only these
  -l, --limit <n>            how many (default: 50)
      --trust, --no-trust    trust them, or not
      --tag <word>           only with this tag; may be repeated
  -d, --database <file|url>  a SQLite file or postgres://… (default: CHARTER_DATABASE, else .charter/charter.db)
      --json                 print one JSON document

As a table:
  one    two
Exit code 1: there is none.`);
  expect(commandHelp("things run", run.says, [run])).toBe(`charter things run: run a thing

  charter things run -- <program…>

      --json                 print what came of it`);
});
