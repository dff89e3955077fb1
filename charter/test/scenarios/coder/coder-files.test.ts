import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  always,
  base,
  documentation,
  project,
  promptAt,
  skill,
  skillsListing,
  textAt,
  treeForEach,
  usualGuidelines,
  usualToolLines,
  whole,
} from "../../coder-tree.ts";

/** The coding agent's prompt, row by row, from files on a real disk. */

const tree = treeForEach();

/** An extension whose one tool is what is given. */
const extension = (tool: string) => `export default (pi) => pi.registerTool({
  label: "A tool", description: "What the model is told", parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [] }), ${tool} });\n`;

describe("the order of a prompt", () => {
  test("base, append, project context, skills, date and directory", async () => {
    tree.write("home/AGENTS.md", "Use tabs.\n");
    tree.write("AGENTS.md", "Two people work here.\n");
    tree.write("project/AGENTS.md", "# App\n\nRun the tests.\n");
    tree.write("project/.charter/APPEND_SYSTEM.md", "Prefer small commits.\n");
    tree.write("project/.charter/skills/commit/SKILL.md", skill("commit", "Commit files in groups"));
    tree.write("home/skills/review/SKILL.md", skill("review", "Look at a change"));
    const { root, cwd, home } = tree;
    expect(await textAt(tree.workbench())).toBe(
      whole(
        tree,
        base(),
        "Prefer small commits.\n",
        project(
          [`${home}/AGENTS.md`, "Use tabs.\n"],
          [`${root}/AGENTS.md`, "Two people work here.\n"],
          [`${cwd}/AGENTS.md`, "# App\n\nRun the tests.\n"],
        ),
        skillsListing(
          ["commit", "Commit files in groups", `${cwd}/.charter/skills/commit/SKILL.md`],
          ["review", "Look at a change", `${home}/skills/review/SKILL.md`],
        ),
      ),
    );
  });
});

describe("SYSTEM.md", () => {
  test("the project's replaces the whole base: tools, guidelines and documentation are gone", async () => {
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, "You are a poet."));
  });

  test("the global one does where the project has none", async () => {
    tree.write("home/SYSTEM.md", "You are a painter.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, "You are a painter."));
  });

  test("the project's takes precedence over the global one: only one is used", async () => {
    tree.write("home/SYSTEM.md", "You are a painter.");
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, "You are a poet."));
  });

  test("an empty one is empty: the next is asked, then the default", async () => {
    tree.write("project/.charter/SYSTEM.md", " \n");
    expect(await textAt(tree.workbench())).toBe(whole(tree, base()));
    tree.write("home/SYSTEM.md", "You are a painter.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, "You are a painter."));
  });
});

