import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { disk } from "../disk/disk.ts";
import { extensionFiles, namedExtension, usedExtensions } from "./extensions.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "charter-extensions-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
/** A directory with these files; a text that starts with → is a link. */
function tree(files: Readonly<Record<string, string>>): string {
  const folder = join(top, String(count++));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith("→")) symlinkSync(text.slice(1), path);
    else writeFileSync(path, text);
  }
  return folder;
}

function found(files: Readonly<Record<string, string>>) {
  const folder = tree(files);
  const { entries, diagnostics } = extensionFiles(folder);
  const short = (text: string) => text.replaceAll(`${folder}/`, "");
  return { entries: entries.map(short), diagnostics: diagnostics.map(({ code, message }) => [code, short(message)]) };
}

const list = (...extensions: unknown[]) => JSON.stringify({ pi: { extensions } });

describe("the extensions in a directory", () => {
  test("files of code, sorted; declarations, hidden files and node_modules are none", () => {
    expect(
      found({
        "z.ts": "",
        "a.js": "",
        "b.mts": "",
        "c.mjs": "",
        "d.cjs": "",
        "types.d.ts": "",
        "types.d.mts": "",
        "notes.md": "",
        ".hidden.ts": "",
        "node_modules/index.js": "",
        ".git/index.js": "",
      }),
    ).toEqual({ entries: ["a.js", "b.mts", "c.mjs", "d.cjs", "z.ts"], diagnostics: [] });
  });

  test("a directory's index file, TypeScript before JavaScript; nothing deeper", () => {
    expect(
      found({
        "one/index.ts": "",
        "one/index.js": "",
        "one/helper.ts": "",
        "two/index.js": "",
        "three/index.mjs": "",
        "lib/helper.ts": "",
        "lib/deep/index.ts": "",
        "named.ts/index.ts": "",
      }),
    ).toEqual({ entries: ["named.ts/index.ts", "one/index.ts", "three/index.mjs", "two/index.js"], diagnostics: [] });
  });

  test("what a package.json names, in its order, before an index file", () => {
    expect(
      found({
        "p/package.json": list("./b.ts", "src/a.ts", "more", "./b.ts"),
        "p/index.ts": "",
        "p/b.ts": "",
        "p/src/a.ts": "",
        "p/more/index.js": "",
      }),
    ).toEqual({ entries: ["p/b.ts", "p/src/a.ts", "p/more/index.js"], diagnostics: [] });
  });

  test("its own list for Charter is preferred to the one for pi", () => {
    const both = JSON.stringify({ pi: { extensions: ["pi.ts"] }, charter: { extensions: ["charter.ts"] } });
    expect(found({ "p/package.json": both, "p/pi.ts": "", "p/charter.ts": "" }).entries).toEqual(["p/charter.ts"]);
  });

  test("a package.json that names none is as if it were not there", () => {
    for (const text of ["{}", '{"pi":null}', '{"pi":{}}', '{"pi":{"extensions":[]}}', ""])
      expect(found({ "p/package.json": text, "p/index.ts": "" })).toEqual({ entries: ["p/index.ts"], diagnostics: [] });
  });

  const wrongs: [what: string, files: Record<string, string>, entries: string[], code: string, message: string][] = [
    ["no JSON", { "p/package.json": "{" }, [], "bad-package", "p/package.json is not JSON."],
    ["null", { "p/package.json": "null" }, [], "bad-package", "p/package.json is not JSON."],
    [
      "no list",
      { "p/package.json": '{"pi":{"extensions":"a.ts"}}', "p/index.ts": "" },
      ["p/index.ts"],
      "bad-package",
      "p/package.json: “extensions” is not a list of paths.",
    ],
    [
      "a number in the list",
      { "p/package.json": list(1) },
      [],
      "bad-package",
      "p/package.json: “extensions” is not a list of paths.",
    ],
    [
      "a file that is not there",
      { "p/package.json": list("a.ts", "b.ts"), "p/b.ts": "" },
      ["p/b.ts"],
      "extension-missing",
      "p/package.json names “a.ts”, which is not there.",
    ],
    [
      "a way out by ..",
      { "p/package.json": list("../q.ts"), "q.ts": "" },
      ["q.ts"],
      "extension-outside",
      "p/package.json names “../q.ts”, which is outside its directory.",
    ],
    [
      "a way out by an absolute path",
      { "p/package.json": list("/etc/passwd") },
      [],
      "extension-outside",
      "p/package.json names “/etc/passwd”, which is outside its directory.",
    ],
    [
      "a way out by a link",
      { "p/package.json": list("out.ts"), "p/out.ts": "→/etc/passwd" },
      [],
      "extension-outside",
      "p/package.json names “out.ts”, which is outside its directory.",
    ],
    ["a broken link", { "a.ts": "→nowhere" }, [], "broken-link", "a.ts is a link to what is not there."],
    ["a link to itself", { "a.ts": "→a.ts" }, [], "broken-link", "a.ts is a link to what is not there."],
    ["a device", { "a.ts": "→/dev/null" }, [], "not-a-file", "a.ts is not a file."],
  ];
  for (const [what, files, entries, code, message] of wrongs)
    test(`wrong: ${what}`, () => expect(found(files)).toEqual({ entries, diagnostics: [[code, message]] }));

  test("a linked file and a linked directory are extensions", () => {
    const elsewhere = tree({ "x.ts": "", "dir/index.ts": "" });
    expect(found({ "a.ts": `→${elsewhere}/x.ts`, b: `→${elsewhere}/dir`, loop: "→." }).entries).toEqual([
      "a.ts",
      "b/index.ts",
    ]);
  });

  test("a directory that is not there has none; one that is a file or cannot be read says so", () => {
    expect(extensionFiles(join(top, "none"))).toEqual({ entries: [], diagnostics: [] });
    const path = join(tree({ file: "" }), "file");
    expect(extensionFiles(path).diagnostics).toEqual([
      { severity: "error", code: "not-a-directory", path, message: `${path} is not a directory.` },
    ]);
    const readdirSync = (() => {
      throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    }) as unknown as typeof disk.readdirSync;
    expect(extensionFiles(top, { ...disk, readdirSync }).diagnostics).toEqual([
      { severity: "error", code: "unreadable", path: top, message: `${top} cannot be read.` },
    ]);
  });
});

