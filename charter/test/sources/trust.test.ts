import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Disk, disk } from "../../src/sources/disk/disk.ts";
import {
  distrustProject,
  projectTrust,
  type TrustState,
  trustedProjects,
  trustProject,
} from "../../src/sources/trust/trust.ts";

/** A project is trusted once, by a person, for what it is and where it is. */

const at = "2026-03-07T14:55:05.000Z";
const top = realpathSync(mkdtempSync(join(tmpdir(), "charter-trust-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
let base: string;
let cwd: string;
let home: string;
beforeEach(() => {
  base = join(top, String(count++));
  cwd = join(base, "app");
  home = join(base, "home/agent");
  mkdirSync(cwd, { recursive: true });
});

function write(path: string, text = "x"): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}
function link(path: string, to: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  symlinkSync(to, join(base, path));
}
const places = (more: object = {}) => ({ cwd, home, config: ".charter", userHome: join(base, "home"), ...more });
const state = (more: Partial<TrustState> = {}): TrustState => ({
  trust: "untrusted",
  root: cwd,
  changed: [],
  gated: [],
  settings: [],
  ...more,
});
const recordOf = (root: string) => join(home, "trust", `${createHash("sha256").update(root).digest("hex")}.json`);
const extension = "app/.charter/extensions/a.ts";
const extensionsFolder = () => join(cwd, ".charter/extensions");

describe("what trust is about", () => {
  test("a project that brings nothing: nobody needs to be asked", () => {
    write("app/AGENTS.md");
    write("app/CLAUDE.md");
    mkdirSync(join(cwd, ".charter/skills"), { recursive: true });
    write("app/.charter/extensions/.DS_Store");
    write("app/.agents/skills");
    expect(projectTrust(places())).toEqual(state());
  });

  test("what is there is named: the base, the append, skills as far as the repository goes, extensions", () => {
    cwd = join(base, "repo/packages/app");
    for (const path of ["SYSTEM.md", "APPEND_SYSTEM.md", "skills/a/SKILL.md", "extensions/a.ts"])
      write(`repo/packages/app/.charter/${path}`);
    for (const path of ["repo/packages/app", "repo", "."]) write(`${path}/.agents/skills/a/SKILL.md`);
    mkdirSync(join(base, "repo/packages/.agents/skills"), { recursive: true });
    mkdirSync(join(base, "repo/.git"));
    expect(projectTrust(places()).gated).toEqual([
      join(cwd, ".charter/SYSTEM.md"),
      join(cwd, ".charter/APPEND_SYSTEM.md"),
      join(cwd, ".charter/skills"),
      join(cwd, ".agents/skills"),
      join(base, "repo/.agents/skills"),
      join(cwd, ".charter/extensions"),
    ]);
  });

  test("another configuration directory", () => {
    write("app/.sf/SYSTEM.md");
    expect(projectTrust(places()).gated).toEqual([]);
    expect(projectTrust(places({ config: ".sf" })).gated).toEqual([join(cwd, ".sf/SYSTEM.md")]);
  });

  test("what is the user's own is not the project's", () => {
    write("app/.agents/skills/a/SKILL.md");
    write("app/.charter/SYSTEM.md");
    expect(projectTrust(places({ userHome: cwd, home: join(cwd, ".charter") })).gated).toEqual([]);
  });
});

describe("what is remembered", () => {
  test("one small file that only its owner reads", () => {
    write(extension, "export default () => {};");
    expect(trustProject(places(), at)).toEqual(state({ trust: "trusted", gated: [extensionsFolder()] }));
    expect(readdirSync(join(home, "trust"))).toHaveLength(1);
    expect(JSON.parse(readFileSync(recordOf(cwd), "utf8"))).toEqual({
      version: 1,
      root: cwd,
      at,
      extensions: { ".charter/extensions/a.ts": createHash("sha256").update("export default () => {};").digest("hex") },
    });
    expect(statSync(recordOf(cwd)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "trust")).mode & 0o777).toBe(0o700);
    expect(projectTrust(places())).toEqual(state({ trust: "trusted", gated: [extensionsFolder()] }));
  });

  test("by real path: a link to the project is the project", () => {
    link("shortcut", "app");
    trustProject(places({ cwd: join(base, "shortcut") }), at);
    expect(projectTrust(places()).trust).toBe("trusted");
    expect(projectTrust(places({ cwd: join(base, "shortcut") }))).toEqual(state({ trust: "trusted" }));
  });

  test("a moved project, what is below a project and what is above it are not trusted", () => {
    mkdirSync(join(cwd, "below"));
    trustProject(places(), at);
    expect(projectTrust(places({ cwd: join(cwd, "below") })).trust).toBe("untrusted");
    expect(projectTrust(places({ cwd: base })).trust).toBe("untrusted");
    renameSync(cwd, join(base, "moved"));
    expect(projectTrust(places({ cwd: join(base, "moved") })).trust).toBe("untrusted");
    expect(projectTrust(places()).trust).toBe("untrusted");
  });

  test("taken back, once", () => {
    trustProject(places(), at);
    expect([distrustProject(places()), distrustProject(places())]).toEqual([true, false]);
    expect(projectTrust(places())).toEqual(state());
    expect(trustedProjects(home)).toEqual([]);
  });

  test("the list, by path; of a project that is gone too, and it can be taken back", () => {
    write("a/.charter/extensions/b.ts");
    mkdirSync(join(base, "b"));
    for (const name of ["b", "a"]) trustProject(places({ cwd: join(base, name) }), at);
    rmSync(join(base, "b"), { recursive: true });
    const [a, b] = [
      { root: join(base, "a"), at, extensions: 1, charters: 0 },
      { root: join(base, "b"), at, extensions: 0, charters: 0 },
    ];
    expect(trustedProjects(home)).toEqual([a, b]);
    expect(distrustProject(places({ cwd: join(base, "b") }))).toBe(true);
    expect(trustedProjects(home)).toEqual([a]);
    expect(trustedProjects(join(base, "nowhere"))).toEqual([]);
  });
});

describe("extensions are code: trust holds as long as they are the same", () => {
  const changes: [what: string, change: () => void, changed: string[]][] = [
    ["a changed file", () => write(extension, "y"), ["a.ts"]],
    ["a file of data", () => write("app/.charter/extensions/data.json", "y"), ["data.json"]],
    [
      "a new file, deep down",
      () => write("app/.charter/extensions/node_modules/b/index.js"),
      ["node_modules/b/index.js"],
    ],
    ["a hidden file", () => write("app/.charter/extensions/.env"), [".env"]],
    ["a file that is gone", () => rmSync(join(base, extension)), ["a.ts"]],
    ["all of them gone", () => rmSync(extensionsFolder(), { recursive: true }), ["a.ts", "data.json"]],
    [
      "a file that became a directory",
      () => {
        rmSync(join(base, extension));
        write(`${extension}/index.ts`);
      },
      ["a.ts", "a.ts/index.ts"],
    ],
    [
      "a file that became a link to the same words",
      () => {
        renameSync(join(base, extension), join(base, "elsewhere.ts"));
        link(extension, join(base, "elsewhere.ts"));
      },
      ["a.ts"],
    ],
    ["a new link to nowhere", () => link("app/.charter/extensions/b.ts", "nowhere"), ["b.ts"]],
  ];
  for (const [what, change, changed] of changes)
    test(what, () => {
      write(extension);
      write("app/.charter/extensions/data.json");
      trustProject(places(), at);
      change();
      expect(projectTrust(places())).toMatchObject({
        trust: "changed",
        changed: changed.map((name) => `.charter/extensions/${name}`),
      });
      trustProject(places(), at);
      expect(projectTrust(places())).toMatchObject({ trust: "trusted", changed: [] });
    });

  test("the same again is trusted again", () => {
    write(extension);
    trustProject(places(), at);
    write(extension, "y");
    expect(projectTrust(places()).trust).toBe("changed");
    write(extension);
    expect(projectTrust(places()).trust).toBe("trusted");
  });

  test("words, skills and an empty directory may change: they are no code", () => {
    write(extension);
    trustProject(places(), at);
    write("app/.charter/SYSTEM.md");
    write("app/.charter/skills/a/SKILL.md");
    write("app/AGENTS.md");
    mkdirSync(join(extensionsFolder(), "empty"));
    expect(projectTrust(places()).trust).toBe("trusted");
  });

  test("of another configuration directory they are other ones", () => {
    trustProject(places(), at);
    write("app/.sf/extensions/a.ts");
    expect(projectTrust(places({ config: ".sf" }))).toMatchObject({
      trust: "changed",
      changed: [".sf/extensions/a.ts"],
    });
  });
});

describe("links count by where they lead and what is there", () => {
  test("a file outside", () => {
    write("outside.ts");
    write("other.ts");
    link(extension, join(base, "outside.ts"));
    trustProject(places(), at);
    write("outside.ts", "y");
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/a.ts"]);
    write("outside.ts");
    expect(projectTrust(places()).trust).toBe("trusted");
    rmSync(join(base, extension));
    link(extension, join(base, "other.ts"));
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/a.ts"]);
  });

  test("a directory outside", () => {
    write("outside/lib/x.ts");
    write("other/lib/x.ts");
    link("app/.charter/extensions/lib", join(base, "outside/lib"));
    trustProject(places(), at);
    write("outside/lib/y.ts");
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/lib/y.ts"]);
    rmSync(join(base, "outside/lib/y.ts"));
    rmSync(join(base, "app/.charter/extensions/lib"));
    link("app/.charter/extensions/lib", join(base, "other/lib"));
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/lib/"]);
  });

  test("the whole directory, or the configuration directory", () => {
    write("one/extensions/a.ts");
    write("two/extensions/a.ts");
    link("app/.charter", join(base, "one"));
    trustProject(places(), at);
    expect(projectTrust(places())).toMatchObject({ trust: "trusted", gated: [extensionsFolder()] });
    rmSync(join(cwd, ".charter"));
    link("app/.charter", join(base, "two"));
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/"]);
    write("one/extensions/a.ts", "y");
    rmSync(join(cwd, ".charter"));
    link("app/.charter", join(base, "one"));
    expect(projectTrust(places()).changed).toEqual([".charter/extensions/a.ts"]);
  });

  test("cycles have an end", () => {
    write(extension);
    link("app/.charter/extensions/self", ".");
    link("app/.charter/extensions/x/y", "../z");
    link("app/.charter/extensions/z/x", "../x");
    link("app/.charter/extensions/loop", "loop");
    link("app/.charter/extensions/up", join(cwd, ".charter"));
    trustProject(places(), at);
    expect(projectTrust(places()).trust).toBe("trusted");
    write("app/.charter/extensions/z/b.ts");
    const { trust, changed } = projectTrust(places());
    expect([trust, changed.length]).toEqual(["changed", 1]);
    expect(changed[0]).toMatch(/b\.ts$/);
  });

  test("a device is not read", () => {
    link("app/.charter/extensions/zero.ts", "/dev/zero");
    trustProject(places(), at);
    expect(projectTrust(places()).trust).toBe("trusted");
  });
});

describe("what cannot be looked at is not trusted, and nothing is thrown", () => {
  test("more than anyone could have looked at: refused when trusting, not trusted when asked", () => {
    write(extension, "12345");
    write("app/.charter/extensions/b.ts", "12345");
    trustProject(places(), at);
    const rows: [limits: { files: number; bytes: number }, what: string][] = [
      [{ files: 1, bytes: 100 }, "more than 1 files"],
      [{ files: 10, bytes: 9 }, "more than 9 bytes"],
    ];
    for (const [limits, what] of rows) {
      expect(() => trustProject(places({ limits }), at)).toThrow(
        expect.objectContaining({
          code: "extensions-too-big",
          message: `${cwd} cannot be trusted: its extensions in .charter/extensions have ${what}.`,
        }),
      );
      expect(projectTrust(places({ limits }))).toEqual(
        state({
          gated: [extensionsFolder()],
          reason: `its extensions have ${what}, too many to see whether they are those that were trusted`,
        }),
      );
    }
    expect(projectTrust(places({ limits: { files: 2, bytes: 10 } })).trust).toBe("trusted");
  });

  const damages: [what: string, text: string, because: RegExp][] = [
    ["empty", "", /is damaged, or of another version/],
    ["cut off", '{"version":1,"root":', /is damaged/],
    ["no object", "null", /is damaged/],
    ["a list", "[]", /is damaged/],
    ["another version", '{"version":2,"root":"ROOT","at":"","extensions":{}}', /of another version/],
    ["without extensions", '{"version":1,"root":"ROOT","at":""}', /is damaged/],
    ["with a list of extensions", '{"version":1,"root":"ROOT","at":"","extensions":[]}', /is damaged/],
    ["with a number for a digest", '{"version":1,"root":"ROOT","at":"","extensions":{"a":1}}', /is damaged/],
    ["another project's", '{"version":1,"root":"/","at":"","extensions":{}}', /is about another project: \/$/],
  ];
  for (const [what, text, because] of damages)
    test(`a record that is ${what} is not believed; trusting again mends it`, () => {
      trustProject(places(), at);
      writeFileSync(recordOf(cwd), text.replace("ROOT", cwd));
      const { reason: said, ...rest } = projectTrust(places());
      expect(rest).toEqual(state());
      expect(said).toMatch(because);
      expect(trustedProjects(home)).toEqual([]);
      trustProject(places(), at);
      expect(projectTrust(places())).toEqual(state({ trust: "trusted" }));
    });

  test("a record that is a directory", () => {
    mkdirSync(recordOf(cwd), { recursive: true });
    expect(projectTrust(places())).toMatchObject({
      trust: "untrusted",
      reason: expect.stringContaining("is damaged"),
    });
    expect(trustedProjects(home)).toEqual([]);
    expect(() => trustProject(places(), at)).toThrow(expect.objectContaining({ code: "trust-not-kept" }));
    expect(() => distrustProject(places())).toThrow(expect.objectContaining({ code: "trust-not-kept" }));
    expect(readdirSync(join(home, "trust"))).toHaveLength(1);
  });

  test("a record another project was copied into", () => {
    trustProject(places(), at);
    write("other/x");
    renameSync(recordOf(cwd), recordOf(join(base, "other")));
    expect(projectTrust(places({ cwd: join(base, "other") })).trust).toBe("untrusted");
    expect(trustedProjects(home)).toEqual([]);
  });

  test("nowhere to remember it", () => {
    write("home/agent", "a file");
    expect(projectTrust(places())).toEqual(state());
    expect(() => trustProject(places(), at)).toThrow(
      expect.objectContaining({
        code: "trust-not-kept",
        message: expect.stringContaining(`That ${cwd} is trusted could not be remembered: `),
        hint: `See that ${join(home, "trust")} is a directory you can write to.`,
      }),
    );
    expect(distrustProject(places())).toBe(false);
  });

  test("a directory that is not there, and one that is a file", () => {
    write("file");
    for (const name of ["gone", "file"]) {
      const there = places({ cwd: join(base, name) });
      expect(projectTrust(there)).toEqual(state({ root: join(base, name) }));
      expect(() => trustProject(there, at)).toThrow(expect.objectContaining({ code: "no-such-directory" }));
    }
  });

  test("a disk that fails, whatever it is asked for", () => {
    write(extension);
    trustProject(places(), at);
    for (const name of Object.keys(calls) as (keyof Disk)[]) {
      const refused = () => {
        throw Object.assign(new Error("EACCES: permission denied, it"), { code: "EACCES" });
      };
      const failing = { ...disk, ...calls, [name]: refused } as unknown as Disk;
      const { trust } = projectTrust(places({ disk: failing }));
      expect([name, trust]).not.toEqual([name, "trusted"]);
    }
  });
  const { statSync: stat, lstatSync, readdirSync: readdir, realpathSync: realpath, openSync, readSync } = disk;
  const calls = { statSync: stat, lstatSync, readdirSync: readdir, realpathSync: realpath, openSync, readSync };
});
