import { describe, expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import { csvLine, readCsv, readPeople } from "./invite.ts";

const about = { file: "people.csv", agents: ["ada", "eve"], agent: "ada" };

const problemOf = (text: string, with_: Partial<typeof about> = {}) => {
  try {
    return readPeople(text, { ...about, ...with_ });
  } catch (error) {
    return (error as Problem).message;
  }
};

describe("comma-separated values", () => {
  test("cells may be quoted, and a row knows its line", () => {
    expect(readCsv('user,email\r\nbo, bo@x.org \r\n\r\n"a, ""b""\nc",\n"d" ,e')).toEqual([
      { line: 1, cells: ["user", "email"] },
      { line: 2, cells: ["bo", "bo@x.org"] },
      { line: 4, cells: ['a, "b"\nc', ""] },
      { line: 6, cells: ["d", "e"] },
    ]);
  });

  test("a spreadsheet's mark at the front, semicolons and tabs are read as well; an open quote is not", () => {
    expect(readCsv("\uFEFFuser;email\nbo;b")).toEqual([
      { line: 1, cells: ["user", "email"] },
      { line: 2, cells: ["bo", "b"] },
    ]);
    expect(readCsv("user\temail\nbo\tb")?.[1]).toEqual({ line: 2, cells: ["bo", "b"] });
    expect(readCsv('user\n"bo')).toBeUndefined();
    expect(readCsv("")).toEqual([]);
  });

  test.each([["plain"], ['with "quotes", and\nlines'], [""], ["ünal;x"]])("%j is written as it is read", (cell) => {
    expect(readCsv(`a,b\n${csvLine([cell, "x"])}`)?.[1]?.cells).toEqual([cell, "x"]);
  });

  test.each(["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "|x", "%0A", "＝1"])(
    "%j is words to a spreadsheet, and no formula",
    (cell) => {
      expect(csvLine([cell, "a=b"])).toBe(`"'${cell}",a=b`);
    },
  );
});

describe("a file of people", () => {
  test("gives everyone, with what is said of them", () => {
    expect(readPeople("User,email,agent,zone\nbo,bo@x.org,,\ncy,,eve,Europe/Berlin\n", about)).toEqual([
      { user: "bo", agent: "ada", email: "bo@x.org" },
      { user: "cy", agent: "eve", zone: "Europe/Berlin" },
    ]);
  });

  test("each line that cannot be is named", () => {
    const rows = ["bo,", ",", " ,x", "counterpart:shop,", "cy,Mars/Base", "bo,", "di,,,,"].join("\n");
    expect(problemOf(`user,zone\n${rows}\n`)).toBe(
      'people.csv: Line 4: "" cannot be the name of a user. Line 5: "counterpart:shop" cannot be the name of a user. ' +
        "Line 6: “Mars/Base” is no time zone. Line 7 has “bo” again, after line 2. " +
        "Line 8 has more cells than there are columns. Nobody was invited.",
    );
  });

  test("an agent that is not there, or not named, is a line's fault", () => {
    expect(problemOf("user,agent\nbo,nobody\n")).toBe(
      "people.csv: Line 2: there is no agent “nobody”. Nobody was invited.",
    );
    expect(problemOf("user\nbo\n", { agent: undefined as never })).toBe(
      "people.csv: Line 2 names no agent, and there are “ada”, “eve”. Nobody was invited.",
    );
  });

  test.each([
    ["", "people.csv has no first line that names its columns, with “user” among them. Nobody was invited."],
    ["bo\ncy\n", "people.csv has a column “bo”. Nobody was invited."],
    ["user,phone\nbo,1\n", "people.csv has a column “phone”. Nobody was invited."],
    [
      "user,user\nbo,1\n",
      "people.csv has no first line that names its columns, with “user” among them. Nobody was invited.",
    ],
    ["user\n", "people.csv names nobody. Nobody was invited."],
  ])("%j is none", (text, message) => {
    expect(problemOf(text)).toBe(message);
  });
});
