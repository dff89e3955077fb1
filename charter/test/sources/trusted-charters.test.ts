import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { charterTrustOf, projectTrust, trustedProjects, trustProject } from "../../src/sources/trust/trust.ts";

/** A charter's file is code: it is trusted as it is, with the files that it names. */

const at = "2026-03-07T14:55:05.000Z";
const top = realpathSync(mkdtempSync(join(tmpdir(), "charter-trusted-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
let cwd: string;
let home: string;
beforeEach(() => {
  const base = join(top, String(count++));
  [cwd, home] = [join(base, "app"), join(base, "home")];
  write("own.ts", `import { soul } from "./words/soul.ts";\nexport default soul;\n`);
  write("words/soul.ts", `export const soul = readFileSync('../soul.md');\n`);
  write("soul.md", "Be kind.");
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const places = (more: object = {}) => ({ cwd, home, config: ".charter", userHome: home, ...more });
const charters = ["./own.ts"];
const now = (file = "own.ts") => charterTrustOf(file, places());
const record = () => {
  const [name = ""] = readdirSync(join(home, "trust"));
  return join(home, "trust", name);
};

test("a file is trusted with the project, by whichever path it is named, and as long as the project is", () => {
  expect(now()).toBe("untrusted");
  expect(trustProject(places({ charters }), at).gated).toEqual([join(cwd, "own.ts")]);
  expect([now(), now("./own.ts"), now(join(cwd, "own.ts"))]).toEqual(["trusted", "trusted", "trusted"]);
  expect(trustedProjects(home)).toEqual([{ root: cwd, at, extensions: 0, charters: 1 }]);
  write(".charter/extensions/a.ts", "export default () => {};");
  expect([projectTrust(places()).trust, now()]).toEqual(["changed", "untrusted"]);
});

test("one that was not there when the project was trusted is not", () => {
  trustProject(places({ charters }), at);
  write("other.ts", "export default 1;");
  expect([now("other.ts"), now("own.ts")]).toEqual(["new", "trusted"]);
  trustProject(places({ charters: ["gone.ts"] }), at);
  expect([now("own.ts"), now("gone.ts"), now("__proto__")]).toEqual(["new", "new", "new"]);
});

const changes: readonly [what: string, path: string, text: string][] = [
  ["the file itself", "own.ts", "export default 2;"],
  ["what it imports", "words/soul.ts", "export const soul = 1;"],
  ["what that reads", "soul.md", "Be cruel."],
];
for (const [what, path, text] of changes)
  test(`it is not trusted any more when ${what} is another, and again when it is as it was`, () => {
    trustProject(places({ charters }), at);
    const before = readFileSync(join(cwd, path), "utf8");
    write(path, text);
    expect(now()).toBe("changed");
    write(path, before);
    expect(now()).toBe("trusted");
  });

test("a file that it names and that comes later is another, too", () => {
  write("own.ts", `try { await import("./later.ts"); } catch {}\nexport default 1;\n`);
  trustProject(places({ charters }), at);
  write("later.ts", "evil();");
  expect(now()).toBe("changed");
});

test("whoever trusts a project without a word on charters keeps those that were trusted", () => {
  trustProject(places({ charters }), at);
  trustProject(places(), at);
  expect(now()).toBe("trusted");
});

test("files that name each other have an end, and so has what may be named", () => {
  write("words/soul.ts", `import "../own.ts";`);
  trustProject(places({ charters }), at);
  expect(now()).toBe("trusted");
  const limits = { files: 1, bytes: 1_000_000 };
  expect(() => trustProject(places({ charters, limits }), at)).toThrow(
    expect.objectContaining({ code: "extensions-too-big" }),
  );
  expect(charterTrustOf("own.ts", places({ limits }))).toBe("changed");
});

test("a record from before charters were in it trusts none; one with other things in their place is not believed", () => {
  trustProject(places({ charters }), at);
  const { charters: _, ...older } = JSON.parse(readFileSync(record(), "utf8"));
  writeFileSync(record(), JSON.stringify(older));
  expect([projectTrust(places()).trust, now()]).toEqual(["trusted", "new"]);
  writeFileSync(record(), JSON.stringify({ ...older, charters: { "own.ts": "one digest of all" } }));
  expect([projectTrust(places()).trust, now()]).toEqual(["untrusted", "untrusted"]);
});
