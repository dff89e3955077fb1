import { expect, test } from "vitest";
import { housePageNames, housePlaceOf, housePlaces, pageNames, placeIn, placeOf, placesOf, titleOf } from "./place.ts";

const names = ["ada", "a/b", "100%", "a%2Fb", "a b?c=d#e&f", "...", "<img>", "\u05D0", "+", "a;b,c:@$"];
for (const name of names)
  test(`the address of “${name}” names it, whatever it holds`, () => {
    const path = placeOf(name, "sections", name, { user: name });
    const { pathname, searchParams } = new URL(path, "http://x");
    expect(placeIn(pathname)).toEqual({ agent: name, page: "sections", one: name });
    expect(searchParams.get("user")).toBe(name);
  });

for (const name of names)
  test(`the address of a person called “${name}” names them, and no agent`, () => {
    const { pathname } = new URL(housePlaceOf("people", name), "http://x");
    expect(placeIn(pathname)).toEqual({ agent: "", page: "people", one: name });
  });

test("an address nobody of ours has written is taken as it is", () => {
  expect(placeIn("/agents/100%/prompt")).toEqual({ agent: "100%", page: "prompt", one: undefined });
  expect(placeIn("/home")).toEqual({ agent: "", page: "home", one: undefined });
  expect(placeIn("/agents")).toEqual({ agent: "", page: "", one: undefined });
  expect(placeIn("/")).toEqual({ agent: "", page: "", one: undefined });
});

test("what is not asked for is left out", () => {
  expect(placeOf("ada", "prompt", undefined, { user: undefined, tokens: 900, at: "" })).toBe(
    "/agents/ada/prompt?tokens=900",
  );
});

test("there are six places, every page but Chat is a tab of one, and Life is there for an agent with an inbox alone", () => {
  const all = placesOf({ needs: ["inbox", "notes"] });
  expect([...housePlaces, ...all].map(({ title }) => title)).toEqual([
    ...["Home", "People"],
    ...["Prompt", "Activity", "Automation", "Settings"],
  ]);
  expect(housePlaces.flatMap(({ pages }) => pages)).toEqual(housePageNames);
  expect(all.flatMap(({ pages }) => pages)).toEqual(pageNames.filter((page) => page !== "chat"));
  const others = pageNames.filter((page) => page !== "life" && page !== "chat");
  for (const agent of [{ needs: ["files"] }, {}, undefined])
    expect(placesOf(agent).flatMap(({ pages }) => pages)).toEqual(others);
});

test("a tab is called after its page and its agent", () => {
  expect(titleOf("Turns", "ada")).toBe("Turns · ada · Charter");
  expect(titleOf("Agents", "")).toBe("Agents · Charter");
});
