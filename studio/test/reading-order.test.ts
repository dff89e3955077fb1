import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

test("no page says that it is in the order the model reads it: the document shows it", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const claims = files.filter((file) =>
    /order (?:in which )?the model reads/.test(readFileSync(join(source, file), "utf8")),
  );
  expect(claims.sort()).toEqual([]);
});
