import { expect, test } from "vitest";
import { importedNames, importsOf, withoutTypes } from "./module-load.ts";

const rows: [what: string, source: string, expected: string][] = [
  [
    "a name that is only a type goes, the others stay",
    `import { A, b, c as d } from "x";\nb(d);`,
    `import { b, c as d } from "x";\nb(d);`,
  ],
  ["an import of types alone goes, its lines stay", `import {\n  A,\n  B,\n} from "x";\nrun();`, `\n\n\n;\nrun();`],
  ["a default that is only a type", `import A, { b } from 'x';\nb();`, `import { b } from "x";\nb();`],
  ["a default that is used", `import a, { B } from 'x';\na();`, `import { default as a } from "x";\na();`],
  ["everything, unused", `import * as all from "x";\nrun();`, `;\nrun();`],
  ["a default and everything", `import a, * as all from "x";\nall.run();`, `import * as all from "x";\nall.run();`],
  [
    "spread is a use, a field is none",
    `import { A, b } from "x";\nrun(...b, c.A);`,
    `import { b } from "x";\nrun(...b, c.A);`,
  ],
  ["comments are no use", `import { A } from "x"; // A\n/* A */ run();`, `; // A\n/* A */ run();`],
  ["what only does something stays", `import "x";\nimport { A } from "y";\nrun();`, `import "x";\n;\nrun();`],
  ["comments within it", `import { a, // A\n  B } from "x";\na();`, `import { a } from "x"\n;\na();`],
  [
    "what looks like one further down may be text",
    'const a = 1;\nconst text = `\nimport { A } from "x";\n`;',
    'const a = 1;\nconst text = `\nimport { A } from "x";\n`;',
  ],
  ["used ones are left to the letter", `import { a  ,  b } from 'x'\na(b)`, `import { a  ,  b } from 'x'\na(b)`],
];
for (const [what, source, expected] of rows) test(what, () => expect(withoutTypes(source)).toBe(expected));

test("where each of them stands, and what it takes", () => {
  const source = `#!/usr/bin/env node\nimport a, { b as c } from "x"; import * as d from 'y';\nexport { e } from "z";\nexport * from "w";`;
  expect(
    importsOf(source).map(({ start, end, ...rest }) => ({ ...rest, text: source.slice(start, end).trim() })),
  ).toEqual([
    {
      kind: "import",
      from: "x",
      names: [
        { name: "default", local: "a" },
        { name: "b", local: "c" },
      ],
      text: `import a, { b as c } from "x"`,
    },
    { kind: "import", from: "y", names: [], everything: "d", text: `import * as d from 'y'` },
    { kind: "export", from: "z", names: [{ name: "e", local: "e" }], text: `export { e } from "z"` },
    { kind: "export", from: "w", names: [], text: `export * from "w"` },
  ]);
});

test("the names a source takes of one module", () => {
  const source = `import a, { b as c } from "x";\nimport * as d from "x";\nimport { no } from "y";\nd.e(d.f, other.d.g);`;
  expect(importedNames(source, "x")).toEqual({ names: new Set(["default", "b", "e", "f"]), everything: true });
  expect(importedNames(source, "y")).toEqual({ names: new Set(["no"]), everything: false });
  expect(importedNames(`export * from "x";`, "x")).toEqual({ names: new Set(), everything: true });
  expect(importedNames(`const x = await import("x");`, "x")).toEqual({ names: new Set(), everything: false });
});
