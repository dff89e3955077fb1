import { join } from "node:path/posix";
import { expect, test } from "vitest";
import { asOlderTypeScript, reachable } from "../../../scripts/declaration-graph.ts";

test("what declarations reach: files by relative paths, and packages, but not what stands in an example", () => {
  const files: Readonly<Record<string, string>> = {
    "a/index.d.ts": 'export { b } from "../b.js";\nexport type * from "./c.js";',
    "b.d.ts": '/** import { x } from "example"; */\nexport declare const b: import("zod").ZodType;',
    "a/c.d.ts":
      '/// <reference types="node" />\nimport type { Stats } from "node:fs";\nexport type C = import("./d.js").D;',
    "a/d.d.ts": "export type D = 1;",
    "e.d.ts": 'import "never";',
  };
  const read = (file: string) => files[file] as string;
  const found = reachable(["a/index.d.ts"], read, (from, to) => join(from, "..", to));
  expect(found).toEqual({
    files: new Set(["a/index.d.ts", "b.d.ts", "a/c.d.ts", "a/d.d.ts"]),
    packages: new Map([
      ["zod", "b.d.ts"],
      ["node", "a/c.d.ts"],
      ["node:fs", "a/c.d.ts"],
    ]),
  });
});

test("a specifier that ends in .ts is written as every TypeScript reads it; those of packages stay", () => {
  expect(
    asOlderTypeScript(
      'import { a } from "./a.ts";\nexport * from "../b/index.ts";\nexport type C = import("./c.ts").C;\nimport "pkg/d.ts";',
    ),
  ).toBe(
    'import { a } from "./a.js";\nexport * from "../b/index.js";\nexport type C = import("./c.js").C;\nimport "pkg/d.ts";',
  );
});
