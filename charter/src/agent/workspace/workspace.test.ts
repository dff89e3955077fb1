import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";
import { openFile, replaceFile } from "./files.ts";
import { listFolder } from "./search.ts";
import { openWorkspace } from "./workspace.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const outsideOf = (asked: string, to: string) => {
  const real = join(bench.outside, to);
  const what = asked === real ? `“${asked}”` : `“${asked}” leads to “${real}”, which`;
  return `outside-workspace: ${what} is outside the working directory “${bench.root}”. Give a path inside the working directory.`;
};

/** Every way of a path, and every tool that takes one. */
describe("no way out", () => {
  const tools: [tool: string, more: object][] = [
    ["read", {}],
    ["write", { content: "mine" }],
    ["edit", { oldText: "secret", newText: "mine" }],
    ["grep", { pattern: "secret" }],
    ["find", { pattern: "*" }],
    ["ls", {}],
  ];
  const ways: [what: string, path: (bench: WorkspaceBench) => string, to: string][] = [
    ["by ..", () => "../outside/secret.txt", "secret.txt"],
    ["by .. further down", () => "a/b/../../../outside/secret.txt", "secret.txt"],
    ["by an absolute path", ({ outside }) => join(outside, "secret.txt"), "secret.txt"],
    ["by a link to a file", () => "link.txt", "secret.txt"],
    ["by a link to a directory", () => "door/secret.txt", "secret.txt"],
    ["by a chain of links", () => "chain/secret.txt", "secret.txt"],
    ["by a link to nothing", () => "dangling.txt", "new.txt"],
    ["to something new below a link", () => "door/new/deep.txt", "new/deep.txt"],
    ["to something new below a link to nothing", () => "dangling-door/deep.txt", "nowhere/deep.txt"],
    ["to the directory itself", () => "door", ""],
  ];
  beforeEach(() => {
    const { root, outside } = bench;
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync("../outside/secret.txt", join(root, "link.txt"));
    symlinkSync(outside, join(root, "door"));
    symlinkSync("door", join(root, "middle"));
    symlinkSync("middle", join(root, "chain"));
    symlinkSync(join(outside, "new.txt"), join(root, "dangling.txt"));
    symlinkSync("../outside/nowhere", join(root, "dangling-door"));
  });
  for (const [tool, more] of tools)
    for (const [what, path, to] of ways)
      test(`${tool}: ${what}`, async () => {
        const asked = path(bench);
        expect(await bench.call(tool, { path: asked, ...more })).toBe(outsideOf(asked, to));
        expect(readdirSync(bench.outside)).toEqual(["secret.txt"]);
      });

  test("a path that only begins like the working directory is outside", async () => {
    mkdirSync(`${bench.root}-other`);
    writeFileSync(`${bench.root}-other/a.txt`, "a");
    const asked = `${bench.root}-other/a.txt`;
    expect(await bench.call("read", { path: asked })).toBe(
      `outside-workspace: “${asked}” is outside the working directory “${bench.root}”. Give a path inside the working directory.`,
    );
  });

  test("names that merely look like a way up are names", async () => {
    bench.put("..hidden/...", "in");
    expect(await bench.call("read", { path: "..hidden/..." })).toBe("in");
  });

  test("a search names links and does not follow them", async () => {
    bench.put("own.txt", "secret");
    expect(await bench.call("grep", { pattern: "secret" })).toBe("own.txt:1: secret");
    expect(await bench.call("find", { pattern: "*" })).toBe(
      "chain\ndangling-door\ndangling.txt\ndoor\nlink.txt\nmiddle\nown.txt",
    );
  });
});

describe("a link that is put in the way after the path was looked at", () => {
  const swapFor = (link: string) => {
    const { root, outside } = bench;
    writeFileSync(join(outside, "a.txt"), "secret");
    renameSync(join(root, link), join(root, "moved"));
    symlinkSync(join(outside, link === "door" ? "" : "a.txt"), join(root, link));
  };
  const refusal = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test("in a directory's place: the file is not read", () => {
    const workspace = openWorkspace({ root: bench.root });
    bench.put("door/a.txt", "mine");
    const place = workspace.locate("door/a.txt", "read");
    swapFor("door");
    expect(refusal(() => openFile(workspace, place))).toBe("outside-workspace");
  });

  test("in the file's own place: it is not read", () => {
    const workspace = openWorkspace({ root: bench.root });
    bench.put("a.txt", "mine");
    const place = workspace.locate("a.txt", "write");
    swapFor("a.txt");
    expect(refusal(() => openFile(workspace, place))).toBe("not-a-file");
  });

  test("in a directory's place: nothing is written outside", () => {
    const workspace = openWorkspace({ root: bench.root });
    bench.put("door/a.txt", "mine");
    const places = ["door/a.txt", "door/new.txt", "door/deep/er/new.txt"].map((path) =>
      workspace.locate(path, "write"),
    );
    swapFor("door");
    for (const place of places)
      expect(["not-a-file", "outside-workspace", "bad-path"]).toContain(
        refusal(() => replaceFile(workspace, place, Buffer.from("new"))),
      );
    expect(readdirSync(bench.outside)).toEqual(["a.txt"]);
  });

  test("in the file's own place: it is not written through", () => {
    const workspace = openWorkspace({ root: bench.root });
    bench.put("a.txt", "mine");
    const place = workspace.locate("a.txt", "write");
    swapFor("a.txt");
    expect(refusal(() => replaceFile(workspace, place, Buffer.from("new")))).toBe("file-changed");
    expect(readdirSync(bench.root).sort()).toEqual(["a.txt", "moved"]);
  });
});

