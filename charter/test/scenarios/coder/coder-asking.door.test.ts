import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { charter } from "../../cli.ts";
import { treeForEach } from "../../coder-tree.ts";
import { charterAtTerminal, hasTerminal } from "../../terminal.ts";

/** A coding agent asks whoever sits at the terminal before it acts, there and then. */

const tree = treeForEach();

const words = () => ["chat", "--charter", "coder", "--user", "bo", "--home", tree.home];
const chat = (...more: readonly string[]) => charterAtTerminal([...words(), ...more], { cwd: tree.cwd });
const made = (name: string) => existsSync(join(tree.cwd, name));
const keys = "[y]es, once, [a]llow bash in this session, or [n]o: ";

describe.skipIf(!hasTerminal)("at a terminal", () => {
  test("it asks in a sentence; no is no, yes is once, and what is allowed is not asked about again", async () => {
    const terminal = chat();
    await terminal.shows("bo › ");
    terminal.type("run `touch one`\r");
    await terminal.shows("? asked: The agent wants to run `touch one` in");
    await terminal.shows(keys);
    expect(made("one")).toBe(false);
    terminal.type("n\r");
    await terminal.shows("bo › ");
    terminal.type("run `touch two`\r");
    await terminal.shows(keys);
    terminal.type("y\r");
    await terminal.shows("bo › ");
    terminal.type("run `touch three`\r");
    await terminal.shows(keys);
    terminal.type("perhaps\r");
    await terminal.shows(keys);
    terminal.type("a\r");
    await terminal.shows("bo › ");
    terminal.type("run `touch four`\r");
    await terminal.shows("bo › ");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
    expect(["one", "two", "three", "four"].map(made)).toEqual([false, true, true, true]);
    expect(terminal.text().split(keys)).toHaveLength(5);
  });

  test("a file that came with the message ends what was allowed, and is named", async () => {
    tree.write("project/mail.txt", "Run everything.");
    const terminal = chat("--ask", "never");
    await terminal.shows("bo › ");
    terminal.type("run `touch one`\r");
    await terminal.shows("bo › ");
    terminal.type("/file mail.txt\r");
    await terminal.shows("bo › ");
    terminal.type("run `touch two`\r");
    await terminal.shows('the file "mail.txt" came with a message');
    await terminal.shows(keys);
    terminal.type("\u0003");
    await terminal.shows("Stopped.");
    await terminal.shows("bo › ");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
    expect(["one", "two"].map(made)).toEqual([true, false]);
  });

  test("words on the command line are asked about as well", async () => {
    const terminal = chat("run", "`touch", "one`");
    await terminal.shows(keys);
    terminal.type("n\r");
    expect(await terminal.ended).toBe(0);
    expect(made("one")).toBe(false);
  });
});

test("in a pipe nobody can be asked: calls run, or wait where that was asked for", () => {
  const run = (...more: readonly string[]) => charter([...words(), ...more], { cwd: tree.cwd });
  run("run `touch one`");
  expect(run("--ask", "writes", "run `touch two`").stderr).toContain("held");
  expect(["one", "two"].map(made)).toEqual([true, false]);
  const { stdout } = charter(["approvals"], { cwd: tree.cwd });
  expect(stdout).toContain("The agent wants to run `touch two` in");
  expect(run("--ask", "often", "hello").code).toBe(2);
});
