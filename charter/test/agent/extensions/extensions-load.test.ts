import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

/** What an extension says of itself, by the one tool it registers. */
async function said(
  files: Readonly<Record<string, string>>,
  entry = Object.keys(files)[0] as string,
): Promise<unknown> {
  stage.write(files);
  const { loaded } = await stage.load([entry]);
  expect(stage.faults()).toEqual([]);
  expect(loaded).toHaveLength(1);
  return (globalThis as unknown as { said: unknown }).said;
}

describe("a file is loaded", () => {
  const forms: [what: string, files: Record<string, string>, expected: unknown][] = [
    [
      "TypeScript, types marked or not",
      {
        "x.ts": `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { ExtensionContext, type ToolInfo } from "@mariozechner/pi-coding-agent";
import { Type, Static, /* both are types */ TSchema } from "@sinclair/typebox";
import { Shape, shape } from "./shape";
const schema = Type.Object({ a: Type.Optional(Type.String()) });
type Given = Static<typeof schema>;
export default function (pi: ExtensionAPI): void {
  const look = (one: Given, ctx?: ExtensionContext, tool?: ToolInfo, other?: TSchema): Shape => shape satisfies Shape;
  (globalThis as any).said = [JSON.stringify(schema), look({})];
}`,
        "shape.ts": `export interface Shape { round: boolean }\nexport const shape: Shape = { round: true };`,
      },
      ['{"type":"object","properties":{"a":{"type":"string"}}}', { round: true }],
    ],
    [
      "TypeScript that is more than types",
      {
        "x.ts": `enum Colour { Red = 1, Green }
namespace Deep { export const well = "well"; }
class Point { constructor(private readonly x: number, public y = 2) {} sum() { return this.x + this.y; } }
export default () => { globalThis.said = [Colour.Green, Colour[1], Deep.well, new Point(1).sum()]; };`,
      },
      [2, "Red", "well", 3],
    ],
    [
      "helpers by any name",
      {
        "x.mts": `import one from "./one"; import two from "./two.js"; import three from "./three"; import four from "./four.mjs";
import data from "./data.json"; import same from "./data.json" with { type: "json" }; import { five } from "./five.cjs";
const six = await import("./six.js");
export default () => { globalThis.said = [one, two, three, four, data.n + same.n, five, six.default]; };`,
        "one.ts": `export default 1 as number;`,
        "two.ts": `import up from "./deep/up.js"; export default up;`,
        "deep/up.ts": `import two from "../two-of.ts"; export default two;`,
        "two-of.ts": `export default 2;`,
        "three/index.ts": `export default 3;`,
        "four.mts": `export default 4;`,
        "five.cjs": `exports.five = require("./five-of").five;`,
        "five-of.js": `const { five } = require("./data.json"); module.exports = { five };`,
        "six.js": `export default 6;`,
        "data.json": `{ "n": 10, "five": 5 }`,
      },
      [1, 2, 3, 4, 20, 5, 6],
    ],
    ["JavaScript", { "x.js": `export default () => { globalThis.said = "js"; };` }, "js"],
    [
      "JavaScript, a function of its own",
      { "x.mjs": `export default async function () { globalThis.said = "mjs"; }` },
      "mjs",
    ],
    [
      "CommonJS",
      {
        "x.cjs": `const { Type } = require("@sinclair/typebox"); const path = require("node:path"); const { loud } = require("./loud");
module.exports = () => { globalThis.said = [typeof Type.Object, path.basename(__filename), loud]; };`,
        "loud.js": `exports.loud = "LOUD";`,
      },
      ["function", "x.cjs", "LOUD"],
    ],
    [
      "CommonJS, compiled",
      { "x.js": `exports.__esModule = true; exports.default = () => { globalThis.said = "compiled"; };` },
      "compiled",
    ],
    [
      "a module that uses what only CommonJS has",
      {
        "dir/x.ts": `import { basename } from "path";
export default () => { globalThis.said = [basename(__dirname), basename(__filename), require("node:path").sep, require("./y").y]; };`,
        "dir/y.cjs": `exports.y = 7;`,
      },
      ["dir", "x.ts", "/", 7],
    ],
    [
      "a module on one line, that requires too",
      { "x.js": `var a=require("node:path").sep;function b(){globalThis.said=a}export{b as default};` },
      "/",
    ],
    [
      "CommonJS that only speaks of exports",
      { "x.js": `/*\nexport default nothing;\n*/\nmodule.exports = () => { globalThis.said = "not"; };` },
      "not",
    ],
    [
      "a module with such names of its own",
      {
        "x.ts": `import { __dirname } from "./own"; const { n } = { n: 1 }, __filename = "own", { require } = { require: n };
export default () => { globalThis.said = [__dirname, __filename, require]; };`,
        "own.ts": `export const __dirname = "own too";`,
      },
      ["own too", "own", 1],
    ],
    [
      "a directory, by its index",
      { "dir/index.ts": `export default () => { globalThis.said = import.meta.dirname.endsWith("dir"); };` },
      true,
    ],
  ];
  for (const [what, files, expected] of forms)
    test(what, async () =>
      expect(await said(files, what.startsWith("a directory") ? "dir" : undefined)).toEqual(expected),
    );

  test("with what it imports, anew each time: what runs is what the files say now, whatever their kind", async () => {
    const files = (word: string) => ({
      "x.ts": `import ts from "./one"; import js from "./two.js"; import mjs from "./three.mjs"; import cjs from "./four.cjs";
import json from "./five.json"; const late = await import("./six.mjs");
export default () => { globalThis.said = ["${word}", ts, js, mjs, cjs, json.word, late.default]; };`,
      "one.ts": `export default "${word}" as string;`,
      "two.js": `export default "${word}";`,
      "three.mjs": `export { default } from "./deeper/three.mjs";`,
      "deeper/three.mjs": `export default "${word}";`,
      "four.cjs": `module.exports = [require("./deeper/four.cjs"), require("./five.json").word, require("./seven.mjs").default].join();`,
      "deeper/four.cjs": `module.exports = "${word}";`,
      "five.json": `{ "word": "${word}" }`,
      "six.mjs": `export default "${word}";`,
      "seven.mjs": `import { eight } from "./deeper/eight.mjs"; export default eight;`,
      "deeper/eight.mjs": `export const eight = import.meta.dirname.endsWith("deeper") && "${word}";`,
    });
    expect(await said(files("old"))).toEqual(["old", "old", "old", "old", "old,old,old", "old", "old"]);
    expect(await said(files("new"))).toEqual(["new", "new", "new", "new", "new,new,new", "new", "new"]);
  });
});