describe("ways that stay inside", () => {
  test("links are followed, and absolute paths are paths", async () => {
    bench.put("real/a.txt", "a");
    symlinkSync("real", join(bench.root, "link"));
    symlinkSync(join(bench.root, "link/a.txt"), join(bench.root, "a.txt"));
    for (const path of ["a.txt", "link/a.txt", "./real/../link/a.txt", join(bench.root, "link", "a.txt")])
      expect(await bench.call("read", { path })).toBe("a");
  });

  test("writing through a link writes its target, also one that is not there yet", async () => {
    bench.put("real/a.txt", "a");
    symlinkSync("real/a.txt", join(bench.root, "one"));
    symlinkSync("real/b.txt", join(bench.root, "two"));
    expect(await bench.call("write", { path: "one", content: "A" })).toBe("Replaced “real/a.txt” (1 byte).");
    expect(await bench.call("write", { path: "two", content: "B" })).toBe("Created “real/b.txt” (1 byte).");
    expect([bench.text("real/a.txt"), bench.text("real/b.txt")]).toEqual(["A", "B"]);
  });

  test("a working directory that is reached by a link", async () => {
    bench.put("a.txt", "a");
    const link = `${bench.root}-link`;
    symlinkSync(bench.root, link);
    const { locate, root } = openWorkspace({ root: link });
    expect(root).toBe(bench.root);
    expect(locate(join(link, "a.txt"), "read")).toEqual({
      requested: join(link, "a.txt"),
      real: join(bench.root, "a.txt"),
      exists: true,
      shown: "a.txt",
    });
  });

  test("other directories that are allowed, also those that come to be later", async () => {
    const later = join(bench.outside, "later");
    const allowed = [later];
    const path = join(later, "SKILL.md");
    expect(await bench.call("read", { path }, { allowed })).toBe(
      `no-such-file: There is no “${path}”. Look at what is there first.`,
    );
    mkdirSync(later);
    writeFileSync(path, "Do it well.");
    expect(await bench.call("read", { path }, { allowed })).toBe("Do it well.");
    expect(await bench.call("read", { path: join(bench.outside, "a") }, { allowed })).toBe(
      `outside-workspace: “${bench.outside}/a” is outside the working directory “${bench.root}”. Give a path inside the working directory or inside “${later}”.`,
    );
  });
});

test("where skills lie may be read, listed and searched, and not written", async () => {
  const skills = join(bench.outside, "skills");
  mkdirSync(skills);
  writeFileSync(join(skills, "SKILL.md"), "Do it well.");
  let found: string[] = [];
  const options = { readable: () => found };
  const path = join(skills, "SKILL.md");
  expect(await bench.call("read", { path }, options)).toMatch(/^outside-workspace: /);
  found = [skills];
  expect(await bench.call("read", { path }, options)).toBe("Do it well.");
  expect(await bench.call("ls", { path: skills }, options)).toBe("SKILL.md");
  expect(await bench.call("find", { pattern: "*.md", path: skills }, options)).toBe(path);
  expect(await bench.call("grep", { pattern: "well", path: skills }, options)).toBe(`${path}:1: Do it well.`);
  const refused = (to: string) =>
    `outside-workspace: “${to}” may be read, not written. Give a path inside the working directory.`;
  expect(await bench.call("edit", { path, oldText: "well", newText: "badly" }, options)).toBe(refused(path));
  expect(await bench.call("write", { path: join(skills, "new"), content: "" }, options)).toBe(
    refused(join(skills, "new")),
  );
});

