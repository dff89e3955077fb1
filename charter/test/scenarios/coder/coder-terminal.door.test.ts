import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { projectTrust } from "../../../src/sources/trust/trust.ts";
import { createTree, type Tree } from "../../coder-tree.ts";
import { charterAtTerminal, hasTerminal } from "../../terminal.ts";

/** Whoever starts a coding agent at a terminal is asked about what the project brings. */

let tree: Tree;
beforeEach(() => {
  tree = createTree();
  tree.write("project/.charter/extensions/hello.js", greeting("one"));
});
afterEach(() => tree.remove());

const greeting = (name: string) => `export default (api) => api.registerTool({
  name: "${name}", label: "", description: "greets", parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [] }),
});`;
const chat = () => charterAtTerminal(["chat", "--charter", "coder", "--home", tree.home], { cwd: tree.cwd });
const trust = () => projectTrust({ cwd: tree.cwd, home: tree.home, config: ".charter" }).trust;

describe.skipIf(!hasTerminal)("the question", () => {
  test("yes is remembered, and not asked again", async () => {
    const first = chat();
    await first.shows("Trust it? [y]es, [o]nly this time, [N]o: ");
    first.type("y\r");
    await first.shows("Tools: read, bash, edit, write, one.");
    first.type("/quit\r");
    await first.ended;
    expect(trust()).toBe("trusted");
    const second = chat();
    await second.shows("Tools: read, bash, edit, write, one.");
    second.type("/quit\r");
    await second.ended;
    expect(second.text()).not.toContain("Trust it?");
  });

  test("no is no, and nothing at all is no", async () => {
    for (const answer of ["n", "", "yess"]) {
      const terminal = chat();
      await terminal.shows("Trust it?");
      terminal.type(`${answer}\r`);
      await terminal.shows("Tools: read, bash, edit, write.");
      terminal.type("/quit\r");
      await terminal.ended;
      expect(trust()).toBe("untrusted");
    }
  });

  test("only this time is for the extensions that were asked about: of others a reload asks again", async () => {
    const terminal = chat();
    await terminal.shows("Trust it?");
    terminal.type("o\r");
    await terminal.shows("Tools: read, bash, edit, write, one.");
    terminal.type("/reload\r");
    await terminal.shows("Tools: read, bash, edit, write, one.");
    tree.write("project/.charter/extensions/hello.js", greeting("two"));
    terminal.type("/reload\r");
    await terminal.shows("Trust it?");
    terminal.type("n\r");
    await terminal.shows("Tools: read, bash, edit, write.");
    expect(trust()).toBe("untrusted");
    terminal.type("/reload\r");
    await terminal.shows("Trust it?");
    terminal.type("y\r");
    await terminal.shows("Tools: read, bash, edit, write, two.");
    terminal.type("/quit\r");
    await terminal.ended;
    expect(trust()).toBe("trusted");
  });

  test("a question of a reload is not answered by what was typed before it", async () => {
    const terminal = chat();
    await terminal.shows("Trust it?");
    terminal.type("n\r");
    await terminal.shows("Ctrl-D leaves.");
    terminal.type("/reload\ry");
    await terminal.shows("Trust it? [y]es, [o]nly this time, [N]o: ");
    terminal.type("\r");
    await terminal.shows("Tools: read, bash, edit, write.");
    terminal.type("/quit\r");
    await terminal.ended;
    expect(trust()).toBe("untrusted");
  });

  test("what changes while it is asked is not what was asked about", async () => {
    const terminal = chat();
    await terminal.shows("Trust it?");
    tree.write("project/.charter/extensions/hello.js", greeting("two"));
    terminal.type("y\r");
    await terminal.shows("It changed while you were asked");
    await terminal.shows("Tools: read, bash, edit, write.");
    terminal.type("/quit\r");
    await terminal.ended;
    expect(trust()).toBe("untrusted");
  });
});
