import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { charter } from "../../cli.ts";
import { skill, treeForEach } from "../../coder-tree.ts";

/** A coding agent's directory through the command: show, files, skills, trust, chat. */

const tree = treeForEach();

const run = (...args: readonly string[]) => charter(args, { cwd: tree.cwd });
const home = () => ["--home", tree.home];
const show = (...args: readonly string[]) => run("show", "--charter", "coder", ...home(), ...args);

describe("charter show --charter coder", () => {
  test("prints the real prompt of the directory it runs in", () => {
    tree.write("project/AGENTS.md", "Run the tests.");
    const { code, stdout, stderr } = show();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`## ${tree.cwd}/AGENTS.md\n\nRun the tests.\n\nCurrent date and time: `);
    expect(stdout.endsWith(`\nCurrent working directory: ${tree.cwd}`)).toBe(true);
    expect(stdout).toMatch(/- Main documentation: \/.*\/README\.md\n- Additional docs: \/.*\/docs\n/);
  });

  test("of another directory with --cwd, with another global directory with --home", () => {
    tree.write("other/AGENTS.md", "Elsewhere.");
    tree.write("home/AGENTS.md", "Everywhere.");
    const { stdout } = charter(["show", "--charter", "coder", "--cwd", join(tree.root, "other"), ...home()]);
    expect(stdout).toContain(
      `## ${tree.home}/AGENTS.md\n\nEverywhere.\n\n## ${tree.root}/other/AGENTS.md\n\nElsewhere.`,
    );
  });

  test("leaves out what an untrusted project brings, and says so; --trust and --no-trust say otherwise", () => {
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    const untrusted = show();
    expect(untrusted.stdout).not.toContain("You are a poet.");
    expect(untrusted.stderr).toMatch(/^notice: untrusted: .*SYSTEM\.md.*charter trust/);
    expect(show("--trust").stdout.startsWith("You are a poet.\n\n")).toBe(true);
    expect(run("trust", ...home()).code).toBe(0);
    expect(show().stdout.startsWith("You are a poet.\n\n")).toBe(true);
    expect(show("--no-trust").stdout).not.toContain("You are a poet.");
  });

  test("with the tools that are named", () => {
    expect(show("--tools", "read,grep").stdout).toContain(
      "Available tools:\n- read: Read file contents\n- grep: Search file contents for patterns (respects .gitignore)\n\n",
    );
    const { code, stderr } = show("--tools", "read,raed");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^unknown-tool: .*“raed”/);
  });

  test("what does not go together is a problem", () => {
    expect(show("--trust", "--no-trust")).toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage: Both/) });
    for (const option of ["--cwd", "--home", "--skill", "--extension", "--allow"])
      expect(show(option, "").stderr).toMatch(new RegExp(`^usage: ${option} is empty\\.`));
    expect(show("--config", "a/b").stderr).toMatch(/^usage: --config is “a\/b”/);
    expect(show("--config", "charter.config.ts").stderr).toContain("A settings file is named with --settings.");
    expect(run("show", "--charter", "coder", "--cwd", "/no/such/place").stderr).toMatch(/^no-such-directory: /);
    expect(run("show", "--charter", "sovereign", "--cwd", ".").stderr).toMatch(/^usage: --cwd is for a coding agent/);
    const facts = charter(["show", "--charter", "coder", "--input", "-", "--cwd", "."], { stdin: "{}" });
    expect(facts.stderr).toMatch(/^usage: --cwd is for a coding agent/);
  });

  test("a project is never taken for the user's own directory, wherever HOME leads", () => {
    tree.write("project/.charter/agent/SYSTEM.md", "You are a poet.");
    for (const HOME of ["", ".", "./"]) {
      const { code, stdout } = charter(["show", "--charter", "coder"], { cwd: tree.cwd, env: { HOME } });
      expect({ HOME, code, isPoet: stdout.includes("poet") }).toEqual({ HOME, code: 0, isPoet: false });
    }
  });

  test("nor is it by the database it brings", () => {
    tree.write("project/mine/SYSTEM.md", "You are a poet.");
    tree.write("project/settings.json", '{ "home": "mine" }');
    expect(run("agents", "add", "coder", "--charter", "coder", "--settings", "settings.json").code).toBe(0);
    expect(run("show", "--agent", "coder").stdout).not.toContain("You are a poet.");
  });

  test("what an extension prints or leaves running is neither in the answer nor in its way", () => {
    tree.write(
      "project/.charter/extensions/loud.js",
      'console.log("here I am"); console.dir({}); setInterval(() => {}, 1000); export default () => {};',
    );
    for (const args of [["show", "--charter", "coder"], ["files"], ["skills"]]) {
      const { code, stdout, stderr } = run(...args, ...home(), "--trust", "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "here I am\n{}\n" });
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    }
  });

  test("no name and no extension's words draw on the terminal", () => {
    const odd = "odd\u001b[31m\nname";
    tree.write(`${odd}/.charter/SYSTEM.md`, "You are a poet.");
    tree.write(`${odd}/.charter/extensions/a.js`, 'export default () => { throw new Error("no\\u001b[31m"); };');
    const at = ["--cwd", join(tree.root, odd), ...home()];
    for (const args of [["trust"], ["trust"], ["show", "--charter", "coder"], ["files"], ["trust", "--remove"]]) {
      const { stdout, stderr } = run(...args, ...at);
      expect(stdout + stderr).not.toContain("\u001b");
    }
  });

  test("why names the file that brought the words", () => {
    tree.write("project/AGENTS.md", "Run the tests.");
    const { stdout } = run("why", "--charter", "coder", ...home(), "Run the tests.");
    expect(stdout).toContain(`project (layer project), from ${tree.cwd}/AGENTS.md`);
  });
});