describe("APPEND_SYSTEM.md", () => {
  test("the project's, else the global one, after the default base", async () => {
    tree.write("home/APPEND_SYSTEM.md", "Be kind.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, base(), "Be kind."));
    tree.write("project/.charter/APPEND_SYSTEM.md", "Be quick.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, base(), "Be quick."));
  });

  test("it works with a SYSTEM.md of the other place", async () => {
    tree.write("home/SYSTEM.md", "You are a painter.");
    tree.write("project/.charter/APPEND_SYSTEM.md", "In oil.");
    expect(await textAt(tree.workbench())).toBe(whole(tree, "You are a painter.", "In oil."));
  });
});

describe("tools of extensions", () => {
  test("a promptSnippet stands in place of a built-in line too", async () => {
    tree.write("project/.charter/extensions/tool.js", extension('name: "read", promptSnippet: "Read, and remember"'));
    const lines = usualToolLines.replace("Read file contents", "Read, and remember");
    expect(await textAt(tree.workbench())).toBe(whole(tree, base(lines)));
  });

  test("their guidelines follow the built-in ones, each once, before what always holds", async () => {
    const guidelines =
      'promptGuidelines: ["Ask before you ship", "Be concise in your responses", " Ask before you ship "]';
    tree.write("project/.charter/extensions/a.js", extension(`name: "ship", promptSnippet: "Ship", ${guidelines}`));
    tree.write("project/.charter/extensions/b.js", extension(`name: "sail", promptSnippet: "Sail", ${guidelines}`));
    expect(await textAt(tree.workbench())).toBe(
      whole(
        tree,
        base(`${usualToolLines}\n- ship: Ship\n- sail: Sail`, `${usualGuidelines}\n- Ask before you ship\n${always}`),
      ),
    );
  });
});

describe("context files", () => {
  test("the global one first, then from the root down, AGENTS.md before CLAUDE.md in each directory", async () => {
    tree.write("home/CLAUDE.md", "Global.");
    tree.write("AGENTS.md", "Above, agents.");
    tree.write("CLAUDE.md", "Above, claude.");
    tree.write("project/CLAUDE.md", "Here, claude.");
    expect(await textAt(tree.workbench())).toBe(
      whole(
        tree,
        base(),
        project(
          [`${tree.home}/CLAUDE.md`, "Global."],
          [`${tree.root}/AGENTS.md`, "Above, agents."],
          [`${tree.cwd}/CLAUDE.md`, "Here, claude."],
        ),
      ),
    );
  });

  test("they are read whether the project is trusted or not", async () => {
    tree.write("project/AGENTS.md", "Always read.");
    expect(await textAt(tree.workbench({ trusted: () => false }))).toBe(
      whole(tree, base(), project([`${tree.cwd}/AGENTS.md`, "Always read."])),
    );
  });
});

describe("skills", () => {
  test("only name, description and path; hidden ones are left out", async () => {
    tree.write("project/.charter/skills/b/SKILL.md", skill("b", "Second"));
    tree.write("project/.charter/skills/a/SKILL.md", skill("a", "First & <foremost>"));
    tree.write("project/.charter/skills/c/SKILL.md", skill("c", "Third", "disable-model-invocation: true\n"));
    const folder = `${tree.cwd}/.charter/skills`;
    expect(await textAt(tree.workbench())).toBe(
      whole(
        tree,
        base(),
        skillsListing(
          ["a", "First &amp; &lt;foremost&gt;", `${folder}/a/SKILL.md`],
          ["b", "Second", `${folder}/b/SKILL.md`],
        ),
      ),
    );
  });
});

describe("a project nobody trusted", () => {
  test("its SYSTEM.md, APPEND_SYSTEM.md, skills and extensions are left out, and said to be", async () => {
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    tree.write("project/.charter/APPEND_SYSTEM.md", "In rhyme.");
    tree.write("project/.charter/skills/haiku/SKILL.md", skill("haiku", "Five, seven, five"));
    tree.write("project/.charter/extensions/tool.js", "globalThis.loadedUntrusted = true; export default () => {};");
    const workbench = tree.workbench({ trusted: () => false });
    const prompt = await promptAt(workbench);
    expect(prompt.text).toBe(whole(tree, base()));
    expect(prompt.notices.map(({ code }) => code)).toEqual(["untrusted"]);
    expect("loadedUntrusted" in globalThis).toBe(false);
    const left = workbench.considered().filter(({ reason }) => reason === "the project is not trusted");
    expect(left.map(({ role }) => role).sort()).toEqual(["append", "extension", "skill", "system"]);
  });

  test("a context file that is a link to somewhere else is not followed: it may lead to a secret", async () => {
    tree.write("secret", "A private key.");
    tree.write("project/docs/AGENTS.md", "Inside.");
    symlinkSync(join(tree.root, "secret"), join(tree.cwd, "CLAUDE.md"));
    const untrusted = await promptAt(tree.workbench({ trusted: () => false }));
    expect(untrusted.text).toBe(whole(tree, base()));
    expect(untrusted.notices).toEqual([
      {
        code: "leads-out",
        section: "project",
        message: `${tree.cwd}/CLAUDE.md is not read: it leads to ${tree.root}/secret, and the project is not trusted (charter trust).`,
      },
    ]);
    expect(await textAt(tree.workbench())).toBe(
      whole(tree, base(), project([`${tree.cwd}/CLAUDE.md`, "A private key."])),
    );
    tree.remove("project/CLAUDE.md");
    symlinkSync("docs/AGENTS.md", join(tree.cwd, "AGENTS.md"));
    expect(await textAt(tree.workbench({ trusted: () => false }))).toBe(
      whole(tree, base(), project([`${tree.cwd}/AGENTS.md`, "Inside."])),
    );
  });

  test("nor is one above it, where that may have come with it: in an archive, or around a submodule", async () => {
    tree.write("secret", "A private key.");
    tree.write("unpacked/project/README.md", "");
    symlinkSync("../secret", join(tree.root, "unpacked/AGENTS.md"));
    const [cwd, user] = [join(tree.root, "unpacked/project"), join(tree.root, "unpacked/user")];
    const isTold = async (userHome: string) =>
      (await textAt(tree.workbench({ cwd, trusted: () => false, userHome }))).includes("A private key.");
    expect(await isTold("/nowhere")).toBe(false);
    tree.write("unpacked/project/.git", "gitdir: ../.git/modules/project");
    tree.write("unpacked/.git/HEAD", "ref: refs/heads/main");
    expect(await isTold(user)).toBe(false);
    // The user's own: above the repository, or at home and above.
    tree.remove("unpacked/.git");
    expect(await isTold("/nowhere")).toBe(true);
    tree.remove("unpacked/project/.git");
    expect(await isTold(user)).toBe(true);
  });

  test("what is global speaks all the same", async () => {
    tree.write("home/SYSTEM.md", "You are a painter.");
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    expect(await textAt(tree.workbench({ trusted: () => false }))).toBe(whole(tree, "You are a painter."));
  });
});

describe("other directories", () => {
  test.each([".sf", ".pi"])("a %s project works as it is", async (config) => {
    tree.write(`project/${config}/SYSTEM.md`, "You are a poet.");
    tree.write(`project/${config}/skills/haiku/SKILL.md`, skill("haiku", "Five, seven, five"));
    tree.write("project/.charter/SYSTEM.md", "Not read.");
    expect(await textAt(tree.workbench({ config }))).toBe(
      whole(
        tree,
        "You are a poet.",
        skillsListing(["haiku", "Five, seven, five", `${tree.cwd}/${config}/skills/haiku/SKILL.md`]),
      ),
    );
  });
});

test("the documentation is where it is told to be", async () => {
  const places = { main: "/opt/charter/README.md", additional: "/opt/charter/docs", examples: "/opt/charter/examples" };
  const text = await textAt(tree.workbench({ documentation: places }));
  expect(text).toBe(
    whole(tree, base().replace(documentation, documentation.replaceAll("node_modules/charter", "/opt/charter"))),
  );
});
