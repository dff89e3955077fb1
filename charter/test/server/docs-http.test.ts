import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { statusOf } from "../../src/server/http/error.ts";
import { inboxTypedData } from "../../src/server/signed-message.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/http.md"), "utf8");

describe("docs/http.md", () => {
  test("shows the typed data that a wallet signs", () => {
    const shown = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(page)?.[1] as string);
    expect(shown).toEqual(inboxTypedData(shown.message));
  });

  test("names every status that a problem is answered with", () => {
    const shown = [...page.matchAll(/^\| ([\d, ]+) \| /gm)].flatMap(([, statuses]) => (statuses as string).split(", "));
    const problems = readFileSync(join(import.meta.dirname, "../../../docs/problems.md"), "utf8");
    const listed = [...problems.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code as string);
    // Said of a request before anyone looks what it asks for.
    const codes = [...listed, "method-not-allowed", "too-slow", "headers-too-large"];
    const answered = codes.map((code) => String(statusOf(code)));
    expect(shown.toSorted()).toEqual([...new Set(answered)].toSorted());
  });

  test("calls what is wrong with a request as its example does", () => {
    const error = JSON.parse(/^\{"error":\{"code":"bad-request".*$/m.exec(page)?.[0] as string).error;
    const [, named] = /names every place \(`(\w+)`\)/.exec(page) as RegExpExecArray;
    expect(Object.keys(error)).toEqual(["code", "message", "hint", named]);
  });

  test("sets every variable that its examples use", () => {
    const set = [...page.matchAll(/^export ([A-Z]+)=/gm)].map(([, name]) => name);
    const used = [...page.matchAll(/\$([A-Z]+)\b/g)].map(([, name]) => name);
    expect([...new Set(used)].toSorted()).toEqual(set.toSorted());
  });
});
