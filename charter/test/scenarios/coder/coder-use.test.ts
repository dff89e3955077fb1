import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startRecorder } from "../../../src/testing/strict/recorder.ts";
import { speak } from "../../../src/testing/strict/speech.ts";
import { charter, charterMeanwhile } from "../../cli.ts";
import { skill, treeForEach } from "../../coder-tree.ts";

/** What someone who works with a coding agent every day would miss. */

const tree = treeForEach();

const run = (...args: readonly string[]) => charter([...args, "--home", tree.home], { cwd: tree.cwd });

describe("what waits for trust is said with the command that gives it", () => {
  beforeEach(() => tree.write("project/.pi/skills/fly/SKILL.md", skill("fly", "Take off")));

  test("by charter skills and charter files", () => {
    const hint = `Look at what the project brings, then run “charter trust --home ${tree.home} --config .pi”.\n`;
    expect(run("skills", "--config", ".pi").stdout).toBe(
      `1 skill of the project is not used: it is not trusted. ${hint}`,
    );
    expect(run("files", "--config", ".pi").stdout).toContain(`--json lists them.\n${hint}`);
    expect(run("skills", "--config", ".pi", "--no-trust").stdout).toBe(
      "1 skill of the project is not used: it is not trusted.\n",
    );
  });

  test("by charter show, with the name of the configuration directory", () => {
    const { stderr } = run("show", "--charter", "coder", "--config", ".pi");
    expect(stderr).toContain("without 1 skill. Look at what it brings, then run “charter trust --config .pi”.");
  });

  test("and how to take it back names the same project", () => {
    const { stdout } = charter(["trust", tree.cwd, "--home", tree.home, "--config", ".pi"], { cwd: tree.root });
    expect(stdout).toContain(`charter trust --remove ${tree.cwd} --home ${tree.home} --config .pi\n`);
  });

  test("a reload that cannot ask says why everything is gone", async () => {
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    const args = ["chat", "--charter", "coder", "--home", tree.home];
    const { stderr } = await charterMeanwhile(args, { cwd: tree.cwd, stdin: "/reload\n" });
    expect(stderr).toContain(
      `! untrusted: Look at what the project brings, then run “charter trust --home ${tree.home}”.\n`,
    );
  });
});

test("an extension that failed to load is not among the files the prompt is made of", () => {
  tree.write("home/extensions/fine.js", "export default () => {};");
  tree.write("home/extensions/broken.js", "throw new Error('boom');");
  const { stdout } = run("files");
  expect(stdout).toContain(`–  extension          ${tree.home}/extensions/broken.js  (it is not loaded)\n`);
  expect(stdout).toContain(`✓  extension          ${tree.home}/extensions/fine.js\n`);
  expect(stdout).toContain("load-failed: The extension “broken.js” cannot be loaded: boom (line 1).\n");
});

test("a task takes as many steps as it needs, and a command has minutes", async () => {
  const call = (step: number) => ({ id: `call_${step}`, name: "bash", input: `{"command":"echo ${step}"}` });
  const provider = await startRecorder({
    answer: (_request, step) => ({
      body: speak("openai-compatible", step < 30 ? { calls: [call(step)] } : { text: ["Done."] }),
    }),
  });
  const args = ["chat", "--charter", "coder", "--home", tree.home, "--model", "openai-compatible/any", "Build it."];
  const env = { OPENAI_COMPATIBLE_BASE_URL: provider.url };
  const { code, stdout } = await charterMeanwhile(args, { cwd: tree.cwd, env });
  await provider.close();
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  const asked = provider.requests.find(({ path }) => path.endsWith("/chat/completions"));
  expect(asked?.body).toContain("It is stopped after 120 seconds; timeout gives it less, or up to 600.");
});

describe("the database in a project is not for its repository", () => {
  const ignored = () => join(tree.cwd, ".charter/.gitignore");

  test("git is told to pass it over when it is made", () => {
    run("chat", "--charter", "coder", "hello");
    expect(readFileSync(ignored(), "utf8")).toBe("/charter.db*\n/demo.*\n/*.key\n/.gitignore\n");
  });

  test("a .gitignore that is there stays as it is, and a database elsewhere brings none", () => {
    tree.write("project/.charter/.gitignore", "*.tmp\n");
    run("chat", "--charter", "coder", "hello");
    expect(readFileSync(ignored(), "utf8")).toBe("*.tmp\n");
    run("chat", "--charter", "coder", "--database", "elsewhere.db", "hello");
    expect(existsSync(join(tree.cwd, ".gitignore"))).toBe(false);
  });
});
