import { expect, test } from "vitest";
import { flag, list, object, oneOf, record, text, whole } from "../../operations/field.ts";
import { operation } from "../../operations/operation.ts";
import { Problem } from "../../prompt/problem.ts";
import { parseCommand } from "./parse-command.ts";

const answer = object({});
const usual = { says: "Do it", who: "operator", answer } as const;
const agent = text("The agent's name.").option("name", "a");
const things = [
  operation({
    ...usual,
    name: "things.list",
    command: "things [list]",
    input: { limit: whole().usual(50), all: flag().optional() },
  }),
  operation({ ...usual, name: "things.show", command: "things <id>", input: { id: text("The id of a thing.") } }),
  operation({
    ...{ ...usual, name: "things.add", command: "things add <words...>" },
    input: {
      ...{ words: text("The words of a thing."), agent, maxTries: whole().optional() },
      ...{
        kind: oneOf(["one", "other"]).optional(),
        tag: list(text()).optional(),
        settings: record(text()).optional(),
      },
      ...{ content: text().orFile().optional(), dryRun: flag().only("route").optional() },
    },
  }),
  operation({
    ...{ ...usual, name: "things.run", command: "things run -- <program...>", usualOptions: { database: false } },
    input: { program: list(text(), "The program, after “--”."), trust: flag().orNot().optional() },
  }),
  operation({
    ...{ ...usual, name: "things.give", command: "things give <agent?> <id>" },
    input: { agent: agent.orOnlyOne(), id: text("The id of a thing."), user: text().optional().orOnlyOne().orNot() },
  }),
];
const parse = (...args: string[]) => {
  const {
    operation: { name },
    input,
    denied,
    database,
    json,
  } = parseCommand("things", things, { args, readFile: (path) => `words of ${path}` });
  return {
    name,
    input,
    ...(denied.length > 0 && { denied }),
    ...(database === undefined ? {} : { database }),
    ...(json ? { json } : {}),
  };
};
const refused = (...args: string[]) => {
  try {
    return parse(...args);
  } catch (error) {
    return error instanceof Problem ? `${error.message} ${error.hint}` : error;
  }
};

test("the words that were typed say which operation is meant", () => {
  expect(parse()).toEqual({ name: "things.list", input: { limit: 50 } });
  expect(parse("list", "--limit", "7", "--all", "--json")).toEqual({
    name: "things.list",
    input: { limit: 7, all: true },
    json: true,
  });
  expect(parse("t1", "-d", "my.db")).toEqual({ name: "things.show", input: { id: "t1" }, database: "my.db" });
  expect(parse("add", "some", "words", "-a", "ada", "--max-tries", "2", "--tag", "x", "--tag", "y")).toEqual({
    name: "things.add",
    input: { words: "some words", agent: "ada", maxTries: 2, tag: ["x", "y"] },
  });
});

test("a verb wins over a name, a text may come from a file, and what is no word is JSON", () => {
  expect(parse("add", "list", "--agent", "add", "--content-file", "a.md", "--settings", '{"a":"b"}')).toEqual({
    name: "things.add",
    input: { words: "list", agent: "add", content: "words of a.md", settings: { a: "b" } },
  });
});

test("what there may be only one of is left out, and the word that is needed is the last", () => {
  expect(parse("give", "t1")).toEqual({ name: "things.give", input: { id: "t1" } });
  expect(parse("give", "ada", "t1", "--user", "bo")).toEqual({
    ...{ name: "things.give", input: { agent: "ada", id: "t1", user: "bo" } },
  });
  expect(parse("give", "t1", "--no-user")).toEqual({ name: "things.give", input: { id: "t1" }, denied: ["user"] });
  expect(refused("give")).toBe("charter things give needs the id of a thing. See charter things give --help.");
  expect(refused("give", "t1", "--user", "bo", "--no-user")).toBe(
    "Both --user and --no-user were given. Give one of them.",
  );
});

test("what stands behind “--” is taken as it is, and a flag may be denied", () => {
  expect(parse("run", "--no-trust", "--", "node", "--json", "-d", "x")).toEqual({
    name: "things.run",
    input: { program: ["node", "--json", "-d", "x"], trust: false },
  });
  expect(refused("run", "node", "--", "x")).toBe("“node” has to come after “--”. See charter things run --help.");
  expect(refused("run", "--trust")).toBe(
    "charter things run needs the program, after “--”. See charter things run --help.",
  );
  expect(refused("run", "--no-trust", "--trust", "--", "x")).toBe(
    "Both --no-trust and --trust were given. Give one of them.",
  );
  expect(refused("run", "-d", "x", "--", "x")).toBe(
    "charter things run has no option --database. See charter things run --help.",
  );
});

test("a command that is more than one word says which are left", () => {
  const only = things.filter(({ name }) => name === "things.run");
  const typed =
    (...args: string[]) =>
    () =>
      parseCommand("things", only, { args, readFile: String });
  expect(typed()).toThrow("charter things needs one more word.");
  expect(typed("walk")).toThrow("charter things does not understand “walk”.");
});

test("what is not understood is refused by name, with the page that explains it", () => {
  expect(refused("add", "--agent", "ada")).toBe(
    "charter things add needs the words of a thing. See charter things add --help.",
  );
  expect(refused("add", "x")).toBe("charter things add needs --agent. See charter things add --help.");
  expect(refused("t1", "t2")).toBe("charter things does not understand “t2”. See charter things --help.");
  expect(refused("t1", "--all")).toBe("charter things has no option --all. See charter things --help.");
  expect(refused("add", "x", "-a", "ada", "--kind", "third")).toBe(
    "--kind must be “one” or “other”, and is “third”. See charter things add --help.",
  );
  expect(refused("--limit", "x")).toBe("--limit must be a whole number, and is “x”. See charter things --help.");
  expect(refused("add", "x", "-a", "ada", "--settings", "{")).toBe(
    `--settings is no JSON. Give one JSON value, as in '{"name": "value"}'.`,
  );
  expect(refused("add", "x", "-a", "ada", "--content", "a", "--content-file", "b")).toBe(
    "Both --content and --content-file were given. Give one of them.",
  );
  expect(refused("add", "x", "-a", "ada", "--dry-run")).toBe("Unknown option '--dry-run'. See charter things --help.");
  expect(refused("--limti", "3")).toBe("Unknown option '--limti'. Did you mean --limit? See charter things --help.");
});