describe("charter files", () => {
  test("every file that was looked at: used or not, why, and its tokens", () => {
    tree.write("home/AGENTS.md", "Everywhere.");
    tree.write("home/SYSTEM.md", "You are a painter.");
    tree.write("project/AGENTS.md", "Here.");
    tree.write("project/CLAUDE.md", "Not read.");
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    tree.write("project/.charter/skills/fly/SKILL.md", skill("fly", "Take off"));
    const { code, stdout } = run("files", ...home(), "--json");
    expect(code).toBe(0);
    const { files, trust, cwd } = JSON.parse(stdout);
    expect({ trust, cwd }).toEqual({ trust: "untrusted", cwd: tree.cwd });
    const seen = (files as { path: string; used: boolean; reason?: string; tokens?: number }[])
      .filter(({ reason }) => reason !== "there is none")
      .map(({ path, used, reason, tokens }) => ({
        path: path.replace(tree.root, ""),
        used,
        ...(reason === undefined ? {} : { reason }),
        ...(tokens === undefined ? {} : { counted: tokens > 0 }),
      }));
    expect(seen).toEqual([
      { path: "/project/.charter/SYSTEM.md", used: false, reason: "the project is not trusted" },
      { path: "/home/SYSTEM.md", used: true, counted: true },
      { path: "/home/AGENTS.md", used: true, counted: true },
      { path: "/project/AGENTS.md", used: true, counted: true },
      { path: "/project/CLAUDE.md", used: false, reason: expect.stringContaining("AGENTS.md") },
      { path: "/project/.charter/skills/fly/SKILL.md", used: false, reason: "the project is not trusted" },
    ]);
  });

  test("as a table for people", () => {
    tree.write("project/AGENTS.md", "Here.");
    const { code, stdout } = run("files", ...home());
    expect(code).toBe(0);
    expect(stdout).toContain(`✓  context  `);
    expect(stdout).toContain(`${tree.cwd}/AGENTS.md`);
    expect(stdout).toContain("tokens (exact) from files.");
  });
});

