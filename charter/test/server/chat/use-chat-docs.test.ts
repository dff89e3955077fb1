import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { maxInputChars } from "../../../src/operations/turns/turn-fields.ts";

const root = resolve(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/chat-clients.md"), "utf8");

test("docs/chat-clients.md names every piece that is sent, and the limits as they are", () => {
  const sources = ["ui-stream.ts"].map((name) => readFileSync(join(root, "charter/src/server/turns", name), "utf8"));
  const sent = new Set([...sources.join("\n").matchAll(/type: "([a-z]+(?:-[a-z]+)+)"/g)].map(([, type]) => type));
  sent.delete("message-metadata");
  expect([...sent].filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
  expect(page).toContain(`1 to ${maxInputChars.toLocaleString("en")} characters`);
});