test("a named path is a file of any name, one extension, or a directory of them", () => {
  const folder = tree({
    "code.txt": "",
    "one/index.ts": "",
    "one/other.ts": "",
    "many/a.ts": "",
    "many/b/index.js": "",
  });
  const named = (name: string) => namedExtension(join(folder, name)).entries.map((path) => path.slice(folder.length));
  expect(named("code.txt")).toEqual(["/code.txt"]);
  expect(named("one")).toEqual(["/one/index.ts"]);
  expect(named("many")).toEqual(["/many/a.ts", "/many/b/index.js"]);
  expect(namedExtension(join(folder, "gone")).diagnostics).toEqual([
    {
      severity: "error",
      code: "extension-missing",
      path: join(folder, "gone"),
      message: `${join(folder, "gone")} is not there.`,
    },
  ]);
});

describe("which are used", () => {
  const root = tree({
    "app/.charter/extensions/mine.ts": "",
    "app/.charter/extensions/shared.ts": "→../../../home/extensions/all.ts",
    "app/.charter/extensions/broken.ts": "→nowhere",
    "home/extensions/all.ts": "",
    "named.ts": "",
    "empty/readme.md": "",
  });
  const at = (path: string) => join(root, path);
  const places = {
    cwd: at("app"),
    home: at("home"),
    config: ".charter",
    named: [at("named.ts"), at("named.ts"), at("home/extensions/all.ts"), at("gone.ts"), at("empty")],
  };
  const about = (place: string, path: string) => ({ path: at(path), role: "extension", place });
  const not = (reason: string) => ({ used: false, reason });
  const broken = `${at("app/.charter/extensions/broken.ts")} is a link to what is not there.`;

  test("trusted: the project's, those for every project, the named ones; each file once", () => {
    expect(usedExtensions({ ...places, trusted: true })).toEqual([
      { ...about("project", "app/.charter/extensions/mine.ts"), used: true },
      { ...about("project", "app/.charter/extensions/shared.ts"), used: true },
      { ...about("project", "app/.charter/extensions/broken.ts"), ...not(broken) },
      {
        ...about("global", "home/extensions/all.ts"),
        ...not(`it is the same file as ${at("app/.charter/extensions/shared.ts")}`),
      },
      { ...about("named", "named.ts"), used: true },
      { ...about("named", "named.ts"), ...not("it is used already") },
      {
        ...about("named", "home/extensions/all.ts"),
        ...not(`it is the same file as ${at("app/.charter/extensions/shared.ts")}`),
      },
      { ...about("named", "gone.ts"), ...not(`${at("gone.ts")} is not there.`) },
      { ...about("named", "empty"), ...not("it holds no extension") },
    ]);
  });

  test("not trusted: none of the project's, and a file it links to is used as the user's own", () => {
    expect(usedExtensions({ ...places, trusted: false, named: [at("app/.charter/extensions/mine.ts")] })).toEqual([
      { ...about("project", "app/.charter/extensions/mine.ts"), ...not("the project is not trusted") },
      { ...about("project", "app/.charter/extensions/shared.ts"), ...not("the project is not trusted") },
      { ...about("project", "app/.charter/extensions/broken.ts"), ...not(broken) },
      { ...about("global", "home/extensions/all.ts"), used: true },
      { ...about("named", "app/.charter/extensions/mine.ts"), used: true },
    ]);
  });

  test("a project directory that is the global one is the user's own", () => {
    const own = { cwd: root, home: at("home"), config: "home", trusted: false };
    expect(usedExtensions(own)).toEqual([{ ...about("global", "home/extensions/all.ts"), used: true }]);
  });

  test("no directory, no extensions", () => {
    expect(usedExtensions({ cwd: at("empty"), home: at("none"), config: ".charter", trusted: true })).toEqual([]);
  });
});