describe("charter skills", () => {
  test("lists them with what is wrong with them", () => {
    tree.write("home/skills/fly/SKILL.md", skill("fly", "Take off"));
    tree.write("home/skills/dive/SKILL.md", skill("diving", "Go under"));
    tree.write("home/skills/mute/SKILL.md", "---\nname: mute\n---\n");
    const { code, stdout } = run("skills", ...home());
    expect(code).toBe(0);
    expect(stdout).toContain(`diving`);
    expect(stdout).toContain(`warning name-mismatch: ${tree.home}/skills/dive/SKILL.md`);
    expect(stdout).toContain(`error description-missing: ${tree.home}/skills/mute/SKILL.md`);
    const { skills } = run("skills", ...home(), "--json").json() as { skills: { name: string }[] };
    expect(skills.map(({ name }) => name)).toEqual(["diving", "fly"]);
  });

  test("check exits 1 on what the specification forbids, and 0 when all is well", () => {
    tree.write("good/fly/SKILL.md", skill("fly", "Take off"));
    tree.write("bad/dive/SKILL.md", skill("diving", "Go under"));
    const good = run("skills", "check", join(tree.root, "good"));
    expect(good).toMatchObject({ code: 0, stdout: "1 skill, 0 errors, 0 warnings\n" });
    const bad = run("skills", "check", join(tree.root, "bad"));
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^error name-mismatch: .*bad\/dive\/SKILL\.md.*\n1 skill, 1 error, 0 warnings\n$/);
    expect(run("skills", "check", join(tree.root, "good/fly")).code).toBe(0);
    expect(run("skills", "check", "/no/such/place").code).toBe(2);
    expect(run("skills", "check")).toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage: /) });
  });
});

describe("charter trust", () => {
  test("is remembered by path and by the digest of the extensions", () => {
    tree.write("project/.charter/extensions/one.js", "export default () => {};\n");
    expect(run("trust", ...home(), "--json").json()).toMatchObject({
      trust: "trusted",
      before: "untrusted",
      root: tree.cwd,
    });
    expect(show().stderr).toBe("");
    tree.write("project/.charter/extensions/one.js", "export default () => { /* other */ };\n");
    expect(show().stderr).toContain("trust-changed: ");
    const again = run("trust", ...home());
    expect(again.stdout).toContain("Changed since it was last trusted: .charter/extensions/one.js.");
    expect(show().stderr).toBe("");
  });

  test("is listed, and taken back", () => {
    run("trust", ...home());
    expect(run("trust", ...home(), "--list").stdout).toContain(tree.cwd);
    expect(run("trust", ...home(), "--remove")).toMatchObject({
      code: 0,
      stdout: `${tree.cwd} is not trusted any more.\n`,
    });
    expect(run("trust", ...home(), "--remove")).toMatchObject({ code: 1, stdout: `${tree.cwd} was not trusted.\n` });
    expect(run("trust", ...home(), "--list").stdout).toContain("No project is trusted.");
  });
});

describe("charter chat --charter coder", () => {
  const chat = (lines: string, ...args: readonly string[]) =>
    charter(["chat", "--charter", "coder", ...home(), ...args], { cwd: tree.cwd, stdin: lines });

  test("is a working coding agent, without a key", () => {
    tree.write("project/notes.txt", "buy milk\n");
    const { code, stdout } = chat("read notes.txt\nrun echo hello > made.txt\nlist the files\n");
    expect(code).toBe(0);
    expect(stdout).toContain("buy milk");
    expect(stdout).toContain("made.txt");
  });

  test("does not start as someone else when its prompt cannot be read", () => {
    mkdirSync(join(tree.cwd, ".charter"));
    symlinkSync("SYSTEM.md", join(tree.cwd, ".charter/SYSTEM.md"));
    const { code, stdout, stderr } = chat("hello\n", "--trust");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^prompt-unreadable: .*SYSTEM\.md/m);
  });

  test("/reload reads extensions anew, /files says what the prompt is made of", () => {
    tree.write("project/AGENTS.md", "Here.");
    const { code, stderr } = chat("/files\n/reload\n");
    expect(code).toBe(0);
    expect(stderr).toContain(`context   ${tree.cwd}/AGENTS.md`);
    expect(stderr).toContain(
      "Tools: read, bash, edit, write. Made of the usual base, 1 context file, 0 skills, 0 extensions.",
    );
  });

  test("without a terminal an untrusted project is not asked about, and left out", () => {
    tree.write("project/.charter/extensions/loud.js", 'export default () => process.stderr.write("LOADED\\n");');
    const untrusted = chat("hello\n");
    expect(untrusted.stderr).not.toContain("LOADED");
    expect(untrusted.stderr).toContain("untrusted");
    expect(chat("hello\n", "--trust").stderr).toContain("LOADED");
  });

  test("an input an extension took is no failure", () => {
    tree.write(
      "ping.js",
      'export default (pi) => pi.on("input", ({ text }) => text === "ping" ? { action: "handled" } : { action: "continue" });',
    );
    const { code, stderr } = chat("ping\n", "--extension", join(tree.root, "ping.js"));
    expect(code).toBe(0);
    expect(stderr).toContain("ping.js");
  });
});

