import { expect, test } from "vitest";
import { pageNames, pagesOf, placeIn, placeOf, titleOf } from "./place.ts";

const names = ["ada", "a/b", "100%", "a%2Fb", "a b?c=d#e&f", "...", "<img>", "\u05D0", "+", "a;b,c:@$"];
for (const name of names)
  test(`the address of “${name}” names it, whatever it holds`, () => {
    const path = placeOf(name, "sections", name, { user: name });
    const { pathname, searchParams } = new URL(path, "http://x");
    expect(placeIn(pathname)).toEqual({ agent: name, page: "sections", one: name });
    expect(searchParams.get("user")).toBe(name);
  });

test("an address nobody of ours has written is taken as it is", () => {
  expect(placeIn("/agents/100%/prompt")).toEqual({ agent: "100%", page: "prompt", one: undefined });
  expect(placeIn("/agents")).toEqual({ agent: "", page: "", one: undefined });
  expect(placeIn("/")).toEqual({ agent: "", page: "", one: undefined });
});

test("what is not asked for is left out", () => {
  expect(placeOf("ada", "prompt", undefined, { user: undefined, tokens: 900, at: "" })).toBe(
    "/agents/ada/prompt?tokens=900",
  );
});

test("the page Life is there for an agent that has an inbox, and for no other", () => {
  expect(pagesOf({ needs: ["inbox", "notes"] })).toEqual(pageNames);
  const others = pageNames.filter((page) => page !== "life");
  for (const agent of [{ needs: ["files"] }, {}, undefined]) expect(pagesOf(agent)).toEqual(others);
});

test("a tab is called after its page and its agent", () => {
  expect(titleOf("Turns", "ada")).toBe("Turns · ada · Charter");
  expect(titleOf("Agents", "")).toBe("Agents · Charter");
});
