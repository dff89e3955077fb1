import { appendFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { counting, locked, placeForEach } from "./place.ts";
import { finderOf, listingOf, namesOf, skillText, toldOf, unusedOf } from "./skill-folder.ts";

const place = placeForEach();

const skill = (folder: string, name = folder.split("/").at(-1) as string, description?: string) =>
  place.write(`${folder}/SKILL.md`, skillText(name, description));

describe("where skills are found", () => {
  test("in every directory with a SKILL.md, inside another skill too, and in Markdown files of the root; by name", () => {
    skill("zebra");
    skill("group/apple");
    skill("group/apple/nested");
    place.write("pear.md", skillText("pear"));
    place.write("group/notes.md", "# Notes");
    place.write("group/apple/references/REFERENCE.md", "# Reference");
    const found = finderOf(place).look();
    expect(namesOf(place, found)).toEqual([
      "apple group/apple/SKILL.md",
      "nested group/apple/nested/SKILL.md",
      "pear pear.md",
      "zebra zebra/SKILL.md",
    ]);
    expect(found.diagnostics).toEqual([]);
    expect(listingOf(place, found)).toBe(`  <skill>
    <name>apple</name>
    <description>Does apple.</description>
    <location>~/group/apple/SKILL.md</location>
  </skill>
  <skill>
    <name>nested</name>
    <description>Does nested.</description>
    <location>~/group/apple/nested/SKILL.md</location>
  </skill>
  <skill>
    <name>pear</name>
    <description>Does pear.</description>
    <location>~/pear.md</location>
  </skill>
  <skill>
    <name>zebra</name>
    <description>Does zebra.</description>
    <location>~/zebra/SKILL.md</location>
  </skill>`);
  });

  test("not in hidden directories, nor in installed packages", () => {
    skill(".git/a");
    skill("node_modules/b");
    skill("c/node_modules/d");
    skill("c");
    expect(namesOf(place, finderOf(place).look())).toEqual(["c c/SKILL.md"]);
  });

  test("a root that is a skill has its notes beside it", () => {
    const root = place.at("pdf");
    skill("pdf");
    place.write("pdf/forms.md", "# Forms");
    const found = finderOf(place).look({ path: root, place: "named", optional: false });
    expect([namesOf(place, found), found.diagnostics]).toEqual([["pdf pdf/SKILL.md"], []]);
  });

  test("a root may be one file, by any name that ends in .md", () => {
    const named = skill("pdf");
    const alone = place.write("notes/word.md", skillText("word"));
    const text = place.write("notes/word.txt", skillText("word"));
    const root = (path: string) => ({ path, place: "named" as const, optional: false });
    const found = finderOf(place).look(root(named), root(alone), root(text), root(place.at("no/such")));
    expect(namesOf(place, found)).toEqual(["pdf pdf/SKILL.md", "word notes/word.md"]);
    expect(toldOf(place, found)).toEqual([
      "error not-markdown: ~/notes/word.txt is not a Markdown file: the name of a skill's file ends in “.md”.",
      "error skill-path-missing: ~/no/such is not there, so it has no skills. Fix the path, or leave it out.",
    ]);
  });

  test("nothing is said of a root that may be missing and is", () => {
    expect(finderOf(place).look({ path: place.at("none"), place: "global", optional: true })).toEqual({
      skills: [],
      diagnostics: [],
      considered: [],
    });
  });

  test("a note beside the skills is told to be none, a README is left alone", () => {
    place.write("README.md", "# Our skills");
    place.write("idea.md", "An idea.");
    const found = finderOf(place).look();
    expect(toldOf(place, found)).toEqual([
      "warning front-matter-missing: ~/idea.md has no front matter. If it is meant as a skill, begin it with a line “---”, then “name: …” and “description: …”, then another “---”.",
    ]);
    expect(unusedOf(place, found)).toEqual([
      "~/README.md: it has no front matter",
      "~/idea.md: it has no front matter",
    ]);
  });

  test("what is considered says where it is from, and what it brings into the prompt", () => {
    const path = skill("a");
    const hidden = place.write("b/SKILL.md", "---\nname: b\ndescription: B.\ndisable-model-invocation: true\n---\n");
    const found = finderOf(place).look({ path: place.root, place: "global", optional: true });
    expect(found).toEqual({
      skills: [
        { name: "a", description: "Does a.", location: path },
        { name: "b", description: "B.", location: hidden, hidden: true },
      ],
      diagnostics: [],
      considered: [
        {
          path,
          role: "skill",
          place: "global",
          used: true,
          text: `  <skill>\n    <name>a</name>\n    <description>Does a.</description>\n    <location>${path}</location>\n  </skill>`,
        },
        { path: hidden, role: "skill", place: "global", used: false, reason: "“disable-model-invocation” is true" },
      ],
    });
    expect(listingOf(place, found)).not.toContain("<name>b</name>");
  });
});

describe("several roots", () => {
  const root = (name: string, more: object = {}) => ({
    path: place.at(name),
    place: "project" as const,
    optional: true,
    ...more,
  });

  test("the first of a name wins, and the report names both", () => {
    skill("one/pdf");
    skill("two/pdf", "pdf", "Another one.");
    skill("two/word");
    const found = finderOf(place).look(root("one"), root("two"));
    expect(namesOf(place, found)).toEqual(["pdf one/pdf/SKILL.md", "word two/word/SKILL.md"]);
    expect(toldOf(place, found)).toEqual([
      "warning collision: ~/two/pdf/SKILL.md is left out: ~/one/pdf/SKILL.md has the name “pdf” too, and comes first. Rename one of them.",
    ]);
    expect(unusedOf(place, found)).toEqual(["~/two/pdf/SKILL.md: ~/one/pdf/SKILL.md has the same name"]);
    expect(namesOf(place, finderOf(place).look(root("two"), root("one")))).toEqual([
      "pdf two/pdf/SKILL.md",
      "word two/word/SKILL.md",
    ]);
  });

  test("within one root the first path wins, whatever order the disk has", () => {
    skill("b", "same");
    skill("a", "same");
    expect(namesOf(place, finderOf(place).look())).toEqual(["same a/SKILL.md"]);
  });

  test("the same file is no collision, by whatever way it is reached", () => {
    skill("one/pdf");
    place.link("two", "one");
    const found = finderOf(place).look(root("one"), root("two"), root("one/pdf"));
    expect([namesOf(place, found), found.diagnostics]).toEqual([["pdf one/pdf/SKILL.md"], []]);
    expect(unusedOf(place, found)).toEqual([
      "~/two/pdf/SKILL.md: it is the same file as ~/one/pdf/SKILL.md",
      "~/one/pdf/SKILL.md: it is the same file as ~/one/pdf/SKILL.md",
    ]);
  });

  test("skills that are withheld are considered, and not even read", () => {
    skill("one/pdf");
    place.write("one/broken/SKILL.md", "no front matter");
    skill("two/pdf");
    const { disk, counts } = counting();
    const found = finderOf(place, { on: disk }).look(
      root("one", { withheld: "the project is not trusted" }),
      root("two"),
    );
    expect([namesOf(place, found), found.diagnostics]).toEqual([["pdf two/pdf/SKILL.md"], []]);
    expect(unusedOf(place, found)).toEqual([
      "~/one/broken/SKILL.md: the project is not trusted",
      "~/one/pdf/SKILL.md: the project is not trusted",
    ]);
    expect(counts.opened).toBe(1);
  });

  test("a file withheld in one root is used by another that has it too", () => {
    skill("one/pdf");
    place.link("two", "one");
    const found = finderOf(place).look(root("one", { withheld: "no" }), root("two"));
    expect(namesOf(place, found)).toEqual(["pdf two/pdf/SKILL.md"]);
  });
});

describe("ignore files", () => {
  test("git's rules hold, a nested file's for its own directory, and the report names the file", () => {
    place.write(".gitignore", "drafts/\n*.tmp\n/idea.md\n");
    place.write("group/.ignore", "old\n!new.tmp/\n");
    place.write("group/deep/.fdignore", "SKILL.md\n");
    skill("drafts/a");
    skill("b.tmp", "b");
    place.write("idea.md", skillText("idea"));
    skill("group/old");
    skill("group/new.tmp", "new");
    skill("group/deep/er/still");
    skill("keep");
    const found = finderOf(place).look();
    expect(namesOf(place, found)).toEqual(["keep keep/SKILL.md", "new group/new.tmp/SKILL.md"]);
    expect(unusedOf(place, found)).toEqual([
      "~/b.tmp: ignored by ~/.gitignore",
      "~/drafts: ignored by ~/.gitignore",
      "~/idea.md: ignored by ~/.gitignore",
      "~/group/old: ignored by ~/group/.ignore",
      "~/group/deep/er/still/SKILL.md: ignored by ~/group/deep/.fdignore",
    ]);
  });

  test("in one directory .fdignore has the last word, then .ignore, then .gitignore", () => {
    for (const name of ["a", "b", "c"]) skill(name);
    place.write(".gitignore", "a\nb\nc\n");
    place.write(".ignore", "!b\n!c\n");
    place.write(".fdignore", "c\n");
    expect(namesOf(place, finderOf(place).look())).toEqual(["b b/SKILL.md"]);
  });

  test("one that cannot be read is told, and the skills are found", () => {
    skill("a");
    const path = place.write(".gitignore", "a\n");
    const found = finderOf(place, { on: locked(path) }).look();
    expect(namesOf(place, found)).toEqual(["a a/SKILL.md"]);
    expect(toldOf(place, found)).toEqual(["error unreadable: ~/.gitignore cannot be read: EACCES: permission denied"]);
  });

  test("a change in one is seen", () => {
    skill("a");
    const path = place.write(".gitignore", "a\n");
    const finder = finderOf(place);
    expect(finder.look().skills).toEqual([]);
    writeFileSync(path, "b\n");
    expect(namesOf(place, finder.look())).toEqual(["a a/SKILL.md"]);
  });
});

describe("looking again", () => {
  test("nothing changed: the same object, for a stat of each directory and each file", () => {
    for (const name of ["a", "b", "c"]) skill(name);
    place.folder("c/scripts");
    const { disk, counts } = counting();
    const finder = finderOf(place, { on: disk });
    const found = finder.look();
    Object.assign(counts, { opened: 0, bytes: 0, looks: 0 });
    expect(finder.look()).toBe(found);
    expect(counts).toEqual({ opened: 0, bytes: 0, looks: 8 });
  });

  test("a skill that changes is a new object, the others stay the same", () => {
    const path = skill("a");
    skill("b");
    const finder = finderOf(place);
    const before = finder.look();
    writeFileSync(path, skillText("a", "Does it better."));
    const after = finder.look();
    expect(after.skills[0]).toEqual({ name: "a", description: "Does it better.", location: path });
    expect(after.skills[1]).toBe(before.skills[1]);
    expect(finder.look()).toBe(after);
  });

  test("a file whose body grows is the same skill", () => {
    const path = skill("a");
    const finder = finderOf(place);
    const before = finder.look();
    appendFileSync(path, "More.\n");
    expect(finder.look().skills[0]).toEqual(before.skills[0]);
  });

  test("skills come, go and move", () => {
    skill("a");
    const finder = finderOf(place);
    const seen = () => namesOf(place, finder.look());
    skill("group/b");
    expect(seen()).toEqual(["a a/SKILL.md", "b group/b/SKILL.md"]);
    renameSync(place.at("group/b"), place.at("c"));
    expect(seen()).toEqual(["a a/SKILL.md", "b c/SKILL.md"]);
    unlinkSync(place.at("a/SKILL.md"));
    expect(seen()).toEqual(["b c/SKILL.md"]);
    rmSync(place.at("c"), { recursive: true });
    expect(seen()).toEqual([]);
    rmSync(place.root, { recursive: true });
    expect(toldOf(place, finder.look())).toEqual([
      "error skill-path-missing: ~ is not there, so it has no skills. Fix the path, or leave it out.",
    ]);
    skill("a");
    expect(seen()).toEqual(["a a/SKILL.md"]);
  });

  test("what comes or goes beside the skills changes nothing", () => {
    skill("a");
    const finder = finderOf(place);
    const before = finder.look();
    place.write("a/script.sh", "#!/bin/sh");
    place.folder("a/assets");
    expect(finder.look()).toBe(before);
  });

  test("a link that led nowhere leads to a skill", () => {
    place.link("a", "elsewhere/a");
    const finder = finderOf(place);
    const roots = { path: place.root, place: "named" as const, optional: false };
    expect(finder.look(roots).skills).toEqual([]);
    skill(".elsewhere/a");
    renameSync(place.at(".elsewhere"), place.at("elsewhere"));
    expect(namesOf(place, finder.look(roots))).toEqual(["a elsewhere/a/SKILL.md"]);
  });

  test("a link that leads to another directory with the same entries", () => {
    skill(".one/x");
    skill(".two/x", "x", "Does two.");
    place.link("now", ".one");
    const finder = finderOf(place);
    expect(finder.look().skills[0]?.description).toBe("Does x.");
    unlinkSync(place.at("now"));
    place.link("now", ".two");
    expect(finder.look().skills[0]?.description).toBe("Does two.");
  });

  test("other roots are looked at anew, and forgetting reads everything again", () => {
    skill("one/a");
    skill("two/b");
    const { disk, counts } = counting();
    const finder = finderOf(place, { on: disk });
    const root = (name: string) => ({ path: place.at(name), place: "named" as const, optional: false });
    expect(namesOf(place, finder.look(root("one")))).toEqual(["a one/a/SKILL.md"]);
    expect(namesOf(place, finder.look(root("one"), root("two")))).toEqual(["a one/a/SKILL.md", "b two/b/SKILL.md"]);
    expect(counts.opened).toBe(2);
    const withheld = finder.look({ ...root("one"), withheld: "no" }, root("two"));
    expect(namesOf(place, withheld)).toEqual(["b two/b/SKILL.md"]);
  });
});

test("a link that led out of the root to nothing leads to a skill", () => {
  const link = place.link("root/a/SKILL.md", "../../elsewhere/SKILL.md");
  const finder = finderOf(place);
  const root = { path: place.at("root"), place: "named", optional: false } as const;
  expect(finder.look(root).skills).toEqual([]);
  place.write("elsewhere/SKILL.md", skillText("a"));
  expect(finder.look(root).skills).toEqual([{ name: "a", description: "Does a.", location: link }]);
});

test("a directory called like an ignore file is hidden as well", () => {
  skill(".ignore");
  skill("a");
  expect(namesOf(place, finderOf(place).look())).toEqual(["a a/SKILL.md"]);
});
