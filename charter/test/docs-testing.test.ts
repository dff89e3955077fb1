import { join } from "node:path";
import { expect, test } from "vitest";
import { assemble, fromText, present } from "../src/index.ts";
import { expectPrompt, expectRequest } from "../src/testing/index.ts";
import { inFolder, page } from "./docs-testing.ts";

test("the message in docs/testing.md is the one that is thrown", async () => {
  const { librarian } = await inFolder((folder) => import(join(folder, "librarian.ts")));
  const prompt = assemble(librarian, {
    goals: fromText("Find good books."),
    loans: present([{ text: "- Emma" }]),
    inbox: fromText("Hello!"),
  });
  const message = /^```text\nExpectationFailed: ([\s\S]*?)\n```$/m.exec(page)?.[1] as string;
  expect(() => expectPrompt(prompt).has("Find great books.")).toThrow(expect.objectContaining({ message }));
});

test("every method has its place in docs/testing.md", () => {
  const rows = [...page.matchAll(/^\| `(\w+)\([^|]*\)` \| /gm)].map(([, name]) => name);
  const methods = Object.keys(
    expectPrompt(
      assemble(
        { name: "one", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] },
        {},
      ),
    ),
  );
  expect(rows.filter((name) => methods.includes(name as string))).toEqual(methods);
  for (const method of Object.keys(expectRequest({ tools: [], system: [], messages: [] })))
    expect(page.split("`expectRequest(request)`")[1]).toContain(`\`${method}`);
});
