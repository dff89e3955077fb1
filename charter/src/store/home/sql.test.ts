import { expect, test } from "vitest";
import { joinQueries, listOf, raw, sql } from "./sql.ts";

test("a value becomes a parameter, a query its own words", () => {
  const where = sql`where name = ${"ada"} and age > ${3}`;
  expect(sql`select * from ${raw("agents")} ${where} limit ${10}`).toEqual({
    texts: ["select * from agents where name = ", " and age > ", " limit ", ""],
    values: ["ada", 3, 10],
  });
});

test("a value never touches the text, whatever it says", () => {
  const hostile = "'; drop table agents; -- $1 ?";
  expect(sql`select ${hostile}`).toEqual({ texts: ["select ", ""], values: [hostile] });
});

test("lists", () => {
  expect(sql`x in ${listOf(["a", null])}`).toEqual({ texts: ["x in (", ", ", ")"], values: ["a", null] });
  expect(sql`x in ${listOf([])}`).toEqual({ texts: ["x in (null)"], values: [] });
  expect(joinQueries([sql`a = ${1}`, sql`b = ${2}`], " or ")).toEqual({
    texts: ["a = ", " or b = ", ""],
    values: [1, 2],
  });
});