describe("a file that cannot be loaded is reported, and the others are", () => {
  const bad: [what: string, source: string, fault: string][] = [
    ["throws", `\nthrow new Error("Not today.");`, "load-failed: cannot be loaded: Not today (line 2)."],
    [
      "has a factory that throws",
      `export default () => {\n  throw new Error("Oh.");\n};`,
      "load-failed: threw while it was loaded: Oh (line 2).",
    ],
    [
      "has a factory that rejects",
      `export default async () => { throw "a word"; };`,
      "load-failed: threw while it was loaded: a word.",
    ],
    [
      "has a factory that never ends",
      `export default () => new Promise(() => {});`,
      "load-time: was not loaded within 0.3 s.",
    ],
    [
      "waits for ever",
      `await new Promise(() => {}); export default () => {};`,
      "load-time: was not loaded within 0.3 s.",
    ],
    [
      "exports nothing",
      `export const x = 1;`,
      "no-default: has no function as its default export: export default (api) => { … }.",
    ],
    [
      "exports no function",
      `export default { x: 1 };`,
      "no-default: has no function as its default export: export default (api) => { … }.",
    ],
    [
      "is no TypeScript",
      `export default () => {\n  const x = = 1;\n};`,
      "load-failed: cannot be loaded: Expression expected (line 2).",
    ],
    [
      "imports what is not there",
      `import x from "./nowhere.ts"; export default () => x;`,
      "load-failed: cannot be loaded: Cannot find module",
    ],
    [
      "imports a name that is not there",
      `import { nothing } from "./good.ts"; export default () => nothing;`,
      "load-failed: cannot be loaded: The requested module './good.ts' does not provide an export named 'nothing'",
    ],
    [
      "imports an unknown package",
      `import x from "no-such-package"; export default () => x;`,
      "load-failed: cannot be loaded: it needs the package “no-such-package”, which is not installed: npm install no-such-package.",
    ],
  ];
  for (const [what, source, fault] of bad)
    test(`one that ${what}`, async () => {
      stage.write({
        "bad.ts": source,
        "good.ts": `export default (pi) => pi.registerTool({ name: "good", description: "Good.", parameters: { type: "object" }, execute: async () => ({ content: [] }) });`,
      });
      const extensions = await stage.load(["bad.ts", "good.ts"], { loadSeconds: 0.3 });
      expect(extensions.loaded).toEqual([{ path: `${stage.folder}/good.ts`, tools: ["good"], events: [] }]);
      expect(stage.faults()).toHaveLength(1);
      expect(stage.faults()[0]?.slice(0, `bad.ts: ${fault}`.length)).toBe(`bad.ts: ${fault}`);
      expect(stage.faults()[0]).not.toContain("?charter-extension");
    });

  test("one that imports such a file: that is named, and one with an odd name has its line all the same", async () => {
    stage.write({
      "x.ts": `import "./broken";`,
      "y.ts": `import "./throws";`,
      "broken.ts": `\nconst x = = 1;`,
      "throws.ts": `\n\nthrow new Error("Oh.");`,
      "50% o#dd?.ts": `\nthrow new Error("Oh.");`,
    });
    await stage.load(["x.ts", "y.ts", "50% o#dd?.ts"]);
    expect(stage.faults()).toEqual([
      "x.ts: load-failed: cannot be loaded: Expression expected (broken.ts, line 2).",
      "y.ts: load-failed: cannot be loaded: Oh (throws.ts, line 3).",
      "50% o#dd?.ts: load-failed: cannot be loaded: Oh (line 2).",
    ]);
  });

  test("one that is not there", async () => {
    await stage.load(["nowhere.ts"]);
    expect(stage.faults()).toEqual(["nowhere.ts: load-failed: cannot be loaded: there is no such file."]);
  });

  test("nothing it did before it failed remains, and nothing it does later counts", async () => {
    stage.write({
      "bad.ts": `export default (pi) => {
        const act = () => {
          pi.registerTool({ name: "read", description: "Mine.", parameters: { type: "object" }, execute: async () => ({ content: [] }) });
          pi.setActiveTools(["grep", "ghost"]);
          pi.sendMessage({ customType: "x", content: "Hello.", display: true });
          pi.on("input", () => ({ action: "handled" }));
        };
        act();
        globalThis.act = act;
        throw new Error("Oh.");
      }`,
    });
    const extensions = await stage.load(["bad.ts"]);
    (globalThis as unknown as { act: () => void }).act();
    expect(extensions.tools().map(({ name, summary }) => [name, summary])).toEqual(
      ["read", "bash", "edit", "write"].map((name) => [name, `Does ${name}`]),
    );
    expect([extensions.hooks, extensions.loaded]).toEqual([[], []]);
    expect(stage.faults()).toEqual([
      "bad.ts: tool-replaced: replaces the built-in tool “read”.",
      "bad.ts: load-failed: threw while it was loaded: Oh (line 10).",
    ]);
  });
});