describe("what is protected", () => {
  const refused = (path: string) => `protected-path: “${path}” is protected. Leave it alone; use another file.`;

  test("a database, what SQLite keeps beside it, and every other way to it", async () => {
    const database = bench.put("charter.db", "rows");
    for (const end of ["-wal", "-shm", "-journal"]) bench.put(`charter.db${end}`, "rows");
    symlinkSync("charter.db", join(bench.root, "link"));
    linkSync(database, join(bench.root, "hard"));
    linkSync(`${database}-wal`, join(bench.root, "hard-log"));
    const guarded = { protected: [database] };
    for (const path of [
      "charter.db",
      "charter.db-wal",
      "charter.db-shm",
      "charter.db-journal",
      "link",
      "hard",
      "hard-log",
    ])
      expect(await bench.call("read", { path }, guarded)).toBe(refused(path));
    expect(await bench.call("write", { path: "charter.db-wal", content: "" }, guarded)).toBe(refused("charter.db-wal"));
    expect(await bench.call("edit", { path: "charter.db", oldText: "rows", newText: "" }, guarded)).toBe(
      refused("charter.db"),
    );
    expect(await bench.call("grep", { pattern: "rows" }, guarded)).toBe("No matches found\n\n[Not readable: 2 files.]");
    expect(await bench.call("read", { path: "charter.db.md" }, guarded)).toBe(
      "no-such-file: There is no “charter.db.md”. Look at what is there first.",
    );
  });

  test("a database that is not there yet, and a whole directory", async () => {
    const guarded = { protected: [join(bench.root, "new.db"), join(bench.root, "kept")] };
    bench.put("kept/a.txt", "a");
    expect(await bench.call("write", { path: "new.db", content: "" }, guarded)).toBe(refused("new.db"));
    expect(await bench.call("write", { path: "kept/new/b.txt", content: "" }, guarded)).toBe(refused("kept/new/b.txt"));
    expect(await bench.call("ls", { path: "kept" }, guarded)).toBe(refused("kept"));
    expect(await bench.call("ls", {}, guarded)).toBe("kept/");
    expect(await bench.call("find", { pattern: "**" }, guarded)).toBe("No files found matching the pattern");
  });
});

describe("paths that are none", () => {
  const rows: [what: string, path: string, expected: string][] = [
    ["empty", " ", "bad-path: The path is empty. Give a path from the working directory, or an absolute one."],
    ["a NUL", "a\0b", "bad-path: The path holds a NUL. Give a path from the working directory, or an absolute one."],
    [
      "a home directory",
      "~/notes.txt",
      "bad-path: “~/notes.txt” begins with “~”, which is not expanded here. Give a path from the working directory, or an absolute one.",
    ],
    ["too long", "x".repeat(5000), "bad-path: The path, or a name in it, is too long. Give a shorter one."],
    [
      "below a file",
      "file.txt/a",
      "not-a-file: “file.txt/a” lies under something that is no directory. Check the path.",
    ],
    [
      "a circle of links",
      "circle",
      "bad-path: “circle” is a link that leads nowhere, or was made one just now. Name a file.",
    ],
  ];
  for (const [what, path, expected] of rows)
    test(what, async () => {
      bench.put("file.txt");
      symlinkSync("circle", join(bench.root, "circle"));
      expect(await bench.call("read", { path })).toBe(expected);
      expect(await bench.call("write", { path, content: "" })).toBe(expected);
    });

  test("a name that would break the line is told in quotes", async () => {
    expect(await bench.call("read", { path: "a\nb" })).toBe(
      'no-such-file: There is no “"a\\nb"”. Look at what is there first.',
    );
  });
});

test("a working directory that is none is told at once", () => {
  rmSync(bench.root, { recursive: true });
  const problem = (root: string) => {
    try {
      openWorkspace({ root });
    } catch (error) {
      return error;
    }
  };
  expect(problem(bench.root)).toMatchObject({ code: "bad-workspace" });
  expect(problem("relative")).toMatchObject({
    code: "bad-workspace",
    message: "The working directory “relative” cannot be used: its path is not absolute.",
  });
});

test("a link that is put in the place of a directory further up: nothing is written, listed or searched outside", () => {
  const workspace = openWorkspace({ root: bench.root });
  bench.put("door/inner/a.txt", "mine");
  const places = ["door/inner/a.txt", "door/inner/new.txt", "door/inner/deep/new.txt"].map((path) =>
    workspace.locate(path, "write"),
  );
  const { real } = workspace.locate("door/inner", "read");
  mkdirSync(join(bench.outside, "inner"));
  writeFileSync(join(bench.outside, "inner", "a.txt"), "secret");
  renameSync(join(bench.root, "door"), join(bench.root, "moved"));
  symlinkSync(bench.outside, join(bench.root, "door"));
  const outside = expect.objectContaining({ code: "outside-workspace" });
  for (const place of places) expect(() => replaceFile(workspace, place, Buffer.from("new"))).toThrow(outside);
  expect(() => listFolder(workspace, real, "door/inner")).toThrow(outside);
  expect(readdirSync(join(bench.outside, "inner"))).toEqual(["a.txt"]);
});
