import { expect, test } from "vitest";
import { commandName, databaseOption, withCommandName } from "./command-name.ts";

test.for([
  ["on the PATH", {}, "/usr/local/bin/charter", "charter"],
  ["from a file", {}, "/home/bo/charter/bin/charter.js", "charter"],
  [
    "npm start in a checkout",
    { npm_command: "run-script", npm_lifecycle_event: "start" },
    "charter/bin/charter.js",
    "npx charter",
  ],
  ["npx charter", { npm_command: "exec" }, "/home/bo/app/node_modules/.bin/charter", "npx charter"],
  ["the installed package", {}, "/home/bo/app/node_modules/.bin/charter", "npx charter"],
  ["the installed package, on Windows", {}, "C:\\app\\node_modules\\.bin\\charter", "npx charter"],
] as const)("started %s", ([, env, script, name]) => expect(commandName({ env, script })).toBe(name));

test("commands are named as they are typed; prose, paths and what is so already stay", () => {
  const told = (text: string) => withCommandName(text, "npx charter");
  expect(told("See them with `charter agents`. Say charter trust, or charter --help.")).toBe(
    "See them with `npx charter agents`. Say npx charter trust, or npx charter --help.",
  );
  for (const same of [
    "The charter assistant does not read it.",
    "npx charter agents",
    "its charter shows it",
    "@x/charter show",
  ])
    expect(told(same)).toBe(same);
  expect(withCommandName("charter agents", "charter")).toBe("charter agents");
});

test("a command names the database where it is not the usual one; what may be secret is left out", () => {
  const option = (place: string, alone = true) => databaseOption(place, { usual: ".charter/charter.db", alone });
  expect([
    option(".charter/charter.db"),
    option("my.db"),
    option("/home/bo/it's mine.db"),
    option("my.db", false),
    option("postgres://bo:secret@db.example/charter"),
    option("db.example:5432/charter.db"),
  ]).toEqual([
    "",
    "--database my.db",
    "--database '/home/bo/it'\\''s mine.db'",
    "--database …",
    "--database …",
    "--database …",
  ]);
});