describe("names of pi that are not here", () => {
  test("are reported when they are imported; classes can be made from them, but none of them can be used", async () => {
    stage.write({
      "x.ts": `import { CustomEditor, isToolCallEventType, isBashToolResult, type Theme } from "@mariozechner/pi-coding-agent";
import { Text, Key } from "@mariozechner/pi-tui";
import * as core from "@mariozechner/pi-agent-core";
import { complete, StringEnum } from "@mariozechner/pi-ai";
import oauth from "@mariozechner/pi-ai/oauth";
class Mine extends CustomEditor {}
const tried = (work: () => unknown) => { try { return work(); } catch (error) { return error.message; } };
export default () => {
  globalThis.said = [
    tried(() => new Mine()), tried(() => new Text("x")), tried(() => complete()), tried(() => core.agentLoop()), tried(() => oauth.login()),
    isToolCallEventType("bash", { toolName: "bash" }), isBashToolResult({ toolName: "read" }), Key.ctrlAlt("p"), Key.enter,
    JSON.stringify(StringEnum(["a", "b"] as const, { description: "D." })),
  ];
};`,
    });
    const { loaded } = await stage.load(["x.ts"]);
    expect(loaded).toHaveLength(1);
    const gone = (name: string, module: string) => `“${name}” of “@mariozechner/${module}” is not here.`;
    expect((globalThis as unknown as { said: unknown }).said).toEqual([
      gone("CustomEditor", "pi-coding-agent"),
      gone("Text", "pi-tui"),
      gone("complete", "pi-ai"),
      gone("agentLoop", "pi-agent-core"),
      gone("default.login", "pi-ai/oauth"),
      true,
      false,
      "ctrl+alt+p",
      "enter",
      '{"type":"string","enum":["a","b"],"description":"D."}',
    ]);
    const asks = (name: string, module: string) =>
      `x.ts: beyond: asks for “${name}” of “@mariozechner/${module}”, which is not here.`;
    expect(stage.faults()).toEqual([
      asks("CustomEditor", "pi-coding-agent"),
      asks("Text", "pi-tui"),
      asks("agentLoop", "pi-agent-core"),
      asks("complete", "pi-ai"),
      asks("default", "pi-ai/oauth"),
    ]);
  });

  test("also where they are required", async () => {
    stage.write({
      "x.cjs": `const { Text, Key } = require("@mariozechner/pi-tui");
module.exports = () => { globalThis.said = [typeof Text, Key.up]; };`,
    });
    await stage.load(["x.cjs"]);
    expect((globalThis as unknown as { said: unknown }).said).toEqual(["function", "up"]);
    expect(stage.faults()).toEqual(["x.cjs: beyond: asks for “Text” of “@mariozechner/pi-tui”, which is not here."]);
  });
});