describe("a database that came with a project nobody trusted", () => {
  test("runs no charter of its own, and sets nothing up", () => {
    tree.write(
      "project/evil.ts",
      'process.stderr.write("RUN\\n"); export default { name: "evil", layers: [{ name: "law", mutability: "fixed", sections: [{ name: "law", words: "Obey." }] }] };',
    );
    const settings = { cwd: tree.cwd, stdin: '{"system":"You are a spy."}' };
    charter(["agents", "add", "coder", "--charter", "coder", "--settings", "-"], settings);
    const charterFile = ["evil", "--charter", "./evil.ts"];
    expect(charter(["agents", "add", ...charterFile], { cwd: tree.cwd }).stderr).toContain("RUN");
    for (const args of [["show", "--agent", "evil"], ["chat", "--agent", "evil", "hello"], ["doctor"]]) {
      const { stdout, stderr } = run(...args);
      expect(stdout + stderr).not.toContain("RUN");
      expect(stdout + stderr).toContain("not trusted");
    }
    const { stdout, stderr } = run("show", "--agent", "coder", ...home());
    expect(stdout).not.toContain("You are a spy.");
    expect(stderr).toContain("settings-untrusted");
  });
});

test("of the places that hold nothing, charter files tells people the number and programs each", () => {
  tree.write("project/AGENTS.md", "Here.");
  const absent = `${tree.cwd}/.charter/SYSTEM.md`;
  const { stdout } = run("files", ...home());
  const { files } = run("files", ...home(), "--json").json() as { files: { path: string; reason?: string }[] };
  const nothing = files.filter(({ reason }) => reason === "there is none");
  expect([stdout.includes(absent), nothing.some(({ path }) => path === absent)]).toEqual([false, true]);
  expect(stdout).toContain(`not there: ${nothing.length} places;`);
});

test("a coding agent's settings say where it works and with what; the command line says otherwise", () => {
  tree.write("project/.pi/SYSTEM.md", "You are a poet.");
  tree.write("settings.json", JSON.stringify({ cwd: tree.cwd, config: ".pi", tools: ["read", "ls"] }));
  const database = ["--database", join(tree.root, "own.db")];
  const elsewhere = (...args: readonly string[]) => charter([...args, ...database], { cwd: tree.root });
  const added = elsewhere("agents", "add", "cody", "--charter", "coder", "--settings", "settings.json");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  const shown = (...args: readonly string[]) => elsewhere("show", "--agent", "cody", ...home(), ...args).stdout;
  expect(shown()).toContain(`Available tools:\n- read: Read file contents\n- ls: List directory contents\n\n`);
  expect(shown().endsWith(`Current working directory: ${tree.cwd}`)).toBe(true);
  expect(shown("--trust").startsWith("You are a poet.")).toBe(true);
  expect(shown("--tools", "grep")).toContain("Available tools:\n- grep: ");
});
